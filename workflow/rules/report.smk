rule write_report:
    input:
        figures=lambda w: in_store(figures_of(w.study)),
        tables=lambda w: in_store(tables_of(w.study)),
        claims=lambda w: in_store(claims_of(w.study)),
        overviews=lambda w: in_store(overviews_of(w.study)),
    output:
        page=report(
            f"{STORE}/{layout.STORED_REPORT}",
            caption="../report/page.rst",
            category="Claims and provenance",
            labels={"page": "claims, figures, provenance"},
        ),
    log:
        f"{RESULTS}/logs/write_report/{{study}}.{{id}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda w: PLAN.report_job(w.study).text,
        name=lambda w: at(layout.REPORT, w),
        config=config_text,
        folder=lambda wildcards: str(FOLDER),
    message:
        "Write the report page of {wildcards.study}"
    shell:
        "printf '%s\\0' --job {params.job:q} --config {params.config:q} |"
        " python -m repatlas write_report - --results {params.folder:q}"
        " --claims {input.claims:q} --output {output.page} --name {params.name:q} 2> {log}"
