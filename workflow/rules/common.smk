import gc
import json
import os
import shlex
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# Use the code next to the Snakefile, as the jobs below do, and not an installed package.
HERE = Path(workflow.basedir)
sys.path.insert(0, str(HERE / "src"))

from repatlas.artifacts.imports import import_by_text

import_by_text()

from repatlas.artifacts import layout

# A plan has many objects, and nearly all of them live as long as the workflow. By default Python looks for
# garbage after every 700 new objects, and now and then among all that modules hold.
gc.freeze()
gc.set_threshold(1_000_000, 50, 50)

for folder in (HERE, os.getcwd()):
    if {"{", "}"} & set(str(folder)):
        sys.exit(
            f"{folder}: found a brace, which Snakemake takes for a wildcard; rename the folder"
        )

# Snakemake's report and graphs show all jobs, and not only the jobs that are left.
OF_ALL = {"--report", "--dag", "--rulegraph", "--filegraph", "--d3dag"}
OF_ALL |= {"--summary", "-S", "--detailed-summary", "-D"}
SHOWS_ALL = bool(OF_ALL & {*sys.argv})
# A look, for example a dry run, changes no file. Where the names would lead, it only remembers.
LOOKS = bool({"--lint", *OF_ALL} - {"--report"} & {*sys.argv})
LOOKS = LOOKS or any(word.startswith("--list") for word in sys.argv)
LEADS = {}
# Files from another folder are right, but Snakemake has no record of how they were made, and
# its report would warn of each of them.
if "--report" in sys.argv:
    logger.addFilter(lambda record: "Missing metadata for file" not in record.getMessage())


def is_there(path):
    """Return True if the file of a name is there, or a run would find it."""
    return LEADS[path] is not None if path in LEADS else path.is_file()


include: "plan.smk"


RESULTS = PLAN.results


def named(place, parts):
    """Return the name of a file in the results, given the parts of its name."""
    return _named(place, *parts.items())


@cache  # Snakemake asks for each job several times
def _named(place, *parts):
    return Path(RESULTS, place.format(**dict(parts)))


def figures_of(study):
    """Return the pictures of a study."""
    return [named(p, f.place) for f in PLAN.study_figures(study) for p in (layout.PDF, layout.PNG)]


def tables_of(study):
    """Return the tables of a study's figures."""
    return [named(layout.TABLE, figure.place) for figure in PLAN.study_figures(study)]


def claims_of(study):
    """Return the file of a study's claims; none for a study without claims, or a part of one."""
    return [named(layout.CLAIMS, {"study": study})] if study in PLAN.judged else []


def overviews_of(study):
    """Return the pages of the figure of a study's claims."""
    return [path for page in PLAN.overviews(study) for path in PLAN.pictures(page)]


def multiverse_of(study):
    """Return the files of the multiverse of a study, if its config has one."""
    places = (layout.MULTIVERSE_PDF, layout.MULTIVERSE_PNG, layout.MULTIVERSE_TABLE)
    has = any(each.study == study for each in PLAN.multiverses)
    return [named(place, {"study": study}) for place in places] if has else []


@cache
def files_of(study):
    """Return all that is made of a study: figures, tables, claims, the metrics of sweeps that no
    figure draws, and comparisons."""
    sweeps = [sweep for sweep in PLAN.data_sweeps if sweep.study == study]
    metrics = [named(layout.METRICS, shard.place) for s in sweeps for shard in PLAN.shards_of(s)]
    pairs = [named(layout.PAIRS, tile.place) for tile in PLAN.tiles if tile.study == study]
    found = [*figures_of(study), *tables_of(study), *claims_of(study), *overviews_of(study)]
    found += multiverse_of(study)
    pages = [named(page, {"study": study}) for page in (layout.CLAIMS_PAGE, layout.MULTIVERSE_PAGE)]
    return [*found, *(page for page in pages if page in EXPECTED), *metrics, *pairs]


def targets(files):
    """Return the missing files among these, and the files that were moved away at this start. A file
    that is there is right, so Snakemake need not look at its inputs."""
    if SHOWS_ALL:
        return list(map(str, BLOCKS.known(files)))
    found = [*(path for path in files if not is_there(path)), *MOVED]
    return list(map(str, BLOCKS.known(found))) or [str(path) for path in files[:1]]


def inputs(files):
    """Return files as inputs, by the names that Snakemake knows. Their times mean nothing: a link
    leads to what is wanted, or is not there."""
    return [ancient(str(path)) for path in BLOCKS.known(files)]


