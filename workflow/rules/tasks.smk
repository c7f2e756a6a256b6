rule make_tasks:
    output:
        f"{RESULTS}/tasks/{{family}}/seed-{{seed}}.safetensors",
    log:
        f"{RESULTS}/logs/make_tasks/{{family}}/seed-{{seed}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: JOBS[
            f"{RESULTS}/tasks/{wildcards.family}/seed-{wildcards.seed}.safetensors"
        ],
        identity=lambda w: IDENTITIES[f"{RESULTS}/tasks/{w.family}/seed-{w.seed}.safetensors"],
    message:
        "Draw the tasks of {wildcards.family}, seed {wildcards.seed}"
    shell:
        "printf '%s\\0' --job {params.job:q} |"
        " python -m repatlas make_tasks - --output {output} 2> {log}"
