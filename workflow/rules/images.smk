rule prepare_images:
    output:
        train=f"{RESULTS}/images/{{data_set}}/train.safetensors",
        test=f"{RESULTS}/images/{{data_set}}/test.safetensors",
    log:
        f"{RESULTS}/logs/prepare_images/{{data_set}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        job=lambda wildcards: PLAN.prepare_images_job(wildcards.data_set),
        identity=lambda w: IDENTITIES[f"{RESULTS}/images/{w.data_set}/train.safetensors"],
        source=lambda wildcards: PLAN.image_source_options(wildcards.data_set),
    message:
        "Read and check the images of {wildcards.data_set}"
    shell:
        "python -m repgeom prepare_images --job {params.job:q} {params.source:q}"
        " --train {output.train} --test {output.test} 2> {log}"
