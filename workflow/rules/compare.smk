rule compare:
    input:
        data=lambda w: data_of(*firsts_of(shards_of_tile(w))),
        # None where nothing is trained.
        runs=lambda w: runs_of(layout.RUNS, *firsts_of(shards_of_tile(w))),
        trained=lambda w: runs_of(layout.done("train"), *firsts_of(shards_of_tile(w))),
    output:
        # The job keeps the pairs that the file has and compares those that it lacks.
        pairs=update(f"{RESULTS}/{layout.PAIRS}"),
        done=touch(f"{RESULTS}/{layout.done('compare')}"),
    log:
        f"{RESULTS}/logs/compare/{layout.TILE}.log",
    benchmark:
        f"{RESULTS}/benchmarks/compare/{layout.TILE}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        # For a cluster; on one machine nobody counts them.
        mem_mb=lambda w, attempt: attempt * of_comparing(job_of(layout.PAIRS, w)).megabytes,
        runtime=lambda w, attempt: attempt * of_comparing(job_of(layout.PAIRS, w)).minutes,
    params:
        job=lambda w: job_of(layout.PAIRS, w),
        identity=lambda w: identity_of(layout.PAIRS, w),
        data=lambda w, input: data_of(*shards_of_tile(w)),
        runs=lambda w, input: runs_of(layout.RUNS, *shards_of_tile(w)),
        what=lambda w, input: WORDS.of_tile(tile_of(w)),
    message:
        "Compare {params.what}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas compare - --identity {params.identity}"
        " --data {params.data:q} --runs {params.runs:q} --output {output.pairs} 2> {log}"
