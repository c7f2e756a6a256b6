rule compare:
    input:
        lambda w: inputs_of(layout.PAIRS, w),
    output:
        f"{RESULTS}/{layout.PAIRS}",
    log:
        f"{RESULTS}/logs/compare/{layout.TILE}.log",
    benchmark:
        f"{RESULTS}/benchmarks/compare/{layout.TILE}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        # For a cluster; on one machine nobody counts them.
        mem_mb=lambda w, attempt: attempt * requested(layout.PAIRS, w).megabytes,
        runtime=lambda w, attempt: attempt * requested(layout.PAIRS, w).minutes,
    params:
        # The stage compares networks, or representations in files.
        stage=lambda w: EXPECTED[named(layout.PAIRS, w)].stage,
        words=lambda w: words_of(layout.PAIRS, w),
        what=lambda w: WORDS.tile(PLAN.tile_of[named(layout.PAIRS, w)]),
    message:
        "Compare {params.what}"
    shell:
        "printf '%s\\0' {params.words} |"
        " python -m repatlas {params.stage} - --name {output} 2> {log}"
