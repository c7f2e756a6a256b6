import gc
import json
import os
import sys
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

from snakemake.exceptions import WorkflowError
from snakemake.io import IOFile
from snakemake.logging import logger

# The code beside this Snakefile, as in the jobs below, and not what the environment has installed; but
# where pip installed the Snakefile, it installed the code, too.
# Where this workflow is a module of another one, `workflow.basedir` is the folder of that.
HERE = Path(workflow.current_basedir).parents[1]
CODE = [str(HERE / "src")] if (HERE / "src").is_dir() else []
sys.path[:0] = CODE

from repatlas.artifacts import layout

# A plan is many objects, nearly all of which live as long as the workflow. To look for garbage among them
# after every 700 new ones, as Python does, would take a seventh of the time.
gc.set_threshold(200_000, 50, 50)

for folder in (HERE, os.getcwd()):
    if {"{", "}"} & set(str(folder)):
        sys.exit(
            f"{folder}: found a brace, which Snakemake takes for a wildcard; rename the folder"
        )

# To plan takes more than Snakemake. `snakemake --lint` reads the rules alone: it needs no plan, and the
# catalog of workflows runs it where nothing else is installed.
MISSING = [name for name in ("filelock", "numpy", "pyarrow", "scipy") if not find_spec(name)]
LINTED = bool(MISSING) and "--lint" in sys.argv
if LINTED:
    FOLDER, CONFIG, EXPECTED, BATCHES = "results", {}, {}, SimpleNamespace(minutes=0)
    PLAN = SimpleNamespace(
        results="results",
        twin="results/preview",
        studies=[],
        judged=[],
        config=SimpleNamespace(accept_code={}),
    )
elif MISSING:
    sys.exit(
        f"The package {MISSING[0]!r} is missing: run `make env`, or, in the environment of"
        f' Snakemake, `pip install "{HERE}[workflow]"`'
    )
else:

    include: "plan.smk"


RESULTS = PLAN.results


def figures_of(study):
    places = [layout.PDF, layout.PNG]
    return [f"{RESULTS}/{p.format(**f.place)}" for f in PLAN.of_study(study) for p in places]


def tables_of(study):
    return [f"{RESULTS}/{layout.TABLE.format(**f.place)}" for f in PLAN.of_study(study)]


def claims_of(study):
    """None of a study without claims, or of a part of it."""
    return [f"{RESULTS}/{layout.CLAIMS.format(study=study)}"] if study in PLAN.judged else []


def overviews_of(study):
    """The pages of the figure of its claims; none of a study without claims."""
    return [str(path) for page in PLAN.overviews(study) for path in PLAN.pictures(page)]


def targets_of(study):
    """All that is made of a study: figures, tables, claims, the metrics of sweeps that no figure
    draws, and comparisons."""
    metrics = [
        f"{RESULTS}/{place.format(**shard.place)}"
        for sweep in PLAN.data_sweeps
        if sweep.study == study
        for shard in BATCHES.firsts(PLAN.shards_of(sweep))
        for place in (layout.METRICS, layout.done("measure"))
    ]
    pairs = [
        f"{RESULTS}/{place.format(**tile.place)}"
        for tile in PLAN.tiles
        if tile.study == study
        for place in (layout.PAIRS, layout.done("compare"))
    ]
    found = [*figures_of(study), *tables_of(study), *claims_of(study), *overviews_of(study)]
    return [*found, *metrics, *pairs]


def at(place, wildcards):
    """The name of a file, given the parts of its name."""
    return f"{RESULTS}/{place.format(**dict(wildcards.items()))}"


def job_of(place, wildcards):
    """What a file depends on."""
    return EXPECTED[Path(at(place, wildcards))].job


def identity_of(place, wildcards):
    """A param of every rule, for what a job was made from: when a job fails, Snakemake forgets that it
    was to run. What is below it then still knows, since it has not got its own identity yet."""
    return EXPECTED[Path(at(place, wildcards))].identity


