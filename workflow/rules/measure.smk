rule measure:
    input:
        tasks=rules.make_tasks.output[0],
        runs=rules.train.output.runs,
        trained=rules.train.output.done,
    output:
        metrics=update(f"{RESULTS}/metrics/{{family}}/seed-{{seed}}.parquet"),
        done=touch(f"{RESULTS}/done/measure/{{family}}/seed-{{seed}}"),
    log:
        f"{RESULTS}/logs/measure/{{family}}/seed-{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure/{{family}}/seed-{{seed}}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        # For a cluster; on one machine nobody counts them.
        mem_mb=lambda w, attempt: attempt
        * allocation(
            "measure", JOBS[f"{RESULTS}/metrics/{w.family}/seed-{w.seed}.parquet"]
        ).megabytes,
        runtime=lambda w, attempt: attempt
        * allocation(
            "measure", JOBS[f"{RESULTS}/metrics/{w.family}/seed-{w.seed}.parquet"]
        ).minutes,
    params:
        job=lambda wildcards: JOBS[
            f"{RESULTS}/metrics/{wildcards.family}/seed-{wildcards.seed}.parquet"
        ],
        identity=lambda w: IDENTITIES[f"{RESULTS}/metrics/{w.family}/seed-{w.seed}.parquet"],
        twin=f"{PLAN.twin}/metrics/{{family}}/seed-{{seed}}.parquet",
    message:
        "Measure the networks of {wildcards.family}, seed {wildcards.seed}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas measure - --identity {params.identity}"
        " --tasks {input.tasks} --runs {input.runs} --twin {params.twin}"
        " --output {output.metrics} 2> {log}"
