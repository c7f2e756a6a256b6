rule train:
    input:
        tasks=rules.make_tasks.output[0],
    output:
        # The job keeps the networks that the file has and trains those that it lacks.
        runs=update(f"{RESULTS}/runs/{{family}}/seed-{{seed}}.safetensors"),
        # When an update fails, Snakemake puts the old file back and forgets what it was made from,
        # so that it would count as up to date. This one is then missing.
        done=touch(f"{RESULTS}/done/train/{{family}}/seed-{{seed}}"),
    log:
        f"{RESULTS}/logs/train/{{family}}/seed-{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/train/{{family}}/seed-{{seed}}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        # Training that is lost at most when the job dies; a flush takes some hundredths of a second.
        flush_seconds=10,
        # For a cluster; on one machine nobody counts them.
        mem_mb=lambda w, attempt: attempt
        * allocation(
            "train", JOBS[f"{RESULTS}/runs/{w.family}/seed-{w.seed}.safetensors"]
        ).megabytes,
        runtime=lambda w, attempt: attempt
        * allocation("train", JOBS[f"{RESULTS}/runs/{w.family}/seed-{w.seed}.safetensors"]).minutes,
    params:
        job=lambda wildcards: JOBS[
            f"{RESULTS}/runs/{wildcards.family}/seed-{wildcards.seed}.safetensors"
        ],
        identity=lambda w: IDENTITIES[f"{RESULTS}/runs/{w.family}/seed-{w.seed}.safetensors"],
        twin=f"{PLAN.twin}/runs/{{family}}/seed-{{seed}}.safetensors",
    message:
        "Train the networks of {wildcards.family}, seed {wildcards.seed}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas train - --identity {params.identity}"
        " --tasks {input.tasks} --twin {params.twin} --device {resources.device}"
        " --flush-seconds {resources.flush_seconds}"
        " --output {output.runs} 2> {log}"
