rule measure:
    input:
        data=lambda w: data_of(shard_of(w)),
        # None where nothing is trained.
        runs=lambda w: runs_of(layout.RUNS, shard_of(w)),
        trained=lambda w: runs_of(layout.done("train"), shard_of(w)),
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
        * allocation("measure", job_of(layout.METRICS, w), number_of(w)).megabytes,
        runtime=lambda w, attempt: attempt
        * allocation("measure", job_of(layout.METRICS, w), number_of(w)).minutes,
    params:
        job=lambda w: job_of(layout.METRICS, w),
        identity=lambda w: identity_of(layout.METRICS, w),
        twin=f"{PLAN.twin}/{layout.METRICS}",
        others=lambda w, resources: others_of(w, "measure", "--device", resources.device),
        done=lambda w, input: done_of(w, "measure"),
        what=lambda w, input: networks_in_words(w),
    message:
        "Measure {params.what}"
    shell:
        "printf '%s\\0' {params.others:q} --job {params.job:q} |"
        " python -m repatlas measure - --identity {params.identity}"
        " --data {input.data} --runs {input.runs:q} --twin {params.twin}"
        " --device {resources.device} --output {output.metrics} 2> {log}"
        " && touch {output.done} {params.done:q}"
