rule judge:
    input:
        tables=TABLES,
    output:
        claims=CLAIMS,
        page=f"{RESULTS}/claims/claims.md",
    log:
        f"{RESULTS}/logs/judge.log",
    conda:
        "../../envs/environment.yaml"
    params:
        job=PLAN.judge_job(),
        identity=IDENTITIES[CLAIMS],
    message:
        "Judge the claims"
    shell:
        "python -m repgeom judge --job {params.job:q}"
        " --tables {input.tables} --output {output.claims} --page {output.page} 2> {log}"
