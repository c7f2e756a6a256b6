rule tabulate:
    input:
        metrics=lambda wildcards: [
            f"{RESULTS}/metrics/{family}/seed-{seed}.parquet"
            for family, seed in PLAN.figure_shards(wildcards.figure)
        ],
        measured=lambda wildcards: [
            f"{RESULTS}/done/measure/{family}/seed-{seed}"
            for family, seed in PLAN.figure_shards(wildcards.figure)
        ],
        images=lambda wildcards: [
            f"{RESULTS}/image_metrics/{family}/seed-{seed}.parquet"
            for family, seed in PLAN.figure_image_shards(wildcards.figure)
        ],
    output:
        table=f"{RESULTS}/tables/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/tabulate/{{figure}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: JOBS[f"{RESULTS}/tables/{wildcards.figure}.parquet"],
        identity=lambda w: IDENTITIES[f"{RESULTS}/tables/{w.figure}.parquet"],
    message:
        "Collect the rows of {wildcards.figure}"
    shell:
        "printf '%s\\0' --job {params.job:q}"
        " --metrics {input.metrics:q} --image-metrics {input.images:q} |"
        " python -m repatlas tabulate - --identity {params.identity}"
        " --output {output.table} 2> {log}"


rule plot:
    input:
        table=rules.tabulate.output.table,
    output:
        pdf=f"{RESULTS}/figures/{{figure}}.pdf",
        png=report(
            f"{RESULTS}/figures/{{figure}}.png",
            # One file for all figures: Snakemake fills no wildcards into this path.
            caption="../report/figures.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{RESULTS}/logs/plot/{{figure}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: JOBS[f"{RESULTS}/figures/{wildcards.figure}.pdf"],
        identity=lambda w: IDENTITIES[f"{RESULTS}/figures/{w.figure}.pdf"],
        # For the caption.
        facts=lambda wildcards: PLAN.facts(wildcards.figure),
    message:
        "Draw {wildcards.figure}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas plot - --identity {params.identity}"
        " --table {input.table} --output {output.pdf} --png {output.png} 2> {log}"
