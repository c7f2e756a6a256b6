rule measure:
    input:
        lambda w: inputs_of(layout.METRICS, w),
    output:
        f"{RESULTS}/{layout.METRICS}",
    log:
        f"{RESULTS}/logs/measure/{layout.SHARD}.log",
    benchmark:
        f"{RESULTS}/benchmarks/measure/{layout.SHARD}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
        # For a cluster and a CPU core; on one machine nobody counts them.
        mem_mb=lambda w, attempt: attempt * requested(layout.METRICS, w).megabytes,
        runtime=lambda w, attempt: attempt * requested(layout.METRICS, w).minutes,
    params:
        words=lambda w, resources: words_of(layout.METRICS, w, "--device", resources.device),
        what=lambda w: networks_in_words(layout.METRICS, w),
    message:
        "Measure {params.what}"
    shell:
        "printf '%s\\0' {params.words} | python -m repatlas measure - --name {output} 2> {log}"
