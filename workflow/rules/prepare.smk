rule prepare:
    output:
        f"{RESULTS}/{layout.DATA}",
    log:
        f"{RESULTS}/logs/prepare/{{experiment}}/{{data}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        words=lambda w: words_of(layout.DATA, w),
        what=lambda w: WORDS.data(w.experiment, w.data),
    message:
        "Prepare the data of {params.what}"
    shell:
        "printf '%s\\0' {params.words} | python -m repatlas prepare - --name {output} 2> {log}"
