"""The code of a result is the modules that it names, and what these import: no more, no less."""

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from edited_copy import copied, edited, run_with

from repatlas.artifacts import layout
from repatlas.artifacts.provenance import ROOT, code_of
from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import job_of
from repatlas.plan.plan import Plan

LOADED = """
import gc, importlib, inspect, json, os, sys
import matplotlib.backends.backend_pdf, pandas, pyarrow.parquet, scipy.stats, torch

# Other packages are imported once, for all: each job is a process that has nothing of this one yet.
# pydantic asks for the sources of classes, for which all modules' files are looked up.
inspect.getmodule(inspect.currentframe())
gc.freeze()
for stage, *arguments in json.load(sys.stdin):
    if not os.fork():
        from repatlas.__main__ import COMMANDS
        importlib.import_module(f"repatlas.{COMMANDS[stage]}").main(arguments)
        # A folder without __init__.py is loaded, too, but has no code.
        own = {n: m for n, m in sys.modules.items() if n.split(".")[0] == "repatlas"}
        loaded = [name for name, module in own.items() if getattr(module, "__file__", None)]
        print("loaded", json.dumps(loaded), flush=True)
        # To take Python apart would copy the memory of all that was imported before the fork.
        os._exit(0)
    assert os.wait()[1] == 0, stage
"""
JOBS = """
import json, sys
from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.operations.expected import expected_files
from repatlas.plan.plan import Plan
values = json.load(sys.stdin)
files = expected_files(Plan(read_config(values)))
print(json.dumps({str(path): wanted.job for path, wanted in files.items()}))
"""
IMAGES = {
    "experiment": "images",
    "data_set": "digits",
    "pairing": ["fixed"],
    "network": {"architecture": "small_cnn", "activation": ["tanh"], "width": 2},
    "epochs": [0, 1],
    "seeds": 1,
    "measures": ["accuracy", "alignment", "ccgp", "parallelism"],
}


@pytest.fixture
def values(one_figure_values):
    """Networks on clusters and on images."""
    one_figure_values["sweeps"]["digits"] = IMAGES
    one_figure_values["figures"]["figS6"] = {"images": ["digits"]}
    return one_figure_values


def made(path, wanted, plan):
    """Return the arguments that make a file."""
    found = {source.parts[1]: str(source) for source in wanted.inputs}
    several = [str(source) for source in wanted.inputs]
    more = {
        "prepare": [],
        "train": ["--data", found.get("data")],
        "measure": ["--data", found.get("data"), "--runs", found.get("runs")],
        "tabulate": ["--metrics", *several],
        "plot": ["--table", found.get("structure"), "--png", str(path.with_suffix(".png"))],
        "plot_claims": ["--claims", *several, "--png", str(path.with_suffix(".png"))],
        "judge": ["--tables", *several, "--page", str(path.with_suffix(".md"))],
    }[wanted.stage]
    return ["--job", wanted.job, *more, "--output", str(path)]


