rule verify:
    log:
        f"{RESULTS}/logs/verify.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        config=json.dumps(config),
    message:
        "Compare every file in {RESULTS} with what the config and the code imply"
    shell:
        "python -m repgeom verify --config {params.config:q} 2>&1 | tee {log}"
