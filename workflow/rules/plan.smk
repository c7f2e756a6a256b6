from snakemake.utils import update_config

from repatlas.artifacts.provenance import identity
from repatlas.config.config import read_config
from repatlas.config.file import check_options
from repatlas.config.load import load
from repatlas.operations.arguments import Arguments
from repatlas.operations.blocks import Blocks, seeds_in_words
from repatlas.operations.costs import request
from repatlas.operations.expected import expected_files
from repatlas.operations.folders import check_folders
from repatlas.operations.look import look, tell_snakemake
from repatlas.operations.options import check_targets
from repatlas.operations.slurm import await_jobs_of, disable_sacct_if_unavailable
from repatlas.operations.succession import claim, handle_sigterm_in_thread, start_again, take_over
from repatlas.operations.view import check_access, clamp_future_times, old_pages, show
from repatlas.operations.wanted import keep
from repatlas.plan.captions import caption, caption_of_claims, caption_of_multiverse
from repatlas.plan.job_words import JobWords
from repatlas.plan.places import Product, Shard
from repatlas.plan.plan import Plan
from repatlas.record import Refused

# The user's config replaces config.yaml. Snakemake's `configfile:` would merge the two, and it would take
# the last of two equal keys without a message.
try:
    check_options(sys.argv[1:])
    LOADED = load(workflow.config_settings.configfiles)
    FOLDER, CONFIG = LOADED.folder, LOADED.values
    update_config(CONFIG, dict(workflow.config_settings.config))
    PLAN = Plan(read_config(CONFIG, LOADED.file, LOADED.files), FOLDER)
    EXPECTED = expected_files(PLAN)
    check_folders(PLAN, EXPECTED)
    # Not again in its jobs.
    if workflow.is_main_process:
        check_targets(sys.argv[1:], PLAN, LOADED.file)
        check_access(wanted.path for wanted in EXPECTED.values())
except Refused as error:
    # Not a WorkflowError, which `--quiet all` would hide.
    sys.exit(str(error))

BLOCKS, ARGUMENTS = Blocks(EXPECTED, is_there), Arguments(PLAN, EXPECTED)
WORDS = JobWords(PLAN)
