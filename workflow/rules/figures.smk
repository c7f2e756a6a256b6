rule tabulate:
    input:
        lambda w: inputs_of(layout.TABLE, w),
    output:
        f"{RESULTS}/{layout.TABLE}",
    log:
        f"{RESULTS}/logs/tabulate/{{study}}/{{figure}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        words=lambda w: words_of(layout.TABLE, w),
    message:
        "Collect the rows of {wildcards.study} {wildcards.figure}"
    shell:
        "printf '%s\\0' {params.words} | python -m repatlas tabulate - --name {output} 2> {log}"


rule plot:
    input:
        lambda w: inputs_of(layout.PDF, w),
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
        words=lambda w: words_of(layout.PDF, w),
        caption=lambda w: caption(PLAN, Product(w.study, w.figure)),
    message:
        "Draw {wildcards.study} {wildcards.figure}"
    shell:
        "printf '%s\\0' {params.words} | python -m repatlas plot - --name {output.pdf} 2> {log}"
