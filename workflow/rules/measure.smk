rule measure:
    input:
        data=lambda w: data_of(w),
        # None where nothing is trained.
        runs=lambda w: runs_of(w, layout.RUNS),
        trained=lambda w: runs_of(w, layout.done("train")),
    output:
        metrics=update(f"{RESULTS}/{layout.METRICS}"),
        done=touch(f"{RESULTS}/{layout.done('measure')}"),
    log:
        f"{RESULTS}/logs/measure/{layout.SHARD}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure/{layout.SHARD}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        # For a cluster and a CPU core; on one machine nobody counts them.
        mem_mb=lambda w, attempt: attempt
        * allocation("measure", JOBS[at(layout.METRICS, w)]).megabytes,
        runtime=lambda w, attempt: attempt
        * allocation("measure", JOBS[at(layout.METRICS, w)]).minutes,
    params:
        job=lambda w: JOBS[at(layout.METRICS, w)],
        identity=lambda w: IDENTITIES[at(layout.METRICS, w)],
        twin=f"{PLAN.twin}/{layout.METRICS}",
    message:
        "Measure the networks of {wildcards.family}, seed {wildcards.seed}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas measure - --identity {params.identity}"
        " --data {input.data} --runs {input.runs:q} --twin {params.twin}"
        " --device {resources.device} --output {output.metrics} 2> {log}"