@pytest.mark.slow
def test_each_stage_has_loaded_no_module_outside_its_code(values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = Plan(read_config(values))
    entry = {"repatlas", "repatlas.__main__", "repatlas.interrupts"}
    # The job of a figure or of claims makes two files; the second one needs no job.
    files = {p: w for p, w in expected_files(plan).items() if p.suffix not in (".png", ".md")}
    jobs = [[wanted.stage, *made(path, wanted, plan)] for path, wanted in files.items()]
    ended = subprocess.run(
        [sys.executable, "-c", LOADED], input=json.dumps(jobs), capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    told = [line for line in ended.stdout.splitlines() if line.startswith("loaded ")]
    for (path, wanted), line in zip(files.items(), told, strict=True):
        loaded = set(json.loads(line.removeprefix("loaded ")))
        own = set(code_of(*sorted({*job_of(wanted).modules()})))
        stored = {name for name in loaded if name.startswith("repatlas.artifacts")}
        # What a job costs is told to its log, and is no part of its result.
        costs = {f"repatlas.experiments.{experiment}.size" for experiment in ("clusters", "images")}
        rest = loaded - entry - stored - costs - own
        assert not rest, path


# In a copy of the package.


ADDED = {
    "an activation": {
        "networks/activations/square.py": "from repatlas.networks.activations.identity import"
        " ACTIVATION as LIKE\n\nACTIVATION = LIKE._replace(colour='#123456')\n"
    },
    "a task": {
        "experiments/clusters/tasks/other.py": "from typing import Literal\n\n"
        "from repatlas.experiments.clusters.tasks.separable import Separable\n\n\n"
        'class Other(Separable):\n    """Another."""\n\n    kind: Literal["other"]\n'
        '    angle: float = 0.5\n    """Its own."""\n'
    },
    "a measure": {"measures/nothing.py": "def rows(seen, settings):\n    yield from ()\n"},
    "a data set": {"images/data_sets/more.py": "from repatlas.images.data_sets.digits import *\n"},
    "a figure": {
        "studies/structure/figures/fig99/figure.py": "from repatlas.figures.figure import"
        " Figure\n\nFIGURE = Figure('Another.')\n",
        "studies/structure/figures/fig99/caption.rst": "**Figure 99.**\n",
        "studies/structure/figures/fig99/table.py": "def tabulate(rows, step): ...\n",
        "studies/structure/figures/fig99/drawing.py": "def draw(table, style): ...\n",
    },
    "a study": {"studies/other/__init__.py": '"""Another study."""\n'},
    "how files are stored": {"artifacts/files.py": "EDIT = 1\n"},
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return copied(tmp_path_factory.mktemp("edited"))


def before(values):
    """Return the jobs that the package plans as it is."""
    return _before(json.dumps(values))


@cache
def _before(values):
    return jobs(ROOT, json.loads(values))


def jobs(package, values):
    """Return the text of the job of every file, as a copy of the package plans it."""
    ended = run_with(package, JOBS, text=json.dumps(values))
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def write(package, files):
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


def test_what_is_added_changes_no_job_of_what_there_is(tmp_path, values):
    copy = copied(tmp_path)
    for files in ADDED.values():
        write(copy, files)
    assert jobs(copy, values) == before(values)


def stages(before, after):
    """Return what changed between two plans: for each stage, the subjects of files whose jobs
    differ."""
    found = {}
    for path in before:
        if before[path] != after[path]:
            kind = kind_of(path)
            found.setdefault(kind, set()).add(Path(path).parts[2 if kind in SHARDED else -1])
    return found


def kind_of(path):
    """Return the folder of a file without its study, for example runs or tables."""
    _, kind, *below = Path(path).parts
    return kind if kind in SHARDED else below[0]


SHARDED = set(layout.SHARED)


OF_STRUCTURE = [
    *(("tables", name, "parquet") for name in ("fig03", "figS6")),
    *(("figures", name, suffix) for name in ("fig03", "figS6") for suffix in ("pdf", "png")),
    *(("claims", "claims", suffix) for suffix in ("parquet", "md")),
]


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        # No task here uses this module, but some claims do.
        ("experiments/clusters/kernels.py", {("claims", f"claims.{s}") for s in ("parquet", "md")}),
        ("experiments/clusters/engine.py", {("runs", "clusters")}),
        ("measures/decoding.py", {("metrics", "clusters")}),
        # A study that gets one more column, for example.
        (
            "studies/structure/columns.py",
            {(kind, f"{name}.{suffix}") for kind, name, suffix in OF_STRUCTURE},
        ),
        ("images/training.py", {("runs", "images"), ("metrics", "images")}),
        ("networks/convolutional.py", {("runs", "images"), ("metrics", "images")}),
        ("studies/structure/figures/fig03/table.py", {("tables", "fig03.parquet")}),
        (
            "networks/activations/relu.py",
            {
                *(("runs", "clusters"), ("metrics", "clusters")),
                *(("tables", "fig03.parquet"), ("claims", "claims.parquet")),
                ("claims", "claims.md"),
            },
        ),
    ],
)
def test_an_edit_changes_the_jobs_of_what_rests_on_it_alone(copy, values, name, changed):
    with edited(copy, name):
        found = stages(before(values), jobs(copy, values))
    assert {(kind, name) for kind, names in found.items() for name in names} == changed


def changed_by(copy, values, name):
    with edited(copy, name):
        usual, after = before(values), jobs(copy, values)
    return {path for path in usual if usual[path] != after[path]}


def test_an_activation_is_code_of_the_metrics_that_compare_its_networks_with_theories(copy):
    """The networks do not use this module, so they are not trained again."""
    common = {
        "experiment": "items",
        "task": {"kind": "xor"},
        "steps": [0, 10],
        "seeds": 1,
        "measures": ["theories_on_items"],
    }
    sweeps = {
        kind: common | {"network": {"kind": kind, "width": 4}}
        for kind in ("linear", "relu", "tanh")
    }
    sweeps["other"] = common | {"network": {"kind": "tanh", "width": 5}, "measures": ["loss"]}
    values = {"study": "theories", "sweeps": sweeps}
    metrics = {path for path in before(values) if "/metrics/" in path}
    for activation, kind in (("tanh", "tanh"), ("relu", "relu"), ("identity", "linear")):
        [of_kind] = [path for path in metrics if f"-{kind}-h4-" in path]
        assert changed_by(copy, values, f"networks/activations/{activation}.py") == {of_kind}


def test_the_numbers_of_the_law_are_code_of_the_table_with_its_predictions(copy):
    law = load([Path(__file__).parents[2] / "config/law.yaml"]).values | {"preview": True}
    numbers = copy / "dynamics/activation_law.json"
    text = numbers.read_text()
    numbers.write_text(text.replace("1", "2", 1))
    after = jobs(copy, law)
    numbers.write_text(text)
    [changed] = [path for path, job in before(law).items() if job != after[path]]
    assert changed.endswith("law/tables/fig01.parquet")


def test_flat_is_code_of_all_that_is_read_from_arrays_of_two_axes(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("rates.csv", "trials.csv"):
        shutil.copy(Path(__file__).parents[2] / "docs/demo" / name, tmp_path)
    arrays = {"arrays": "rates.csv", "rows": "trials.csv", "item": "stimulus", "trials": True}
    values = {"study": "own", "representations": {"neurons": arrays}, "measures": ["geometry"]}
    kinds = {Path(path).parts[1] for path in changed_by(copy, values, f"{FILES}/flat.py")}
    assert kinds == {"data", "metrics"}
    assert changed_by(copy, values, f"{FILES}/pooled.py") == set()


FILES = "experiments/files/reductions"


def test_the_kernels_are_code_of_the_aligned_networks_and_of_figure_4_alone(copy, config_values):
    with edited(copy, "experiments/clusters/kernels.py"):
        usual, after = before(config_values), jobs(copy, config_values)
    shards = {path for path in usual if Path(path).parts[1] in SHARDED}
    families = {Path(path).parts[3] for path in shards if usual[path] != after[path]}
    assert families == {Path(path).parts[3] for path in shards if "/aligned-" in path}
    tables = stages(usual, after)["tables"]
    assert "fig04.parquet" in tables
    assert not tables & {"fig01.parquet", "fig02.parquet", "fig08.parquet"}


def test_places_are_those_of_the_layout(values):
    folders = {kind_of(path) for path in expected_files(Plan(read_config(values)))}
    # Networks are not compared with one another.
    assert folders == {*layout.SHARED, *layout.OF_STUDY} - {"comparisons"}
