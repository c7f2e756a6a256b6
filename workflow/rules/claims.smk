rule judge:
    input:
        tables=lambda w: in_store(tables_of(w.study)),
    output:
        claims=update(f"{STORE}/{layout.stored(layout.CLAIMS, '{id}')}"),
        page=update(f"{STORE}/{layout.stored(layout.CLAIMS_PAGE, '{id}')}"),
    log:
        f"{RESULTS}/logs/judge/{{study}}.{{id}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda w: job_of(layout.CLAIMS, w),
        identity=lambda w: identity_of(layout.CLAIMS, w),
        name=lambda w: at(layout.CLAIMS, w),
    message:
        "Judge the claims of {wildcards.study}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas judge - --identity {params.identity}"
        " --tables {input.tables} --output {output.claims} --page {output.page}"
        " --name {params.name:q} 2> {log}"


rule plot_claims:
    input:
        claims=lambda w: stored_at(layout.CLAIMS, w),
    output:
        pdf=update(f"{STORE}/{layout.stored(layout.OVERVIEW_PDF, '{id}')}"),
        png=report(
            update(f"{STORE}/{layout.stored(layout.OVERVIEW_PNG, '{id}')}"),
            caption="../report/figures.rst",
            category="Figures",
            subcategory="{study}",
            labels={"figure": "{overview}"},
        ),
    log:
        f"{RESULTS}/logs/plot_claims/{{study}}/{{overview}}.{{id}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda w: job_of(layout.OVERVIEW_PDF, w),
        identity=lambda w: identity_of(layout.OVERVIEW_PDF, w),
        name=lambda w: at(layout.OVERVIEW_PDF, w),
        caption=lambda w: caption_of_claims(PLAN, w.study, w.overview),
    message:
        "Draw the claims of {wildcards.study}, {wildcards.overview}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas plot_claims - --identity {params.identity}"
        " --claims {input.claims} --output {output.pdf} --png {output.png}"
        " --name {params.name:q} 2> {log}"
