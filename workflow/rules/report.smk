PAGE = "{study}/report.html"


rule write_report:
    input:
        figures=made(PAGE, "figures"),
        claims=made(PAGE, "claims"),
        multiverse=made(PAGE, "multiverse"),
    output:
        report(
            f"{MADE}/{{study}}/report.{{identity}}.html",
            caption="../report/page.rst",
            category="{study}",
            labels={"figure": "all figures and claims"},
        ),
    log:
        f"{LOGS}/write_report/{{study}}.{{identity}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Write the report page of {wildcards.study}"
    script:
        "../scripts/stage.py"
