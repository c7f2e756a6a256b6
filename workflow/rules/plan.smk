from snakemake.utils import update_config

from repatlas.artifacts.jobs import trains
from repatlas.operations.allocation import allocation, of_comparing
from repatlas.operations.batches import Batches, job_minutes
from repatlas.config.config import read_config
from repatlas.config.file import check_options
from repatlas.config.load import load, load_values
from repatlas.operations.front_door import (
    check_access,
    into_the_present,
    no_files,
    put_aside,
    sort_out,
)
from repatlas.operations.folders import check_folders
from repatlas.operations.ending import ending
from repatlas.operations.expected import expected_files, set_aside
from repatlas.plan.captions import caption, caption_of_claims
from repatlas.plan.job_words import JobWords
from repatlas.plan.places import Product, Shard
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.operations.sizes import check_sizes
from repatlas.operations.slurm import await_jobs_of, never_ask_a_missing_database
from repatlas.operations.start_rate import lift_default_limit
from repatlas.operations.succession import start_again, take_over
from repatlas.operations.terminal import Run, speak
from repatlas.operations.termination import hear_sigterm_in_a_thread
from repatlas.operations.time_left import TimeLeft, expected_seconds

PREVIEW_MINUTES = 0.5

# Of a module: `repatlas verify` and others, which find files without Snakemake, know of no prefix.
PATHS = workflow.modifier.path_modifier
if PATHS.prefix or PATHS.modifies_prefixes:
    sys.exit(
        "module: found prefix or replace_prefix, allowed: neither; results are in the folder results"
    )

# A config of one's own stands alone: Snakemake's `configfile:` would merge it with config.yaml. It
# would also take the last of two equal keys.
try:
    check_options(sys.argv[1:])
    # A module's `config:` comes as values; Snakemake has read their file, if there is one.
    if workflow.modifier.skip_configfile:
        LOADED = load_values(config)
    else:
        LOADED = load(workflow.config_settings.configfiles)
    FOLDER, CONFIG = LOADED.folder, LOADED.values
    update_config(CONFIG, dict(workflow.config_settings.config))
    PLAN = Plan(read_config(CONFIG, LOADED.file, LOADED.files), FOLDER)
    check_folders(PLAN)
    # Not again in its jobs. Only a cluster's executor has a number of nodes.
    if workflow.is_main_process:
        check_sizes(PLAN, LOADED.file, workflow.resource_settings.nodes is not None)
    EXPECTED = expected_files(PLAN)
    if workflow.is_main_process:
        check_access(EXPECTED)
    # How long a job should take: the profile says so to the main process alone. To start one takes
    # seconds, as long as most seeds of a preview.
    WANTED = workflow.resource_settings.resources.get("job_minutes").value
    if not WANTED:
        WANTED = PREVIEW_MINUTES if PLAN.config.preview else 0
    BATCHES = Batches(PLAN, EXPECTED, job_minutes(WANTED, workflow.is_main_process))
except Refused as error:
    # Not a WorkflowError, which `--quiet all` would hide.
    sys.exit(str(error))

# Before Snakemake looks at them: it trips over a link to nothing, in a dry run, too.
if workflow.is_main_process:
    for sentence in put_aside(no_files(EXPECTED)):
        logger.warning(sentence)

# What stands in the messages of jobs.
WORDS = JobWords(PLAN)
