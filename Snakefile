# Reproduces the figures of "Task structure and nonlinearity jointly determine learned
# representational geometry" (Alleman, Lindsey & Fusi, ICLR 2024).
#
#   snakemake                         every figure, at the paper's scale
#   snakemake --config preview=true   the preview, into results/preview
#   snakemake --configfile mine.yaml  what another config says, into results/own/mine
#   snakemake verify                  is every file what the config and the code imply?
#   snakemake complete                makes what is missing, also where nothing needs it
#
# How it runs (cores, threads, devices) is in profiles/default, which Snakemake finds by itself.
from snakemake.utils import min_version

min_version("9.27")


include: "workflow/rules/common.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/measure.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/verify.smk"


rule all:
    default_target: True
    input:
        FIGURES,
        TABLES,
        JUDGED,
        METRICS,
        put_right,


# Also what was lost and nothing needs any more.
rule complete:
    input:
        EXPECTED,
