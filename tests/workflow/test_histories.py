"""Whatever was done in a folder, the last command ends as a clean run of the same config, code and
data, and no network is trained twice.

Each row of the table is a history.
"""

import os
import random
import re
import shutil
import signal
import time
from pathlib import Path

import pytest
import yaml
from histories import (
    History,
    clean_run,
    networks_trained,
    what_decides,
    write_config,
)

pytestmark = pytest.mark.slow

CLEAN = "clean"
"""The command that deletes what no config uses."""
LIST, METRICS = "runs/structure/noise/seeds-0.json", "metrics/structure/noise/seeds-0.parquet"
TABLE, PICTURE = "structure/tables/fig03.parquet", "structure/figures/fig03.pdf"
CLAIMS = "structure/claims/claims.md"
ONLY_3 = ("structure/fig03",)


# Events: what is done in a folder. `workflow` is the Snakemake at work, if there is one.


def event(function):
    """Let calls of a function be done later, to a history: edit(file, old, new) is an event."""
    return lambda *of, **more: lambda h, workflow=None: function(h, workflow, *of, **more)


@event
def run(h, _, *arguments):
    h.run(*arguments)


@event
def nothing_to_do(h, _, *arguments):
    """Run Snakemake, which starts no job."""
    assert "Nothing to be done" in h.run(*arguments)


@event
def config(h, _, **values):
    """Write other values of the sweep into the config, or other parts of its task or training."""
    whole = yaml.safe_load(h.project.config.read_text())
    sweep = whole["sweeps"]["noise"]
    for key, value in values.items():
        sweep[key] = sweep[key] | value if isinstance(value, dict) else value
    h.project.config.write_text(yaml.safe_dump(whole, sort_keys=False))


@event
def edit(h, _, file, old, new, keeps_time=False):
    """Change code of the package. keeps_time: `cp -p` and `rsync -t` keep the time of a file."""
    path = h.project.folder / "src/repatlas" / file
    before = path.stat()
    h.project.edit_source(file, old, new)
    if keeps_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size


@event
def beside(h, _, moment, *events):
    """Start Snakemake, and do this at a moment of its work."""
    workflow = h.start()
    h.wait_until(moment, workflow)
    for each in events:
        each(h, workflow)


@event
def killed(h, workflow):
    """kill -9 of Snakemake and its jobs"""
    os.killpg(workflow.pid, signal.SIGKILL)
    workflow.communicate()


@event
def head_killed(h, workflow):
    """kill -9 of Snakemake alone"""
    workflow.kill()
    workflow.wait()


@event
def ended(h, workflow, well=None):
    """Wait until Snakemake has ended, well or in a sentence."""
    said = workflow.communicate(timeout=600)[0]
    assert well in (None, workflow.returncode == 0) and "Traceback" not in said, said


@event
def two_at_once(h, _, *arguments):
    both = [h.start(), h.start(*arguments)]
    for workflow in both:
        assert "Traceback" not in workflow.communicate(timeout=600)[0]
    assert any(workflow.returncode == 0 for workflow in both)


@event
def cleaned(h, _):
    print(h.project.ask(CLEAN).stdout)


@event
def verified(h, _, *names):
    """Run `verify`, which must name these files."""
    done = h.project.ask("verify")
    assert done.returncode, done.stdout
    assert all(Path(name).stem in done.stdout for name in names), done.stdout


@event
def look(h, _, *arguments, says=""):
    """Run Snakemake to look: each file is as before."""
    before = h.tree()
    done = h.project.snakemake(*arguments)
    assert done.returncode == 0 and says in done.stdout, done.stdout
    after = h.tree()
    assert [n for n in sorted(before | after) if before.get(n) != after.get(n)] == []


@event
def without_figure_1(h, _):
    h.project.edit_config(lambda values: values["figures"].pop("fig01"))


