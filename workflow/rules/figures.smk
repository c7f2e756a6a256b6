rule tabulate:
    input:
        metrics=lambda w: of_shards(layout.METRICS, firsts_of(drawn_shards(w))),
        measured=lambda w: of_shards(layout.done("measure"), firsts_of(drawn_shards(w))),
        pairs=lambda w: [
            f"{RESULTS}/{layout.PAIRS.format(**tile.place)}"
            for tile in PLAN.tiles_of(Product(w.study, w.figure))
        ],
        compared=lambda w: [
            f"{RESULTS}/{layout.done('compare').format(**tile.place)}"
            for tile in PLAN.tiles_of(Product(w.study, w.figure))
        ],
    output:
        table=f"{RESULTS}/{layout.TABLE}",
    log:
        f"{RESULTS}/logs/tabulate/{{study}}/{{figure}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: job_of(layout.TABLE, wildcards),
        identity=lambda w: identity_of(layout.TABLE, w),
        metrics=lambda w, input: of_shards(layout.METRICS, drawn_shards(w)),
    message:
        "Collect the rows of {wildcards.study} {wildcards.figure}"
    shell:
        "printf '%s\\0' --job {params.job:q}"
        " --metrics {params.metrics:q} --pairs {input.pairs:q} |"
        " python -m repatlas tabulate - --identity {params.identity}"
        " --output {output.table} 2> {log}"


rule plot:
    input:
        table=rules.tabulate.output.table,
    output:
        pdf=f"{RESULTS}/{layout.PDF}",
        png=report(
            f"{RESULTS}/{layout.PNG}",
            # One file for all figures: Snakemake fills no wildcards into this path.
            caption="../report/figures.rst",
            category="Figures",
            subcategory="{study}",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{RESULTS}/logs/plot/{{study}}/{{figure}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: job_of(layout.PDF, wildcards),
        identity=lambda w: identity_of(layout.PDF, w),
        caption=lambda w: caption(PLAN, Product(w.study, w.figure)),
    message:
        "Draw {wildcards.study} {wildcards.figure}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas plot - --identity {params.identity}"
        " --table {input.table} --output {output.pdf} --png {output.png} 2> {log}"
