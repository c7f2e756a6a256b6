rule train:
    input:
        data=lambda w: data_of(shard_of(w)),
    output:
        # The job keeps the networks that the file has and trains those that it lacks.
        runs=update(f"{RESULTS}/{layout.RUNS}"),
        # When an update fails, Snakemake puts the old file back and forgets what it was made from,
        # so that it would count as up to date. This one is then missing.
        done=touch(f"{RESULTS}/{layout.done('train')}"),
    log:
        f"{RESULTS}/logs/train/{layout.SHARD}.log",
    benchmark:
        f"{RESULTS}/benchmarks/train/{layout.SHARD}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        # Training that is lost at most when the job dies, or an epoch of a network on images; a flush
        # takes some hundredths of a second.
        flush_seconds=10,
        # For a cluster and a CPU core; on one machine nobody counts them.
        mem_mb=lambda w, attempt: attempt
        * allocation("train", job_of(layout.RUNS, w), number_of(w)).megabytes,
        runtime=lambda w, attempt: attempt
        * allocation("train", job_of(layout.RUNS, w), number_of(w)).minutes,
    params:
        job=lambda w: job_of(layout.RUNS, w),
        identity=lambda w: identity_of(layout.RUNS, w),
        twin=f"{PLAN.twin}/{layout.RUNS}",
        others=lambda w, resources: others_of(
            *(w, "train", "--device", resources.device),
            *("--flush-seconds", resources.flush_seconds),
        ),
        done=lambda w, input: done_of(w, "train"),
        what=lambda w, input: networks_in_words(w),
    message:
        "Train networks of {params.what}"
    shell:
        "printf '%s\\0' {params.others:q} --job {params.job:q} |"
        " python -m repatlas train - --identity {params.identity}"
        " --data {input.data} --twin {params.twin} --device {resources.device}"
        " --flush-seconds {resources.flush_seconds}"
        " --output {output.runs} 2> {log}"
        " && touch {output.done} {params.done:q}"
