rule write_report:
    input:
        figures=[path for path in FIGURES if path.endswith(".png")],
        claims=CLAIMS,
        captions=os.path.relpath(HERE / "workflow/report/figures.rst"),
    output:
        page=report(
            f"{RESULTS}/report.html",
            caption="../report/page.rst",
            category="Claims and provenance",
            labels={"page": "claims, figures, provenance"},
        ),
    log:
        f"{RESULTS}/logs/write_report.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=PLAN.report_job().text,
        identity=" ".join(IDENTITIES[path] for path in [*FIGURES, *JUDGED]),
        config=json.dumps(CONFIG),
        folder=lambda wildcards: str(FOLDER),
    message:
        "Write the report page"
    shell:
        "printf '%s\\0' --job {params.job:q} --config {params.config:q} |"
        " python -m repatlas write_report - --results {params.folder:q}"
        " --figures {input.figures} --claims {input.claims} --captions {input.captions:q}"
        " --output {output.page} 2> {log}"
