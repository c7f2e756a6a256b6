# Reproduces papers on the geometry of learned representations: the studies that config.yaml names.
#
#   snakemake                         every figure, at the papers' scale
#   snakemake structure               the figures of one study
#   snakemake --config preview=true   the preview, into results/preview
#   snakemake --configfile mine.yaml  what another config says, into results/own/mine
#
# How it runs (cores, threads, devices) is in profiles/default, which Snakemake finds by itself.
from snakemake.utils import min_version

min_version("9.27")


include: "workflow/rules/common.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        targets([path for study in PLAN.studies for path in files_of(study)]),
    message:
        "All studies are there"


for study in PLAN.studies:

    rule:
        name:
            study
        input:
            targets(files_of(study)),
        message:
            "The study {rule} is there"


# The page of each study; `make report`.
rule write_reports:
    input:
        [f"{RESULTS}/{layout.REPORT.format(study=study)}" for study in PLAN.studies],