@event
def touched(h, _):
    """Write rules with another layout, and give all but the results the time of now, as a checkout
    does."""
    for rules in (h.project.folder / "workflow/rules").glob("*.smk"):
        rules.write_text(f"{rules.read_text()}\n# The end.\n")
    for part in ("Snakefile", "config.yaml", "workflow", "profiles", "envs"):
        for path in [h.project.folder / part, *(h.project.folder / part).rglob("*")]:
            os.utime(path)


@event
def only_figure_3(h, _):
    h.run(*ONLY_3)
    assert networks_trained(h.project.results) == 8, "other figures' networks wait"


@event
def with_numba(h, _):
    h.project.environment.pop("NUMBA_DISABLE_JIT")


@event
def files(h, _, do, *names):
    for name in names:
        do(h.file(name))


def lost(file):
    """Delete the file to which a name leads."""
    file.resolve().unlink()


@event
def elsewhere(h, _, take, **how):
    """Go on in a folder to which all was taken."""
    take(h.project.folder, folder := h.project.folder.with_name("elsewhere"), **how)
    h.project = type(h.project)(folder)


@event
def names_lead_to_files(h, _):
    assert [path for path in h.project.results.rglob("*") if not path.exists()] == []


@event
def fails(h, _, says=""):
    """Run Snakemake, which ends in a sentence. The same command then goes on."""
    said, code = h.run_or_refused()
    assert code and says in said and "Traceback" not in said, said


@event
def forced(h, _, *arguments):
    """Run Snakemake with jobs that have nothing to compute: no version is written again."""
    before = versions(h)
    h.run(*arguments)
    assert versions(h) == before


def versions(h):
    """Return when each version in the store was written."""
    found = (h.project.results / "store").rglob("*")
    files = [path for path in found if path.is_file() and not path.is_symlink()]
    return {path: path.stat().st_mtime_ns for path in files}


@event
def times_shuffled(h, _):
    chance = random.Random(0)
    for path in (h.project.folder / "results").rglob("*"):
        os.utime(path, (time.time() - chance.randrange(10**6),) * 2, follow_symlinks=False)


@event
def helper(h, _, file, imported):
    """Write a measure that imports a helper in this way, run, and edit the helper."""
    path = h.project.folder / "src" / file
    path.write_text("FACTOR = 1\n")
    h.project.edit_source(MEASURE[0], "\nOF =", f"\n{imported}\nOF =")
    h.project.edit_source(MEASURE[0], MEASURE[1], f"FACTOR * {MEASURE[1]}")
    h.run()
    path.write_text("FACTOR = 100\n")


@event
def days_later(h, _):
    """Give all files in the store an old time."""
    for path in (h.project.results / "store").rglob("*"):
        os.utime(path, (time.time() - 10**6,) * 2, follow_symlinks=False)


@event
def networks(h, _, do):
    for file in sorted((h.project.results / "store/networks").rglob("*.safetensors")):
        do(file)


def damaged(file):
    """Write the file with another bit in its data, and the same header."""
    content = bytearray(file.read_bytes())
    content[{".parquet": 20, ".safetensors": -1, ".json": -20}.get(file.suffix, 2000)] ^= 1
    file.write_bytes(content)


# The table.


def row(name, start, *events, trained=0, most=None, new=True):
    """Return a history.

    start: a config of histories.yaml or tiny.yaml with its results; "fresh", without; trained: the
    networks that its runs train; most: the most of them, where two jobs may be at work on one; new:
    whether the end differs from the start.
    """
    numbers = (trained, trained if most is None else most)
    return pytest.param(start, events, numbers, new, id=name)


