rule prepare_images:
    output:
        train=f"{RESULTS}/images/{{data_set}}/train.safetensors",
        test=f"{RESULTS}/images/{{data_set}}/test.safetensors",
    log:
        f"{RESULTS}/logs/prepare_images/{{data_set}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: JOBS[f"{RESULTS}/images/{wildcards.data_set}/train.safetensors"],
        # Of both files.
        train=lambda w: IDENTITIES[f"{RESULTS}/images/{w.data_set}/train.safetensors"],
        test=lambda w: IDENTITIES[f"{RESULTS}/images/{w.data_set}/test.safetensors"],
        source=lambda wildcards: PLAN.image_source_options(wildcards.data_set),
    message:
        "Read and check the images of {wildcards.data_set}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas prepare_images - {params.source:q}"
        " --train {output.train} --test {output.test} 2> {log}"


rule train_images:
    input:
        images=lambda w: f"{RESULTS}/images/{PLAN.data_set_of(w.images)}/train.safetensors",
    output:
        # As in train: the job keeps the networks that the file has.
        runs=update(f"{RESULTS}/image_runs/{{images}}/seed-{{seed}}.safetensors"),
        done=touch(f"{RESULTS}/done/train_images/{{images}}/seed-{{seed}}"),
    log:
        f"{RESULTS}/logs/train_images/{{images}}/seed-{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/train_images/{{images}}/seed-{{seed}}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        # Training that is lost at most when the job dies, beside an epoch.
        flush_seconds=60,
        # For a cluster and a CPU core; profiles/gpu has others.
        mem_mb=lambda w, attempt: attempt
        * allocation(
            "train_images", JOBS[f"{RESULTS}/image_runs/{w.images}/seed-{w.seed}.safetensors"]
        ).megabytes,
        runtime=lambda w, attempt: attempt
        * allocation(
            "train_images", JOBS[f"{RESULTS}/image_runs/{w.images}/seed-{w.seed}.safetensors"]
        ).minutes,
    params:
        job=lambda wildcards: JOBS[
            f"{RESULTS}/image_runs/{wildcards.images}/seed-{wildcards.seed}.safetensors"
        ],
        identity=lambda w: IDENTITIES[f"{RESULTS}/image_runs/{w.images}/seed-{w.seed}.safetensors"],
        twin=f"{PLAN.twin}/image_runs/{{images}}/seed-{{seed}}.safetensors",
    message:
        "Train the networks of {wildcards.images}, seed {wildcards.seed}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas train_images - --identity {params.identity}"
        " --images {input.images} --twin {params.twin} --device {resources.device}"
        " --flush-seconds {resources.flush_seconds}"
        " --output {output.runs} 2> {log}"


rule measure_images:
    input:
        train=lambda w: f"{RESULTS}/images/{PLAN.data_set_of(w.images)}/train.safetensors",
        test=lambda w: f"{RESULTS}/images/{PLAN.data_set_of(w.images)}/test.safetensors",
        runs=rules.train_images.output.runs,
        trained=rules.train_images.output.done,
    output:
        metrics=f"{RESULTS}/image_metrics/{{images}}/seed-{{seed}}.parquet",
    log:
        f"{RESULTS}/logs/measure_images/{{images}}/seed-{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure_images/{{images}}/seed-{{seed}}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        mem_mb=lambda w, attempt: attempt
        * allocation(
            "measure_images", JOBS[f"{RESULTS}/image_metrics/{w.images}/seed-{w.seed}.parquet"]
        ).megabytes,
        runtime=lambda w, attempt: attempt
        * allocation(
            "measure_images", JOBS[f"{RESULTS}/image_metrics/{w.images}/seed-{w.seed}.parquet"]
        ).minutes,
    params:
        job=lambda wildcards: JOBS[
            f"{RESULTS}/image_metrics/{wildcards.images}/seed-{wildcards.seed}.parquet"
        ],
        identity=lambda w: IDENTITIES[f"{RESULTS}/image_metrics/{w.images}/seed-{w.seed}.parquet"],
    message:
        "Measure the networks of {wildcards.images}, seed {wildcards.seed}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas measure_images - --identity {params.identity}"
        " --train-images {input.train} --test-images {input.test} --runs {input.runs}"
        " --device {resources.device} --output {output.metrics} 2> {log}"
