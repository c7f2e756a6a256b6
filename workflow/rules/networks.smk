DATA = "{kind}/{data}"
GROUP = "{study}/{sweep}/{group}"


rule prepare:
    output:
        f"{MADE}/{DATA}.{{identity}}.safetensors",
    log:
        f"{LOGS}/prepare/{DATA}.{{identity}}.log",
    wildcard_constraints:
        kind="tasks|images",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Prepare {wildcards.kind} {wildcards.data}"
    script:
        "../scripts/stage.py"


# Networks that checkpoint files have are not trained again.
rule train:
    input:
        data=made(f"runs/{GROUP}.json", "data"),
        smaller=made(f"runs/{GROUP}.json", "after"),
    output:
        f"{MADE}/runs/{GROUP}.{{identity}}.json",
    log:
        f"{LOGS}/train/{GROUP}.{{identity}}.log",
    benchmark:
        f"{BENCHMARKS}/train/{GROUP}.{{identity}}.tsv"
    # Long jobs come first, so that none runs alone at the end.
    priority: asked(f"runs/{GROUP}.json", "minutes")
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        mem_mb=asked(f"runs/{GROUP}.json", "megabytes"),
        runtime=asked(f"runs/{GROUP}.json", "minutes"),
        # Training that is lost at most when the job dies, or an epoch of a network on images.
        flush_seconds=10,
    message:
        "Train {wildcards.study} {wildcards.sweep}, {wildcards.group} ({threads} core, {resources.mem_mb} MB, {resources.runtime} min, {resources.device})"
    script:
        "../scripts/stage.py"


rule measure:
    input:
        data=made(f"metrics/{GROUP}.parquet", "data"),
        runs=made(f"metrics/{GROUP}.parquet", "runs"),
        smaller=made(f"metrics/{GROUP}.parquet", "after"),
    output:
        f"{MADE}/metrics/{GROUP}.{{identity}}.parquet",
    log:
        f"{LOGS}/measure/{GROUP}.{{identity}}.log",
    benchmark:
        f"{BENCHMARKS}/measure/{GROUP}.{{identity}}.tsv"
    # Long jobs come first, so that none runs alone at the end.
    priority: asked(f"metrics/{GROUP}.parquet", "minutes")
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        mem_mb=asked(f"metrics/{GROUP}.parquet", "megabytes"),
        runtime=asked(f"metrics/{GROUP}.parquet", "minutes"),
    message:
        "Measure {wildcards.study} {wildcards.sweep}, {wildcards.group} ({threads} core, {resources.mem_mb} MB, {resources.runtime} min, {resources.device})"
    script:
        "../scripts/stage.py"