SAME = {"new": False}
FRESH = "fresh long"
MORE_VALUES = config(task={"delta": [0.0, 0.5, 1.0]})
FEWER_VALUES = config(task={"delta": [0.0, 1.0]})
MORE_SEEDS, FEWER_SEEDS = config(seeds=2), config(seeds=1)
FASTER, AS_BEFORE = config(training={"learning_rate": 0.2}), config(training={"learning_rate": 0.1})
MEASURE = "measures/parallelism.py", "np.mean(scores)"
ENGINE, COMPILED = "experiments/clusters/engine.py", "experiments/clusters/compiled.py"
TANH = "networks/activations/tanh.py"
TRAINING = edit(ENGINE, "rate = self.", "rate = 2 * self.")
HISTORIES = [
    row("a value there and back", "noise", MORE_VALUES, run(), FEWER_VALUES,
        look("--dry-run"), forced(), nothing_to_do(), trained=4, **SAME),
    row("a value and a seed, both removed, a value back", "noise", MORE_VALUES, run(), MORE_SEEDS,
        run(), FEWER_SEEDS, run(), FEWER_VALUES, run(), MORE_VALUES, trained=16),
    row("another rate, clean, and back", "noise", FASTER, run(), days_later(), cleaned(),
        AS_BEFORE, trained=16, **SAME),
    row("one figure alone, then all", "fresh tiny", only_figure_3(), trained=32),
    row("one more value of one figure alone, then all", "tiny", nothing_to_do(*ONLY_3), MORE_VALUES,
        run(*ONLY_3), without_figure_1(), trained=2),
    row("lost records", "noise", files(shutil.rmtree, "../.snakemake"), nothing_to_do(), **SAME),
    row("a checkout that touches all, and edited rules", "noise", touched(), nothing_to_do(),
        **SAME),
    row("kill -9 in training", FRESH, beside("half is trained", killed()), trained=8),
    row("kill -9 in measuring", FRESH, beside("measuring has begun", killed()), trained=8),
    row("a head that dies", FRESH, beside("half is trained", head_killed()), trained=8),
    row("two workflows at once", FRESH, two_at_once(), trained=8, most=16),
    row("clean beside a run", FRESH, beside("half is trained", cleaned(), killed()), trained=8),
    row("clean beside a job whose head died", FRESH,
        beside("half is trained", head_killed(), cleaned(), killed()), trained=8),
    row("an edit of a drawing", "noise",
        edit("studies/structure/fig03.py", '"viridis"', '"magma"')),
    row("an edit of comments", "noise",
        edit(ENGINE, "OUTPUTS_MULTIPLE = 8", "OUTPUTS_MULTIPLE = (8)  # !"),
        edit("measures/parallelism.py", '"""Parallelism', '"""The parallelism'), **SAME),
    row("an edit of training, there and back", "noise",
        TRAINING, run(), edit(ENGINE, "rate = 2 * self.", "rate = self."), trained=8, **SAME),
    row("an edit of an activation", "noise",
        edit(TANH, "np.tanh(u.numpy(),", "np.tanh(2 * u.numpy(),"), trained=4),
    row("an edit of a theory", "theories",
        edit("theories/lazy_kernel.py", "/ start.loss", "/ start.loss / 2")),
    row("an edit of the law's coefficients", "fresh law", with_numba(), run(),
        edit("dynamics/activation_law.json", "0.410662", "0.9"), trained=8),
    row("an edit that keeps size and time", "noise",
        edit(*MEASURE, "sum(scores) / 2", keeps_time=True)),
    row("an edit under a running job, kept", FRESH,
        beside("half is trained", TRAINING, ended(well=False)), trained=12, most=16),
    row("an edit under a job that compiles, kept", "fresh noise", with_numba(),
        beside("training has begun",
            edit(COMPILED, "-= rate * grad", "-= 3 * rate * grad"), ended(well=False)),
        trained=8, most=16),
    row("looks", "noise", MORE_VALUES, look("--dry-run"), look("--summary"), look("--dag"),
        look("--lint"), trained=4),
    row("lost names", "noise", files(Path.unlink, TABLE, PICTURE, CLAIMS), **SAME),
    row("lost metrics, table, picture and claims", "noise", files(shutil.rmtree, "store/metrics"),
        files(lost, TABLE, PICTURE, CLAIMS), **SAME),
    row("damaged networks, one more value", "noise", networks(damaged), MORE_VALUES, trained=4),
    row("a moved folder", "noise", elsewhere(shutil.move), names_lead_to_files(), **SAME),
    row("a folder copied without links and store", "noise", elsewhere(shutil.copytree),
        files(shutil.rmtree, "store"), trained=8, **SAME),
    row("a folder copied without links", "noise", elsewhere(shutil.copytree), **SAME),
    row("a rate there and back, clean days later", "noise", FASTER, run(), AS_BEFORE, run(),
        days_later(), cleaned(), forced(), nothing_to_do(), trained=8, **SAME),
    row("clean days after a kill", FRESH, beside("half is trained", killed()), days_later(),
        cleaned(), trained=8),
    row("a damaged list of networks that something needs", "noise", files(damaged, LIST),
        files(lost, METRICS, TABLE, PICTURE), fails("damaged"), **SAME),
    row("a damaged list of networks, and verify", "noise", files(damaged, LIST), verified(LIST),
        **SAME),
    row("a damaged table, and verify", "noise", files(damaged, TABLE), verified(TABLE), **SAME),
    row("an edit of a measure while its job waits", FRESH, beside("training has begun",
        edit(*MEASURE, "sum(scores) / 2"), ended(well=False)), trained=8),
    row("two heads with other code", FRESH, beside("training has begun",
        edit(*MEASURE, "sum(scores) / 2"), run(), ended(well=False)), trained=8, most=16),
    row("an edit of a helper outside the package", "noise",
        helper("my_helper.py", "from my_helper import FACTOR")),
    row("a forced run", "noise", forced("-F"), **SAME),
    row("two workflows at once, one forced", FRESH, two_at_once("-F"), trained=8, most=16),
    row("training forced while a figure is missing", "noise", files(lost, PICTURE),
        run("-R", "train"), names_lead_to_files(), nothing_to_do(), **SAME),
    row("a dry run that would delete all", "noise", look("--delete-all-output", "--dry-run"),
        **SAME),
    row("all outputs deleted", "noise", run("--delete-all-output"), forced(), **SAME),
    row("a copy with other times and without records", "noise",
        elsewhere(shutil.copytree, symlinks=True), times_shuffled(),
        files(shutil.rmtree, "../.snakemake"), forced(), **SAME),
]  # fmt: skip


