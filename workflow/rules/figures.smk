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
        # Not removed before the job: another workflow may have made it meanwhile.
        table=update(f"{STORE}/{layout.stored(layout.TABLE, '{id}')}"),
    log:
        f"{RESULTS}/logs/tabulate/{{study}}/{{figure}}.{{id}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: job_of(layout.TABLE, wildcards),
        identity=lambda w: identity_of(layout.TABLE, w),
        name=lambda w: at(layout.TABLE, w),
        metrics=lambda w, input: of_shards(layout.METRICS, drawn_shards(w)),
    message:
        "Collect the rows of {wildcards.study} {wildcards.figure}"
    shell:
        "printf '%s\\0' --job {params.job:q}"
        " --metrics {params.metrics:q} --pairs {input.pairs:q} |"
        " python -m repatlas tabulate - --identity {params.identity}"
        " --output {output.table} --name {params.name:q} 2> {log}"


rule plot:
    input:
        table=lambda w: stored_at(layout.TABLE, w),
    output:
        pdf=update(f"{STORE}/{layout.stored(layout.PDF, '{id}')}"),
        png=report(
            update(f"{STORE}/{layout.stored(layout.PNG, '{id}')}"),
            # One file for all figures: Snakemake fills no wildcards into this path.
            caption="../report/figures.rst",
            category="Figures",
            subcategory="{study}",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{RESULTS}/logs/plot/{{study}}/{{figure}}.{{id}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: job_of(layout.PDF, wildcards),
        identity=lambda w: identity_of(layout.PDF, w),
        name=lambda w: at(layout.PDF, w),
        caption=lambda w: caption(PLAN, Product(w.study, w.figure)),
    message:
        "Draw {wildcards.study} {wildcards.figure}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas plot - --identity {params.identity}"
        " --table {input.table} --output {output.pdf} --png {output.png}"
        " --name {params.name:q} 2> {log}"
