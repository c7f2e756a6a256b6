"""Which files the config implies, whether those on the disk are that, and why they aren't."""

import json
import re
import shutil

import pytest
import yaml
from asked import config_of
from edited_copy import copied, edited, run_with
from selections import some
from stages import product as figure_of

from repatlas.artifacts import provenance
from repatlas.artifacts.provenance import code_of
from repatlas.config.config import read_config
from repatlas.operations import why
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import job_of, reasons, state, upstream
from repatlas.plan.plan import Plan
from repatlas.record import Refused

KINDS = {
    "prepare": "data",
    "train": "runs",
    "measure": "metrics",
    "judge": "claims",
    "tabulate": "table",
}


def expected(values):
    return expected_files(Plan(read_config(values)))


@pytest.fixture
def values(one_figure_values):
    return one_figure_values


# What the config implies.


def test_the_files_are_those_of_every_shard_and_figure(small_values):
    families = {shard.family for shard in Plan(read_config(small_values)).shards}
    assert len(families) == 2
    places = {
        f"results/{kind}/clusters/{family}/seed-{seed}.{suffix}"
        for kind, suffix in (
            ("data", "safetensors"),
            ("runs", "safetensors"),
            ("metrics", "parquet"),
        )
        for family in families
        for seed in (0, 1)
    }
    for figure in ("fig01", "fig02", "fig03"):
        places |= {f"results/structure/tables/{figure}.parquet"}
        places |= {f"results/structure/figures/{figure}.{suffix}" for suffix in ("pdf", "png")}
    places |= {f"results/structure/claims/claims.{suffix}" for suffix in ("parquet", "md")}
    places |= {
        f"results/structure/figures/{page}.{suffix}"
        for page in ("fig00", "fig00b")
        for suffix in ("pdf", "png")
    }
    assert set(map(str, expected(small_values))) == places


def test_each_file_comes_after_those_it_is_made_from(small_values):
    before = set()
    for path, wanted in expected(small_values).items():
        assert set(wanted.inputs) <= before
        assert bool(wanted.inputs) == (wanted.stage != "prepare")
        before.add(path)


def test_upstream_of_a_figure_are_its_own_files_and_the_shards_of_its_sweeps(small_values):
    files, plan = expected(small_values), Plan(read_config(small_values))
    for figure, task in (("fig01", "unstructured"), ("fig02", "separable"), ("fig03", "separable")):
        behind = upstream(files, plan.files(figure_of(figure)))
        assert [wanted.stage for wanted in behind.values()].count("train") == 2
        assert len(behind) == 2 * 3 + 3
        assert all(task in str(path) or figure in path.name for path in some(behind))
        assert list(behind) == [path for path in files if path in behind]  # in the same order
        assert all(behind[path] == files[path] for path in some(behind))


# States.


@pytest.mark.parametrize(
    "stage", ["prepare", "train", "measure", "tabulate", "plot", "plot_claims"]
)
def test_a_file_is_fresh_damaged_or_missing(results, values, stage):
    wanted = next(wanted for wanted in expected(values).values() if wanted.stage == stage)
    path = wanted.path
    assert state(wanted) == ("fresh", "")
    other = wanted._replace(identity="x", path=path.with_stem("0" * 16))
    assert state(other) == ("missing", ": made from other inputs")
    assert state(wanted._replace(identity="x")) == ("damaged", ": is not what its name says")
    content = path.read_bytes()[:-1000]
    path.write_bytes(content)
    name, reason = state(wanted)
    assert name == "damaged"
    assert reason.startswith(": damaged, ")
    assert path.read_bytes() == content, "it tells, and no more"
    path.unlink()
    assert state(wanted) == ("missing", "")


# Reasons.


def made_for(values, stage):
    """Return the header of the file that a stage made for a config, and what is wanted of it."""
    wanted = next(wanted for wanted in expected(values).values() if wanted.stage == stage)
    modules = code_of(*sorted({*job_of(wanted).modules()}))
    return {"job": json.loads(wanted.job), "modules": dict(modules)}, wanted


