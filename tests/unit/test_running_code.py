"""Code that is edited while a job runs never makes a result that counts as made by the planned
code. The job runs the code that it started with, and writes nothing if the sources changed."""

import re
import sys
from importlib import import_module, invalidate_caches

import pytest
from edited_copy import copied, run_with
from stages import make_data, make_metrics, make_runs, path_of

from repatlas.artifacts import layout, running
from repatlas.artifacts.provenance import ROOT, Package
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan
from repatlas.record import Refused

# This package has a module that is imported late.

TOY = {
    "__init__.py": "",
    "stage.py": "def value():\n    from {}.late import LATE\n\n    return LATE\n",
    "late.py": "LATE = 1\n",
}


@pytest.fixture
def toy(tmp_path, monkeypatch, request):
    """Write a package that is named after the test, and start a job of it."""
    folder = tmp_path / re.sub(r"\W", "_", request.node.name)
    folder.mkdir()
    for name, text in TOY.items():
        (folder / name).write_text(text.format(folder.name), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(running, "ROOT", folder)
    monkeypatch.setattr(running, "_STARTED", {})
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    running.start([], Package(folder).hashes(f"{folder.name}.stage"))
    return folder


def test_sources_that_stay_as_they_are_or_come_back_are_no_hindrance(toy):
    late = toy / "late.py"
    text = late.read_text()
    running.check_sources()
    late.write_text("LATE = 2\n")
    late.write_text(text)
    running.check_sources()
    assert import_module(f"{toy.name}.stage").value() == 1


def test_comments_and_docstrings_may_be_edited_while_a_job_runs(toy):
    (toy / "late.py").write_text('"""What comes late."""\n\nLATE = 1  # so far\n')
    running.check_sources()
    assert import_module(f"{toy.name}.stage").value() == 1


@pytest.mark.parametrize(
    "edited",
    ["LATE = 2\n", "LATE = (\n", "LATE = '\0'\n", None],
    ids=["edited", "cut", "no_text", "removed"],
)
def test_a_source_that_was_edited_cut_or_removed_stops_a_job(toy, edited):
    late = toy / "late.py"
    late.unlink() if edited is None else late.write_text(edited)
    with pytest.raises(Refused, match=rf"^{toy.name}.late: the code changed while this job was"):
        running.check_sources()


def test_a_folder_that_takes_the_place_of_a_module_is_an_edit(toy):
    """Python imports a package before a module of the same name."""
    (toy / "late").mkdir()
    (toy / "late" / "__init__.py").write_text("LATE = 2\n")
    with pytest.raises(Refused, match="late: the code changed"):
        running.check_sources()


def test_a_module_that_was_edited_before_its_first_import_is_not_imported(toy):
    stage = import_module(f"{toy.name}.stage")
    (toy / "late.py").write_text("LATE = 2\n")
    invalidate_caches()
    with pytest.raises(Refused, match="late: the code changed while this job was running"):
        stage.value()
    (toy / "late.py").write_text("LATE = 1\n")
    assert stage.value() == 1


def test_all_that_numba_compiles_is_in_the_name_of_its_folder():
    found = [path for path in ROOT.rglob("*.py") if "import machine_code" in path.read_text()]
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found}
    assert names == {*running.COMPILED}


# Stages of a copy of the package run in a separate process, and are edited while they work.

SCRIPT = """
import sys
from importlib import import_module
from pathlib import Path

import repatlas
from repatlas.__main__ import main

stage, edited_before, reverted_before, file, old, new = sys.argv[1:7]
path = Path(repatlas.__file__).parent / file
text = path.read_text()
assert old in text


def before(place, change):
    '''Change the source just before this function is called for the first time.'''
    module, name = place.split(":")
    module, left = import_module(module), [change]
    call = getattr(module, name)

    def calling(*args, **options):
        if left:
            left.pop()()
        return call(*args, **options)

    setattr(module, name, calling)


before(edited_before, lambda: path.write_text(text.replace(old, new)))
if reverted_before:
    before(reverted_before, lambda: path.write_text(text))
sys.argv[1:] = [stage, *sys.argv[7:]]
main()
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return copied(tmp_path_factory.mktemp("edited"))


@pytest.fixture
def run_edited(copy, tmp_path):
    """Run a stage of the copy, write an edit to a source before one function is called, and perhaps
    revert it before another one. Return how the stage ended."""

    def run_edited(stage, arguments, edit, edited_before, reverted_before=""):
        file, old, new = edit
        before = (copy / file).read_text()
        words = [stage, edited_before, reverted_before, file, old, new, *map(str, arguments)]
        try:
            return run_with(copy, SCRIPT, *words, folder=tmp_path)
        finally:
            (copy / file).write_text(before)

    return run_edited


@pytest.fixture
def plan(one_figure_values, tmp_path, monkeypatch):
    """Networks with ReLU, and after them those with tanh."""
    monkeypatch.chdir(tmp_path)
    one_figure_values["sweeps"]["noise"]["network"]["activation"] = ["relu", "tanh"]
    return Plan(read_config(one_figure_values))


TANH = ("networks/activations/tanh.py", "np.tanh(u.numpy()", "np.tanh(3 * u.numpy()")
SEGMENT = "repatlas.experiments.clusters.train:_train_segment"
"""The training of a block: the first one is of the networks with ReLU."""
TRAINED = "repatlas.stages.train:write_runs"
"""Called when all blocks are trained, and before sources are compared."""
WRITE = "repatlas.artifacts.files:metadata_of"
"""Called while a file is written, and before sources are compared."""


def train_arguments(plan, seconds):
    [shard] = plan.shards
    files = ["--data", make_data(plan, shard), "--output", "new.safetensors"]
    return ["--job", plan.train_job(shard).text, *files, "--flush-seconds", seconds]


def test_an_activation_edited_and_reverted_while_others_train_has_no_say(
    plan, run_edited, tmp_path
):
    expected = make_runs(plan, plan.shards[0]).read_bytes()
    ended = run_edited("train", train_arguments(plan, 1000), TANH, SEGMENT, TRAINED)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "new.safetensors").read_bytes() == expected


@pytest.mark.parametrize("seconds", [1000, 0], ids=["at the end", "at a flush"])
def test_an_activation_that_stays_edited_stops_the_job_before_it_writes(
    plan, run_edited, tmp_path, seconds
):
    ended = run_edited("train", train_arguments(plan, seconds), TANH, SEGMENT)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        "repatlas train: error: repatlas.networks.activations.tanh: the code changed while this job"
        " was running, and nothing was written: start the same command again"
    )
    assert [path.name for path in tmp_path.rglob("new*") if path.is_file()] == []
    assert [*tmp_path.glob("parts/*")] == []


ACCURACY = (
    "measures/accuracy.py",
    "yield Row(measure, variant, value)",
    "yield Row(measure, variant, value + 1)",
)


def test_a_measure_edited_and_reverted_while_the_job_waits_for_a_lock_has_no_say(
    plan, run_edited, tmp_path
):
    [shard] = plan.shards
    expected = make_metrics(plan, shard).read_bytes()
    data, runs = make_data(plan, shard), path_of(plan, layout.RUNS, shard)
    files = ["--data", data, "--runs", runs, "--output", "new.parquet"]
    arguments = ["--job", plan.measure_job(shard).text, *files]
    lock = "repatlas.stages.measure:exclusive"
    ended = run_edited("measure", arguments, ACCURACY, lock, WRITE)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "new.parquet").read_bytes() == expected
