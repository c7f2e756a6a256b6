rule judge:
    input:
        tables=TABLES,
    output:
        claims=CLAIMS,
        page=f"{RESULTS}/{layout.CLAIMS_PAGE}",
    log:
        f"{RESULTS}/logs/judge.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=PLAN.judge_job().text,
        identity=lambda w: IDENTITIES[CLAIMS],
    message:
        "Judge the claims"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas judge - --identity {params.identity}"
        " --tables {input.tables} --output {output.claims} --page {output.page} 2> {log}"


rule publish:
    input:
        claims=CLAIMS,
    log:
        f"{RESULTS}/logs/publish.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Write what the claims say into docs and README"
    shell:
        "python -m repatlas publish --claims {input.claims}"
        " --docs docs --readme README.md 2> {log}"