@pytest.mark.parametrize(
    ("stage", "path", "value", "reason"),
    [
        (
            "measure",
            "decoders.regularisation",
            2,
            ["no more decoders.regularisation=1.0", "now decoders.regularisation=2.0"],
        ),
        ("tabulate", "figures.fig03.step", 2, ["no more step=5", "now step=2"]),
        ("plot", "style", {"width": 6}, ["no more style.width=5.5", "now style.width=6.0"]),
        (
            "plot",
            "style",
            {"colours": {"tanh": "#D55E00", "relu": "#123456"}},
            ["no more style.colours.relu=#0072B2", "now style.colours.relu=#123456"],
        ),
        ("plot", "preview", True, ["no more preview=False", "now preview=True"]),
        (
            "train",
            "sweeps.noise.task.noise_variance",
            [0.0, 1.0, 4.0, 9.0, 16.0],
            ["now grids.task.noise_variance=16.0, grids.task.noise_variance=9.0"],
        ),
        (
            "train",
            "sweeps.noise.task.noise_variance",
            [0.0, 1.0],
            ["no more grids.task.noise_variance=4.0"],
        ),
        ("train", "sweeps.noise.steps", [0, 5, 8], ["no more grids.steps=2", "now grids.steps=8"]),
        ("prepare", "sweeps.noise.task.delta", [0.0, 0.5], ["no more wanted.delta=1.0"]),
        ("measure", "sweeps.noise.network.activation", ["tanh"], None),
    ],
)
def test_the_reasons_name_the_values_that_changed(values, stage, path, value, reason):
    found, _ = made_for(values, stage)
    *folders, last = path.split(".")
    place = values
    for folder in folders:
        place = place[folder]
    place[last] = value
    if path.endswith("steps"):
        values["figures"]["fig03"]["step"] = 5
    if reason is None:
        reason = ["no more grids.network.activation=relu"]
    _, wanted = made_for(values, stage)
    # A preview has no title, either.
    said = [re.sub(r", title\..*", "", text) for text in reasons(found, wanted)]
    assert said == reason


def test_without_a_change_of_its_own_a_file_was_made_from_other_inputs(values):
    assert reasons(*made_for(values, "train")) == ["made from other inputs"]


@pytest.mark.parametrize("stage", ["train", "plot"])
def test_the_reasons_name_the_modules_that_were_edited_are_new_or_are_gone(values, stage):
    found, wanted = made_for(values, stage)
    job = json.loads(wanted.job)
    edited = found["modules"] | {
        "repatlas.streams": "0123456789ab",
        "repatlas.gone": "0123456789ab",
    }
    if stage == "plot":
        edited["repatlas.studies.structure.figures.fig03.drawing"] = "0123456789ab"
    del edited["repatlas.grids" if stage == "train" else "repatlas.plots.words"]
    before = {"modules": edited, "job": job | {"code": "0123456789ab"}}
    (reason,) = "; ".join(reasons(before, wanted)).split("; edited: ")[1:]
    names = {
        "train": "repatlas.gone, repatlas.grids, repatlas.streams",
        "plot": "repatlas.gone, repatlas.plots.words, repatlas.streams,"
        " repatlas.studies.structure.figures.fig03.drawing",
    }
    assert reason == names[stage]


def test_the_reasons_name_both_fingerprints(values):
    found, wanted = made_for(values, "train")
    found["job"]["code"] = "0123456789ab"
    found["modules"]["repatlas.streams"] = "0123456789ab"
    code = f"code was 0123456789ab, is {job_of(wanted).code}"
    assert "; ".join(reasons(found, wanted)) == f"{code}; edited: repatlas.streams"


def test_where_other_code_was_accepted_nothing_is_said_to_be_edited(values):
    found, wanted = made_for(values, "train")
    code = job_of(wanted).code
    values["accept_code"] = {"train": {code: "0123456789ab"}}
    _, wanted = made_for(values, "train")
    assert reasons(found, wanted) == [f"code was {code}, is 0123456789ab"]


def test_values_that_only_moved_between_sweeps_are_not_taken_for_other_inputs(small_values):
    """Only the steps of one sweep change; the other sweep still has every value."""
    stages = ("train", "measure")
    before = [made_for(small_values, stage)[0] for stage in stages]
    small_values["sweeps"]["noise"]["steps"] = [0, 5]
    for stage, found in zip(stages, before, strict=True):
        _, wanted = made_for(small_values, stage)
        assert json.loads(wanted.job) != found["job"]
        assert reasons(found, wanted) == ["the same values in other combinations"]


# The stage why.


def lines_of_why(values, capsys, figure="fig03"):
    capsys.readouterr()
    why.main([config_of(values), *(["--figure", figure] if figure else [])])
    return capsys.readouterr().out.splitlines()


def test_why_says_where_nothing_would_be_made(results, values, capsys):
    assert lines_of_why(values, capsys) == ["nothing: fig03 is what the config and the code imply"]


def test_why_names_the_value_that_changed_and_then_what_follows(results, values, capsys):
    values["decoders"]["regularisation"] = 2
    (metrics,) = results.glob("metrics/*/*/*.parquet")
    assert lines_of_why(values, capsys) == [
        "measure: no more decoders.regularisation=1.0; now decoders.regularisation=2.0",
        f"    {metrics}",
        "tabulate: made from other inputs",
        f"    {results}/structure/tables/fig03.parquet",
        "plot: made from other inputs",
        f"    2 files, {results}/structure/figures/fig03.pdf first",
    ]


