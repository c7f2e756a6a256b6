rule write_report:
    input:
        figures=lambda w: figures_of(w.study),
        tables=lambda w: tables_of(w.study),
        claims=lambda w: claims_of(w.study),
        overviews=lambda w: overviews_of(w.study),
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
        identity=lambda w: " ".join(
            EXPECTED[Path(path)].identity
            for path in [*figures_of(w.study), *claims_of(w.study), *overviews_of(w.study)]
        ),
        config=config_text,
        folder=lambda wildcards: str(FOLDER),
    message:
        "Write the report page of {wildcards.study}"
    shell:
        "printf '%s\\0' --job {params.job:q} --config {params.config:q} |"
        " python -m repatlas write_report - --results {params.folder:q}"
        " --claims {input.claims:q} --output {output.page} 2> {log}"
