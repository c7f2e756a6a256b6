PAIRS = "comparisons/{study}/{comparison}/{part}.parquet"
FIGURE = "{study}/tables/{figure}.parquet"
CLAIMS = "{study}/claims/claims.parquet"
MULTIVERSE = "{study}/figures/multiverse.pdf"


# Pairs of networks, or of a user's arrays.
rule compare:
    input:
        data=made(PAIRS, "data"),
        runs=made(PAIRS, "runs"),
    output:
        f"{MADE}/comparisons/{{study}}/{{comparison}}/{{part}}.{{identity}}.parquet",
    log:
        f"{LOGS}/compare/{{study}}/{{comparison}}/{{part}}.{{identity}}.log",
    benchmark:
        f"{BENCHMARKS}/compare/{{study}}/{{comparison}}/{{part}}.{{identity}}.tsv"
    # Long jobs come first, so that none runs alone at the end.
    priority: asked(PAIRS, "minutes")
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=asked(PAIRS, "megabytes"),
        runtime=asked(PAIRS, "minutes"),
    message:
        "Compare {wildcards.study} {wildcards.comparison}, {wildcards.part} ({threads} core, {resources.mem_mb} MB, {resources.runtime} min)"
    script:
        "../scripts/stage.py"


# A table and its picture.
rule plot:
    input:
        metrics=made(FIGURE, "metrics"),
        pairs=made(FIGURE, "pairs"),
    output:
        table=f"{MADE}/{{study}}/tables/{{figure}}.{{identity}}.parquet",
        pdf=f"{MADE}/{{study}}/figures/{{figure}}.{{identity}}.pdf",
        png=report(
            f"{MADE}/{{study}}/figures/{{figure}}.{{identity}}.png",
            category="{study}",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{LOGS}/plot/{{study}}/{{figure}}.{{identity}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Draw {wildcards.study} {wildcards.figure}"
    script:
        "../scripts/stage.py"


rule judge:
    input:
        figures=made(CLAIMS, "figures"),
    output:
        claims=f"{MADE}/{{study}}/claims/claims.{{identity}}.parquet",
        page=f"{MADE}/{{study}}/claims/claims.{{identity}}.md",
    log:
        f"{LOGS}/judge/{{study}}.{{identity}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Judge the claims of {wildcards.study}"
    script:
        "../scripts/stage.py"


rule multiverse:
    input:
        metrics=made(MULTIVERSE, "metrics"),
        pairs=made(MULTIVERSE, "pairs"),
    output:
        pdf=f"{MADE}/{{study}}/figures/multiverse.{{identity}}.pdf",
        png=report(
            f"{MADE}/{{study}}/figures/multiverse.{{identity}}.png",
            category="{study}",
            labels={"figure": "multiverse"},
        ),
        page=f"{MADE}/{{study}}/figures/multiverse.{{identity}}.md",
        table=f"{MADE}/{{study}}/figures/multiverse.{{identity}}.parquet",
    log:
        f"{LOGS}/multiverse/{{study}}.{{identity}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Judge the claims of {wildcards.study} in each setting"
    script:
        "../scripts/stage.py"
