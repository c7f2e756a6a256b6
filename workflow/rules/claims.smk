rule judge:
    input:
        lambda w: inputs_of(layout.CLAIMS, w),
    output:
        claims=f"{RESULTS}/{layout.CLAIMS}",
        page=f"{RESULTS}/{layout.CLAIMS_PAGE}",
    log:
        f"{RESULTS}/logs/judge/{{study}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        words=lambda w: words_of(layout.CLAIMS, w),
    message:
        "Judge the claims of {wildcards.study}"
    shell:
        "printf '%s\\0' {params.words} | python -m repatlas judge - --name {output.claims} 2> {log}"


rule plot_claims:
    input:
        lambda w: inputs_of(layout.OVERVIEW_PDF, w),
    output:
        pdf=f"{RESULTS}/{layout.OVERVIEW_PDF}",
        png=report(
            f"{RESULTS}/{layout.OVERVIEW_PNG}",
            caption="../report/figures.rst",
            category="Figures",
            subcategory="{study}",
            labels={"figure": "{overview}"},
        ),
    log:
        f"{RESULTS}/logs/plot_claims/{{study}}/{{overview}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        words=lambda w: words_of(layout.OVERVIEW_PDF, w),
        caption=lambda w: caption_of_claims(PLAN, w.study, w.overview),
    message:
        "Draw the claims of {wildcards.study}, {wildcards.overview}"
    shell:
        "printf '%s\\0' {params.words} |"
        " python -m repatlas plot_claims - --name {output.pdf} 2> {log}"


rule multiverse:
    input:
        lambda w: inputs_of(layout.MULTIVERSE_PDF, w),
    output:
        pdf=f"{RESULTS}/{layout.MULTIVERSE_PDF}",
        png=report(
            f"{RESULTS}/{layout.MULTIVERSE_PNG}",
            caption="../report/figures.rst",
            category="Figures",
            subcategory="{study}",
            labels={"figure": "multiverse"},
        ),
        page=f"{RESULTS}/{layout.MULTIVERSE_PAGE}",
        table=f"{RESULTS}/{layout.MULTIVERSE_TABLE}",
    log:
        f"{RESULTS}/logs/multiverse/{{study}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        words=lambda w: words_of(layout.MULTIVERSE_PDF, w),
        caption=lambda w: caption_of_multiverse(w.study),
    message:
        "Judge the claims of {wildcards.study} in each setting"
    shell:
        "printf '%s\\0' {params.words} |"
        " python -m repatlas multiverse - --name {output.pdf} 2> {log}"
