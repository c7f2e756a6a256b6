rule judge:
    input:
        tables=lambda w: tables_of(w.study),
    output:
        claims=f"{RESULTS}/{layout.CLAIMS}",
        page=f"{RESULTS}/{layout.CLAIMS_PAGE}",
    log:
        f"{RESULTS}/logs/judge/{{study}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda w: job_of(layout.CLAIMS, w),
        identity=lambda w: identity_of(layout.CLAIMS, w),
    message:
        "Judge the claims of {wildcards.study}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas judge - --identity {params.identity}"
        " --tables {input.tables} --output {output.claims} --page {output.page} 2> {log}"


rule plot_claims:
    input:
        claims=rules.judge.output.claims,
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
        job=lambda w: job_of(layout.OVERVIEW_PDF, w),
        identity=lambda w: identity_of(layout.OVERVIEW_PDF, w),
        caption=lambda w: caption_of_claims(PLAN, w.study, w.overview),
    message:
        "Draw the claims of {wildcards.study}, {wildcards.overview}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas plot_claims - --identity {params.identity}"
        " --claims {input.claims} --output {output.pdf} --png {output.png} 2> {log}"
