rule compare:
    input:
        data=lambda w: data_of_tile(w),
        # None where nothing is trained.
        runs=lambda w: runs_of_tile(w, layout.RUNS),
        trained=lambda w: runs_of_tile(w, layout.done("train")),
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
        mem_mb=lambda w, attempt: attempt * of_comparing(JOBS[at(layout.PAIRS, w)]).megabytes,
        runtime=lambda w, attempt: attempt * of_comparing(JOBS[at(layout.PAIRS, w)]).minutes,
    params:
        job=lambda w: JOBS[at(layout.PAIRS, w)],
        identity=lambda w: IDENTITIES[at(layout.PAIRS, w)],
    message:
        "Compare {wildcards.tile} of {wildcards.comparison}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas compare - --identity {params.identity}"
        " --data {input.data:q} --runs {input.runs:q} --output {output.pairs} 2> {log}"
