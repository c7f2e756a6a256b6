rule write_report:
    input:
        figures=lambda w: inputs(figures_of(w.study)),
        tables=lambda w: inputs(tables_of(w.study)),
        claims=lambda w: inputs(claims_of(w.study)),
        overviews=lambda w: inputs(overviews_of(w.study)),
        multiverse=lambda w: inputs(multiverse_of(w.study)),
    output:
        page=report(
            f"{RESULTS}/{layout.REPORT}",
            caption="../report/page.rst",
            category="Claims and provenance",
            labels={"page": "claims, figures, provenance"},
        ),
    log:
        f"{RESULTS}/logs/write_report/{{study}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda w: PLAN.report_job(w.study).text,
        identity=lambda w: page_of(w.study),
        config=config_text,
        folder=lambda wildcards: str(FOLDER),
    message:
        "Write the report page of {wildcards.study}"
    shell:
        "printf '%s\\0' --job {params.job:q} --config {params.config:q} |"
        " python -m repatlas write_report - --results {params.folder:q} --identity {params.identity}"
        " --claims {input.claims:q} --multiverse {input.multiverse:q} --output {output.page} 2> {log}"
