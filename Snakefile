# Reproduces papers on the geometry of learned representations: the studies that config.yaml names.
#
#   snakemake                           every figure, at the papers' scale
#   snakemake structure                 the figures of one study
#   snakemake structure/fig02           one figure, and the networks that it needs
#   snakemake reports                   a page of each study: figures, captions, claims
#   snakemake --config preview=true     the preview, into results/preview
#   snakemake --configfile mine.yaml    what another config says, into results/own/mine
#
# How it runs (cores, threads, devices) is in profiles/default, which Snakemake finds by itself.
from snakemake.utils import min_version

min_version("9.27")


include: "workflow/rules/common.smk"
include: "workflow/rules/networks.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


# Targets: all, reports, a study, a figure, a sweep, or a file by the name that users read.
for target, names in PLAN.targets().items():

    # A rule with a body is something to do, so that `onstart` sets the names that lead elsewhere.
    if ASTRAY:

        rule:
            name:
                target
            default_target: target == "all"
            input:
                [PLAN.made(name) for name in names],
            log:
                f"{LOGS}/names.log",
            localrule: True
            conda:
                "envs/environment.yaml"
            message:
                "{rule} is there"
            shell:
                "true"

    else:

        rule:
            name:
                target
            default_target: target == "all"
            input:
                [PLAN.made(name) for name in names],


# A target that the config lacks ends in a sentence.
rule lacks:
    input:
        lambda wildcards: sys.exit(unknown(wildcards.target, PLAN, config["file"])),
    output:
        "{target}",
    wildcard_constraints:
        target=r"\w+(/\w+)?",