def test_why_names_what_is_lost_only_if_something_needs_it(results, values, capsys):
    (runs,) = results.glob("runs/*/*/*.safetensors")
    runs.resolve().unlink()
    assert lines_of_why(values, capsys) == ["nothing: fig03 is what the config and the code imply"]
    for name in ("structure/figures/fig03.png", "structure/tables/fig03.parquet"):
        (results / name).resolve().unlink()
    assert lines_of_why(values, capsys) == [
        "tabulate: no version of it yet",
        f"    {results}/structure/tables/fig03.parquet",
        "plot: no version of it yet",
        f"    {results}/structure/figures/fig03.png",
    ]


def test_why_counts_the_files_of_a_kind(small_values, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = lines_of_why(small_values, capsys, "fig01")
    assert [line for line in lines if not line.startswith(" ")] == [
        f"{stage}: no version of it yet"
        for stage in ("prepare", "train", "measure", "tabulate", "plot")
    ]
    assert lines[1].startswith("    2 files, results/data/clusters/unstructured-")
    assert lines[1].endswith("/seed-0.safetensors first")
    assert lines[7] == "    results/structure/tables/fig01.parquet"


def test_the_entry_that_why_prints_keeps_all_results_after_a_refactoring(
    results, values, capsys, monkeypatch
):
    edited = {"stages.prepare": "11", "stages.train": "22", "stages.plot": "33"}
    original = provenance.code

    def code(*modules):
        marks = [mark for module, mark in edited.items() if module in modules]
        return "".join([*marks, original(*modules)])[:12]

    monkeypatch.setattr("repatlas.artifacts.recipes.job.code", code)
    said = "\n".join(lines_of_why(values, capsys, None))
    entry = yaml.safe_load(said[said.index("accept_code:") :])
    # A job of train has one code, and the networks of each of its two activations have another.
    numbers = {stage: len(codes) for stage, codes in entry["accept_code"].items()}
    assert numbers == {"prepare": 1, "train": 3, "plot": 1}
    values |= entry
    assert [state(wanted)[0] for wanted in expected(values).values()] == ["fresh"] * 10


@pytest.mark.parametrize("figure", ["fig02", "results/structure/figures/fig03.pdf"])
def test_why_of_a_figure_that_is_none_is_refused(values, figure, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match=f"FIGURE: found '{figure}', allowed: fig03"):
        why.main([config_of(values), "--figure", figure])


@pytest.fixture(scope="module")
def copy(made, tmp_path_factory):
    """A copy of the package, in a folder with the results."""
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(made, folder, symlinks=True, dirs_exist_ok=True)
    return copied(folder)


@pytest.mark.parametrize(
    ("names", "stages"),
    [
        (["experiments/clusters/engine.py"], {"train": "repatlas.experiments.clusters.engine"}),
        (
            ["geometry/svm.py", "geometry/parallelism.py"],
            {"measure": "repatlas.geometry.parallelism, repatlas.geometry.svm"},
        ),
        (
            ["studies/structure/figures/fig03/drawing.py"],
            {"plot": "repatlas.studies.structure.figures.fig03.drawing"},
        ),
        (["studies/structure/figures/fig02/drawing.py", "operations/why.py"], {}),
        (
            ["experiments/clusters/tasks/separable.py"],
            dict.fromkeys(
                ("prepare", "train", "measure", "tabulate"),
                "repatlas.experiments.clusters.tasks.separable",
            ),
        ),
        (["experiments/clusters/tasks/aligned.py", "networks/activations/gelu.py"], {}),
        (["artifacts/files.py", "artifacts/runs.py"], {}),
    ],
    ids=str,
)
def test_why_names_the_module_that_was_edited(copy, values, monkeypatch, names, stages):
    monkeypatch.chdir(copy.parent)
    program = "from repatlas.__main__ import main; main()"
    with edited(copy, *names):
        ended = run_with(copy, program, "why", config_of(values), "--figure", "fig03")
    assert ended.returncode == 0, ended.stderr
    codes = {w.stage: job_of(w).code for w in expected(values).values()}
    found = {}
    for line in ended.stdout.splitlines():
        if "; edited: " in line:
            stage, _, rest = line.partition(": ")
            assert f"code was {codes[stage]}, is " in rest
            found[stage] = rest.split("; edited: ")[1]
    assert found == stages
    if not stages:
        assert ended.stdout == "nothing: fig03 is what the config and the code imply\n"
