rule prepare:
    output:
        f"{RESULTS}/{layout.DATA}",
    log:
        f"{RESULTS}/logs/prepare/{{experiment}}/{{data}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda w: job_of(layout.DATA, w),
        identity=lambda w: identity_of(layout.DATA, w),
        source=lambda w: json.dumps(PLAN.source(w.experiment, w.data)),
        others=lambda w, input: others_of(w, "prepare"),
        what=lambda w, input: data_in_words(w),
    message:
        "Prepare the data of {params.what}"
    shell:
        "printf '%s\\0' {params.others:q} --job {params.job:q} --source {params.source:q} |"
        " python -m repatlas prepare - --identity {params.identity} --output {output} 2> {log}"
