rule train:
    input:
        tasks=rules.make_tasks.output[0],
    output:
        # The job keeps the networks that the file has and trains those that it lacks.
        runs=update(f"{RESULTS}/runs/{{family}}/seed-{{seed}}.safetensors"),
    log:
        f"{RESULTS}/logs/train/{{family}}/seed-{{seed}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/train/{{family}}/seed-{{seed}}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        device="auto",
    params:
        job=lambda wildcards: PLAN.train_job(wildcards.family, int(wildcards.seed)),
        twin=f"{PLAN.twin}/runs/{{family}}/seed-{{seed}}.safetensors",
    message:
        "Train the networks of {wildcards.family}, seed {wildcards.seed}"
    shell:
        "python -m repgeom train --job {params.job:q}"
        " --tasks {input.tasks} --twin {params.twin} --device {resources.device}"
        " --output {output.runs} 2> {log}"