def config_text(wildcards):
    """Return the config as JSON without the sign <, which JSON can spell otherwise. Snakemake's own
    report has the params of jobs in a script of its page, which </script> in a text would end. It is
    a function, since Snakemake would take the braces of a text for wildcards."""
    return json.dumps(CONFIG).replace("<", "\\u003c")


def shard_of(wildcards):
    """The shard of a job; None for data that several shards share."""
    if "data" in wildcards.keys():
        return BATCHES.shard_of_data(wildcards.experiment, wildcards.data)
    return Shard(wildcards.experiment, wildcards.family, int(wildcards.seed))


def data_of(*shards):
    """The data of each of these shards, on which its networks are trained."""
    places = [PLAN.data_place(shard) for shard in shards]
    return [f"{RESULTS}/{layout.DATA.format(experiment=e, data=data)}" for e, data in places]


def of_shards(place, shards):
    """This file of each of them."""
    return [f"{RESULTS}/{place.format(**shard.place)}" for shard in shards]


def runs_of(place, *shards):
    """Likewise, of those that have runs: none where nothing is trained."""
    return of_shards(place, [shard for shard in shards if trains(shard.experiment)])


def tile_of(wildcards):
    """The tile of a job."""
    [tile] = [tile for tile in PLAN.tiles if tile.place == dict(wildcards.items())]
    return tile


def shards_of_tile(wildcards):
    """The shards whose representations a tile compares."""
    return tile_of(wildcards).shards


def drawn_shards(wildcards):
    """The shards whose metrics a figure draws."""
    return PLAN.shards_of(Product(wildcards.study, wildcards.figure))


# A job may be that of several seeds, of which Snakemake knows the first alone (`Batches`). Params made with
# a job's input or resources are none that make it run again: which seeds are together is not what a
# result depends on.


def firsts_of(shards):
    """The shards whose jobs make these."""
    if BATCHES.minutes and workflow.is_main_process:
        workflow.dag.forcefiles.update(behind())
    return BATCHES.firsts(shards)


def others_of(wildcards, stage, *options):
    """What the command is told before the first seed: how to make each other one."""
    return BATCHES.arguments(stage, shard_of(wildcards), list(map(str, options)))


def done_of(wildcards, stage):
    """The files that say that the jobs of the other seeds have ended."""
    return of_shards(layout.done(stage), BATCHES.others(shard_of(wildcards)))


def number_of(wildcards):
    """How many seeds a job makes."""
    return 1 + len(BATCHES.others(shard_of(wildcards)))


def networks_in_words(wildcards):
    """The networks of a job, in words."""
    shard = shard_of(wildcards)
    others = BATCHES.others(shard)
    seeds = f"seeds {shard.seed} to {others[-1].seed}" if others else f"seed {shard.seed}"
    return WORDS.of_networks(shard, seeds)


def data_in_words(wildcards):
    """What is trained on the data of a job, in words."""
    if shard_of(wildcards):
        return networks_in_words(wildcards)
    return WORDS.of_data(wildcards.experiment, wildcards.data)


# What the user's shell tells Python is not for the jobs: -OO strips texts that they print, warnings may
# be errors. Caches change no result.
for name in [name for name in os.environ if name.startswith("PYTHON")]:
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        del os.environ[name]
os.environ.update(
    PYTHONUTF8="1",
    # Jobs run the code beside this Snakefile, also in a conda environment without it.
    **{"PYTHONPATH": path for path in CODE},
    # Not a param of the rules: results stay what they are when other code is accepted for them.
    REPATLAS_ACCEPT_CODE=json.dumps(PLAN.config.accept_code),
)


@cache
def as_found():
    return sort_out(EXPECTED)


@cache
def behind():
    """Files of jobs that have to run for another seed's sake. Of a missing file Snakemake knows it."""
    missing = {path for path in EXPECTED if not path.is_file()}
    wanted = BATCHES.unknown(missing.union(*as_found()))
    return [str(path) for path in {*map(BATCHES.file, wanted)} - missing]


