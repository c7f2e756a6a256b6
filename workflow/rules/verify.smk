rule verify:
    log:
        f"{LOGS}/verify.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        config=config_text,
        folder=str(FOLDER),
    message:
        f"Compare every file in {RESULTS} with what the config and the code imply"
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m repatlas verify - --results {params.folder:q} 2>&1 | tee {log}"


rule why:
    log:
        f"{LOGS}/why.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        config=config_text,
        folder=str(FOLDER),
        figure=os.environ.get("FIGURE", ""),
    message:
        "What would be made again for a figure, and because of what"
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m repatlas why - --results {params.folder:q} --figure={params.figure:q} 2>&1 | tee {log}"


# While a run is going on, too: with `--nolock`.
rule partial:
    log:
        f"{RESULTS}/logs/partial.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        config=config_text,
        folder=str(FOLDER),
    message:
        "Draw the figures as far as their sweeps have come"
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m repatlas partial - --results {params.folder:q} 2>&1 | tee {log}"


rule plan:
    log:
        f"{RESULTS}/logs/plan.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        config=config_text,
        folder=str(FOLDER),
        minutes=BATCHES.minutes,
    message:
        "What a run would cost"
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m repatlas plan - --results {params.folder:q} --job-minutes {params.minutes}"
        " 2>&1 | tee {log}"


rule accept:
    log:
        f"{RESULTS}/logs/accept.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        config=config_text,
        folder=str(FOLDER),
        stages=os.environ.get("STAGES", ""),
    message:
        "The accept_code that keeps results as they are"
    shell:
        "printf '%s\\0' --config {params.config:q} |"
        " python -m repatlas accept - --results {params.folder:q}"
        " --stages={params.stages:q} 2>&1 | tee {log}"