@pytest.mark.parametrize(("start", "events", "trained", "new"), HISTORIES)
def test_a_history_ends_as_a_clean_run_and_trains_no_network_twice(
    start, events, trained, new, begin, clean, request
):
    h = begin(start)
    before = h.shown()
    for each in events:
        each(h)
    said = h.run()
    number = networks_trained(h.project.results)
    planned = re.findall(r"^total +(\d+)$", said, re.M)
    shown, wanted = h.shown(), History(clean(h.project)).shown()
    print(f"{said}\n{request.node.callspec.id}: {number} networks trained, jobs: {planned}")
    assert (wanted != before) == new, "the row is not what it says"
    assert [name for name in sorted(shown | wanted) if shown.get(name) != wanted.get(name)] == []
    assert trained[0] <= number <= trained[1]


@pytest.fixture(scope="session")
def clean(shared):
    """Return a clean run of the config, code and data of a project. For reading only."""
    known = {}

    def clean(project):
        if (key := what_decides(project)) not in known:
            known[key] = shared(f"clean-{key}", lambda folder: clean_run(project, folder))
        return known[key]

    return clean


@pytest.fixture
def begin(clean, make_project, tmp_path):
    """Make a folder in which a history begins, and delete it at the end."""

    def begin(start):
        config = start.removeprefix("fresh ")
        write_config(project := make_project(tmp_path / "project"), config)
        return History(project if start != config else clean(project).clone(tmp_path / "finished"))

    yield begin
    shutil.rmtree(tmp_path)