def inputs_of(place, wildcards):
    """Return the inputs of the job that makes a file and the rest of its block. Those that are
    there are left out: Snakemake would make a table again if its networks were made again."""
    sources = dict.fromkeys(
        source for file in files_at(place, wildcards) for source in EXPECTED[file].inputs
    )
    return inputs(source for source in sources if SHOWS_ALL or not is_there(source))


def files_at(place, wildcards):
    """Return the files of a job: all that are missing in the block of a file, that file last."""
    return BLOCKS.together(named(place, wildcards))


def words_of(place, wildcards, *shared):
    """Return the arguments of the command of a job, which make each file of its block. They are
    quoted here: Snakemake would quote each of them three times."""
    return shlex.join(ARGUMENTS.words_for(files_at(place, wildcards), *shared))


def requested(place, wildcards):
    """Return the memory and the time that a job requests of a cluster."""
    files = files_at(place, wildcards)
    wanted = EXPECTED[files[-1]]
    return request(wanted.stage, wanted.job, len(files))


def networks_in_words(place, wildcards):
    """Return the networks of a job, in words."""
    shard = Shard(wildcards.experiment, wildcards.family, int(wildcards.seed))
    return WORDS.networks(shard, seeds_in_words(files_at(place, wildcards)))


def page_of(study):
    """Return the identity of a study's page: of all that it shows."""
    shown = [*figures_of(study), *claims_of(study), *overviews_of(study), *multiverse_of(study)]
    return identity(PLAN.report_job(study).text, [EXPECTED[path].identity for path in shown])


def pages():
    """Return the identity of each study's page, by its name."""
    return {named(layout.REPORT, {"study": study}): page_of(study) for study in PLAN.studies}


def config_text(wildcards):
    """Return the config as JSON without the sign <, which JSON can spell otherwise. Snakemake's own
    report has the params of jobs in a script of its page, which </script> in a text would end. It is
    a function, since Snakemake would take the braces of a text for wildcards."""
    return json.dumps(CONFIG).replace("<", "\\u003c")


# What the user's shell tells Python is not for the jobs: -OO strips texts that they print, warnings may
# be errors. Caches change no result.
for name in [name for name in os.environ if name.startswith("PYTHON")]:
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        del os.environ[name]
os.environ.update(
    PYTHONUTF8="1",
    # Jobs run the code next to the Snakefile, also in a conda environment without it.
    PYTHONPATH=str(HERE / "src"),
    REPATLAS_ACCEPT_CODE=json.dumps(PLAN.config.accept_code),
)

# Before Snakemake looks at any file: each name leads to what the config and the code imply, or is gone.
# Another workflow in this folder keeps its own names; `onstart` then waits or refuses.
CLAIMED, MOVED = False, {}
if workflow.is_main_process:
    DRY_RUN = workflow.output_settings.dryrun
    LOOKS = DRY_RUN or LOOKS
    try:
        CLAIMED = not LOOKS and claim(PLAN)
        if LOOKS:
            found, MOVED = look(EXPECTED)
            LEADS.update(found)
            tell_snakemake(LEADS, old_pages(pages()))
        elif CLAIMED:
            MOVED = show(PLAN, EXPECTED)
            for page in old_pages(pages()):
                page.unlink()
            keep(PLAN, EXPECTED, LOADED.paths)
    except Refused as error:
        sys.exit(str(error))
    except OSError as error:
        if not LOOKS:
            sys.exit(f"{error.filename}: {error.strerror}: the results folder must be writable")
    for sentence in MOVED.values():
        logger.warning(sentence)


onstart:
    handle_sigterm_in_thread()
    try:
        if not CLAIMED:
            take_over(Path(RESULTS), logger.warning)
            if PLAN.store.exists():  # what the other workflow has made changes the names
                start_again(Path(RESULTS))
            keep(PLAN, EXPECTED, LOADED.paths)
        clamp_future_times([Path(RESULTS), PLAN.store, HERE / "workflow/report"])
        if workflow.executor_plugin.name == "slurm":
            disable_sacct_if_unavailable()
            if await_jobs_of(workflow.executor_settings.jobname_prefix, logger.warning):
                logger.warning("They have ended. Planning again, with what they made.")
                start_again(Path(RESULTS))
    except RuntimeError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}: the results folder must be writable")
    except KeyboardInterrupt:
        raise WorkflowError("Interrupted. What is on the cluster goes on.")


onsuccess:
    logger.info(f"Figures: {RESULTS}/*/figures")


report: "../report/workflow.rst"


wildcard_constraints:
    **layout.WILDCARDS,