def put_right(wildcards):
    """Input of the targets that stand for whole studies: what was set aside is made again even where
    nothing needs it any more, as a lost file would not be; what is stale, too, though Snakemake's
    records may say that it isn't."""
    foreign, stale = as_found()
    if workflow.dryrun:
        for path, reason in foreign.items():
            logger.warning(f"{path}: {reason}; to be set aside")
    else:
        for sentence in put_aside(foreign):
            logger.warning(sentence)
    again = [str(BATCHES.file(path)) for path in (*set_aside(EXPECTED), *foreign)]
    workflow.dag.forcefiles.update([*again, *behind()])
    known = [str(path) for path in stale if BATCHES.file(path) == path]
    if unnoticed := [path for path in known if not noticed(path)]:
        logger.warning(
            f"Not what the config and the code imply, and made again: {', '.join(unnoticed[:5])}"
            + (f" and {len(unnoticed) - 5} more" if len(unnoticed) > 5 else "")
        )
        workflow.dag.forcefiles.update(unnoticed)
    return list(dict.fromkeys(again))


def everything(wildcards):
    """Input of `complete`: every file, also where nothing needs it any more."""
    right = put_right(wildcards)
    lost = [path for path in EXPECTED if not path.is_file()]
    workflow.dag.forcefiles.update(str(BATCHES.file(path)) for path in lost)
    return list(dict.fromkeys([*map(str, map(BATCHES.file, EXPECTED)), *right]))


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


def run_ahead():
    """What is to be run, in words, and how long it takes."""
    jobs = {job.jobid: job for job in workflow.dag.needrun_jobs() if not job.is_norun}
    made = {number: Path(next(iter(job.output), "")) for number, job in jobs.items()}
    texts = {path: EXPECTED[path].job for path in made.values() if path in EXPECTED}
    expected = expected_seconds(
        {
            number: (job.rule.name, texts.get(made[number]), BATCHES.seeds(made[number]))
            for number, job in jobs.items()
        },
        [Path(PLAN.results), Path(PLAN.twin)],
    )
    settings = workflow.resource_settings
    return Run(
        {number: job.message or job.rule.name for number, job in jobs.items()},
        TimeLeft(expected, settings.nodes or settings.cores, time.monotonic),
        sum(path.suffix == ".pdf" for path in made.values()),
    )


def run_end(drawn):
    """What a run that went well says at its end, given how many figures it drew."""
    asked = {str(path) for job in workflow.dag.jobs for path in job.output}
    pictures = [
        Path(path)
        for study in PLAN.studies
        for path in (*figures_of(study), *overviews_of(study))
        if path in asked and path.endswith(".png")
    ]
    pages = [f"{RESULTS}/{layout.REPORT.format(study=study)}" for study in PLAN.studies]
    return ending(pictures, drawn, [Path(page) for page in pages if page in asked])


# As a module it leaves the other workflow's words alone; jobs on a cluster tell Snakemake there.
if workflow.is_main_process and workflow.modifier.parent_modifier is None and not LINTED:
    speak(run_ahead, run_end, workflow.output_settings.dryrun)


onstart:
    hear_sigterm_in_a_thread()
    lift_default_limit(workflow.scheduler)
    try:
        take_over(Path(RESULTS), logger.warning)
        into_the_present([Path(RESULTS), HERE / "workflow/report"])
        if workflow.executor_plugin.name == "slurm":
            never_ask_a_missing_database()
            if await_jobs_of(workflow.executor_settings.jobname_prefix, logger.warning):
                logger.warning("They have ended. Planning again, with what they made.")
                start_again(Path(RESULTS))
    except RuntimeError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}: the results folder must be writable")
    except KeyboardInterrupt:
        raise WorkflowError("Interrupted. What is on the cluster goes on.")


report: "../report/workflow.rst"


wildcard_constraints:
    **layout.WILDCARDS,
