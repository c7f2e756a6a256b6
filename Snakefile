# Reproduces papers on the geometry of learned representations: the studies that config.yaml names.
#
#   snakemake                         every figure, at the papers' scale
#   snakemake structure               the figures of one study
#   snakemake --config preview=true   the preview, into results/preview
#   snakemake --configfile mine.yaml  what another config says, into results/own/mine
#
# How it runs (cores, threads, devices) is in profiles/default, which Snakemake finds by itself.
#
# `include:` would lose the default target.
workflow.include("workflow/Snakefile", overwrite_default_target=True)
