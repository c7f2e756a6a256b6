import json
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.io import IOFile
from snakemake.logging import logger
from snakemake.utils import update_config

# The code beside this Snakefile, as in the jobs below, and not what the environment has installed.
sys.path.insert(0, str(Path(workflow.basedir) / "src"))

from repgeom.allocation import allocation
from repgeom.config import read_config
from repgeom.config_file import check_options, read_values, results_of
from repgeom.front_door import into_the_present, no_files, put_aside, sort_out
from repgeom.images.folders import check_folders
from repgeom.plan import Plan, expected_files, set_aside
from repgeom.refusals import Refused
from repgeom.sizes import check_sizes
from repgeom.slurm import await_jobs_of, never_ask_a_missing_database
from repgeom.succession import start_again, succeed
from repgeom.termination import hear_sigterm_in_a_thread

for folder in (workflow.basedir, os.getcwd()):
    if {"{", "}"} & set(str(folder)):
        sys.exit(
            f"{folder}: found a brace, which Snakemake takes for a wildcard; rename the folder"
        )

# A config of one's own stands alone: Snakemake's `configfile:` would merge it with config.yaml. It
# would also take the last of two equal keys.
try:
    check_options(sys.argv[1:])
    FOLDER, CONFIG_FILE = results_of(workflow.config_settings.configfiles)
    CONFIG = read_values(CONFIG_FILE)
    update_config(CONFIG, dict(workflow.config_settings.config))
    PLAN = Plan(read_config(CONFIG, CONFIG_FILE.name), FOLDER)
    check_folders(PLAN)
    # Not again in its jobs. Only a cluster's executor has a number of nodes.
    if workflow.is_main_process:
        check_sizes(PLAN, CONFIG_FILE.name, workflow.resource_settings.nodes is not None)
    EXPECTED = expected_files(PLAN)
except Refused as error:
    # Not a WorkflowError, which `--quiet all` would hide.
    sys.exit(str(error))

RESULTS = PLAN.results
# By file: what it depends on.
JOBS = {str(path): wanted.job for path, wanted in EXPECTED.items()}
# A param of every rule, for what a job was made from: when a job fails, Snakemake forgets that it
# was to run. What is below it then still knows, since it has not got its own identity yet.
IDENTITIES = {str(path): wanted.identity for path, wanted in EXPECTED.items()}
FIGURES = expand(f"{RESULTS}/figures/{{figure}}.{{type}}", figure=PLAN.figures, type=["pdf", "png"])
TABLES = expand(f"{RESULTS}/tables/{{figure}}.parquet", figure=PLAN.figures)
CLAIMS = f"{RESULTS}/claims/claims.parquet"
# Claims are about all figures.
JUDGED = [CLAIMS] if PLAN.whole is PLAN else []
# Of the sweeps that no figure draws.
METRICS = [
    place.format(family=family, seed=seed)
    for name in PLAN.data_sweeps
    for family, seed in PLAN.sweep_shards(name)
    for place in (
        f"{RESULTS}/metrics/{{family}}/seed-{{seed}}.parquet",
        f"{RESULTS}/done/measure/{{family}}/seed-{{seed}}",
    )
]

# What the user's shell tells Python is not for the jobs: -OO strips texts that they print, warnings may
# be errors. Caches change no result.
for name in [name for name in os.environ if name.startswith("PYTHON")]:
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        del os.environ[name]
os.environ.update(
    PYTHONUTF8="1",
    # Jobs run the code beside this Snakefile, also in a conda environment without it.
    PYTHONPATH=str(Path(workflow.basedir) / "src"),
    # Not a param of the rules: results stay what they are when other code is accepted for them.
    REPGEOM_ACCEPT_CODE=json.dumps(PLAN.config.accept_code),
)


# Before Snakemake looks at them: it trips over a link to nothing, in a dry run, too.
for sentence in put_aside(no_files(EXPECTED)):
    logger.warning(sentence)


def put_right(wildcards):
    """Input of `all`, so of the plain command alone: what was set aside is made again even where
    nothing needs it any more, as a lost file would not be; what is stale, too, though Snakemake's
    records may say that it isn't."""
    foreign, stale = sort_out(EXPECTED)
    if workflow.dryrun:
        for path, reason in foreign.items():
            logger.warning(f"{path}: {reason}; to be set aside")
        workflow.dag.forcefiles.update(map(str, foreign))
    else:
        for sentence in put_aside(foreign):
            logger.warning(sentence)
    if unnoticed := [path for path in map(str, stale) if not noticed(path)]:
        logger.warning(
            f"Not what the config and the code imply, and made again: {', '.join(unnoticed[:5])}"
            + (f" and {len(unnoticed) - 5} more" if len(unnoticed) > 5 else "")
        )
        workflow.dag.forcefiles.update(unnoticed)
    return [str(path) for path in (*set_aside(EXPECTED), *foreign)]


def noticed(path):
    """Whether Snakemake knows that a stale file is one: its job had other params."""
    recorded = workflow.persistence.params(IOFile(path))
    wanted = EXPECTED[Path(path)]
    return recorded is not None and not {repr(wanted.job), repr(wanted.identity)} <= {*recorded}


if (Path(RESULTS) / "runs").exists() and not Path(".snakemake/metadata").exists():
    logger.warning(
        f"Snakemake's records of {RESULTS} are lost. What is not what the config and the code imply"
        " is made again all the same; `make verify` says what is fresh, `make adopt` records it."
    )


onstart:
    hear_sigterm_in_a_thread()
    try:
        succeed(Path(RESULTS), logger.warning)
        into_the_present([Path(RESULTS), Path(workflow.basedir) / "workflow/report"])
        if workflow.executor_plugin.name == "slurm":
            never_ask_a_missing_database()
            if await_jobs_of(workflow.executor_settings.jobname_prefix, logger.warning):
                logger.warning("They have ended. Planning again, with what they made.")
                start_again(Path(RESULTS))
    except RuntimeError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        raise WorkflowError("Interrupted. What is on the cluster goes on.")


report: "../report/workflow.rst"


wildcard_constraints:
    family=r"[a-z][a-z0-9_]*(-[a-z]\d+)+-[0-9a-f]{6}",
    seed=r"\d+",
    figure=r"fig\w+",
    data_set=r"[a-z0-9_]+",
    images=r"[a-z0-9]+(-[a-z0-9]+)+-w\d+-d\d+",
