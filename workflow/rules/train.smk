rule train:
    input:
        lambda w: inputs_of(layout.RUNS, w),
    output:
        # A link. The networks are in the store, and the job takes what other versions have of them.
        f"{RESULTS}/{layout.RUNS}",
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
        mem_mb=lambda w, attempt: attempt * requested(layout.RUNS, w).megabytes,
        runtime=lambda w, attempt: attempt * requested(layout.RUNS, w).minutes,
    params:
        words=lambda w, resources: words_of(
            *(layout.RUNS, w, "--device", resources.device),
            *("--flush-seconds", str(resources.flush_seconds)),
        ),
        what=lambda w: networks_in_words(layout.RUNS, w),
    message:
        "Train {params.what}"
    shell:
        "printf '%s\\0' {params.words} | python -m repatlas train - --name {output} 2> {log}"
