"""Each network has the rows that it has alone, and they are measured once."""

import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from selections import some
from stages import make, make_metrics, make_runs

from repatlas import workflow
from repatlas.artifacts.files import Arrays, Unreadable, write_arrays
from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan
from repatlas.workflow.results import read_json
from repatlas.workflow.stages import Job

GROUP = "structure/random/seeds-0"
METRICS = f"metrics/{GROUP}.parquet"


@pytest.fixture
def values(small_values, tmp_path, monkeypatch):
    """A config with one network of each activation. Everything is measured."""
    monkeypatch.chdir(tmp_path)
    sweep = small_values["sweeps"]["random"] | {"seeds": 1}
    sweep["measures"] = [*sweep["measures"], "selectivity", "update", "kernel"]
    return small_values | {"sweeps": {"random": sweep}, "figures": {}}


@pytest.fixture
def plan(values):
    return Plan(read_config(values))


def changed(plan, change):
    """Train, change the stored networks, and return their keys by activation. change: takes what
    the file says of each network, and its arrays, both by activation."""
    runs = make_runs(plan, GROUP, flush_seconds=1000)
    listed = read_json(plan.folder / f"runs/{GROUP}.json")["content"]["networks"]
    of = {run.about["spec"]["network"]["activation"]: key for key, run in runs.items()}
    names = {kind: listed[f"{key}/{seed}"]["identity"] for kind, (key, seed) in of.items()}
    (path,) = {plan.store / each["file"] for each in listed.values()}
    file = Arrays(path, "networks")
    arrays = {name: file[name] for name in file.header["digests"]}
    about = file.header["runs"]
    change(
        {kind: about[name] for kind, name in names.items()},
        {kind: arrays[f"{name}/weights1"] for kind, name in names.items()},
    )
    write_arrays(path, "networks", {"runs": about}, arrays)
    return {kind: key for kind, (key, _) in of.items()}


def numbers_of_parts(capsys):
    """Return how many parts were known, and measured."""
    log = capsys.readouterr().err
    known = [int(n) for n in re.findall(r"^rows of (\d+) parts are known", log, re.M)]
    return known, [int(n) for n in re.findall(r": (\d+) parts in", log)]


def test_a_measure_that_is_not_defined_is_missing(plan):
    def silence(about, weights):
        weights["relu"][1] = 0  # at step 2

    of = changed(plan, silence)
    rows = make_metrics(plan, GROUP)
    rows = rows[(rows["run"] == of["relu"]) & (rows["variant"] == "centres")]
    found = rows.drop_duplicates(["measure", "step"]).set_index(["measure", "step"])["value"]
    for measure in ("target_alignment", "parallelism"):
        assert pd.isna(found[measure, 2]) and pd.notna(found[measure, 0])
    assert found["accuracy", 2] == 0.5


def test_after_it_diverged_a_network_has_one_empty_row_for_each_measure(plan, values):
    def diverge(about, weights):
        about["tanh"]["diverged_step"] = 1
        weights["tanh"][1:] = np.nan

    of = changed(plan, diverge)
    rows = make_metrics(plan, GROUP)
    assert some(rows[rows["run"] == of["relu"]]["value"].notna()).all()
    rows = rows[rows["run"] == of["tanh"]]
    assert {*rows["diverged_step"]} == {1}
    lost = rows[rows["step"] >= 1]
    assert {*lost["variant"]} == {"diverged"} and some(lost["value"].isna()).all()
    asked = [(step, name) for name in values["sweeps"]["random"]["measures"] for step in (2, 5)]
    assert sorted(zip(lost["step"], lost["measure"], strict=True)) == sorted(asked)
    assert some(rows[rows["step"] == 0]["value"].notna()).all()


def test_a_network_whose_weights_are_not_finite_has_diverged_by_that_step(plan):
    def overflow(about, weights):
        weights["tanh"][1, 0, 0] = np.inf

    of = changed(plan, overflow)
    rows = make_metrics(plan, GROUP)
    assert {*rows[rows["run"] == of["tanh"]]["diverged_step"]} == {2}
    assert some(rows[rows["run"] != of["tanh"]]["diverged_step"].isna()).all()


def test_a_decoder_that_does_not_converge_is_missing_and_its_network_is_not(plan, capsys):
    """Activity of 1e12 is finite, but double precision can't fit a decoder of C = 1 to it."""

    def enlarge(about, weights):
        weights["relu"][1:] *= np.float32(1e12)

    key = changed(plan, enlarge)["relu"]
    rows = make_metrics(plan, GROUP)
    rows = rows[rows["run"] == key]
    assert some(rows["diverged_step"].isna()).all()
    lost = rows[rows["value"].isna()]
    decoded = {"ccgp", "decoding_trained", "decoding_untrained"}
    assert "ccgp" in {*lost["measure"]} <= decoded and {*lost["step"]} <= {2, 5}
    sentence = f"network {key}, step 2: ccgp, samples with noise of 1, is missing: the decoder did"
    assert sentence in capsys.readouterr().err


def test_a_network_has_the_same_rows_whichever_others_are_measured_with_it(
    plan, values, tmp_path, monkeypatch
):
    """Networks of one task share their inputs, and what one is measured on is no other's."""
    together = make_metrics(plan, GROUP)
    for activation in ("tanh", "relu"):
        (tmp_path / activation).mkdir()
        monkeypatch.chdir(tmp_path / activation)
        values["sweeps"]["random"]["network"]["activation"] = activation
        alone = make_metrics(Plan(read_config(values)), GROUP)
        rows = together[together["activation"] == activation].reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, rows[alone.columns], check_exact=True)


def test_rows_that_are_there_are_taken_as_they_are(plan, values, capsys):
    before = make_metrics(plan, GROUP)
    number = sum(numbers_of_parts(capsys)[1])
    values["sweeps"]["random"]["steps"] = [0, 5]
    fewer = make_metrics(Plan(read_config(values)), GROUP)
    assert numbers_of_parts(capsys) == ([number], [])
    kept = before[before["step"].isin([0, 5])].reset_index(drop=True)
    pd.testing.assert_frame_equal(fewer, kept, check_exact=True)
    values["decoders"]["test_samples"] = 50
    make_metrics(Plan(read_config(values)), GROUP)
    assert sum(numbers_of_parts(capsys)[1]) == number * 2 // 3, (
        "with other decoders, all at two steps"
    )


def test_rows_that_a_smaller_sweep_has_are_not_measured_again(values, capsys):
    values["sweeps"]["more"] = values["sweeps"]["random"] | {
        "network": values["sweeps"]["random"]["network"] | {"activation": ["tanh", "relu", "gelu"]}
    }
    plan = Plan(read_config(values))
    make(plan, METRICS)
    number = sum(numbers_of_parts(capsys)[1])
    more = make_metrics(plan, "structure/more/seeds-0")
    assert numbers_of_parts(capsys) == ([number], [number // 2])
    rows = more[more["activation"] != "gelu"].reset_index(drop=True)
    own = make_metrics(plan, GROUP)
    pd.testing.assert_frame_equal(rows, own[rows.columns], check_exact=True)


def test_each_sweep_has_its_networks_by_its_own_decoders(values):
    other = values["sweeps"]["random"] | {"decoders": {"test_deviations": [2.0]}}
    values["sweeps"]["other"] = other
    plan = Plan(read_config(values))
    make_metrics(plan, GROUP)
    make_metrics(plan, "structure/other/seeds-0")
    for sweep, wanted in (("random", {1.0, 3.0}), ("other", {2.0})):
        rows = pd.read_parquet(plan.version(f"metrics/structure/{sweep}/seeds-0.parquet"))
        assert {*rows["deviation"].dropna()} == wanted


def test_a_damaged_version_of_metrics_is_set_aside_and_measured_again(plan, values, capsys):
    path = make(plan, METRICS).resolve()
    content = path.read_bytes()
    number = sum(numbers_of_parts(capsys)[1])
    path.write_bytes(content[: len(content) // 2])
    values["sweeps"]["random"]["steps"] = [0, 5]
    make(Plan(read_config(values)), METRICS)
    assert sum(numbers_of_parts(capsys)[1]) == number * 2 // 3
    (aside,) = path.parent.glob("*.damaged-*")
    assert aside.read_bytes() == content[: len(content) // 2]


def with_other_networks(file):
    write_arrays(file, "networks", {"runs": {}}, {})


@pytest.mark.parametrize(
    "lost", [Path.unlink, lambda file: file.write_bytes(b""), with_other_networks]
)
def test_networks_that_are_gone_or_damaged_make_their_list_out_of_date(plan, lost):
    make_runs(plan, GROUP, flush_seconds=1000)
    (file,) = plan.store.rglob("networks/**/*.safetensors")
    lost(file)
    with pytest.raises(Unreadable, match="so this list of networks is out of date") as refused:
        make(plan, METRICS)
    assert refused.value.path == plan.version(f"runs/{GROUP}.json")


def test_an_input_that_is_damaged_is_named(plan):
    make_runs(plan, GROUP)
    path = plan.version(f"tasks/{GROUP}.safetensors")
    path.write_bytes(b"damaged")
    with pytest.raises(Unreadable, match="damaged, or not the version that its name says"):
        Job(plan, plan.results[METRICS], {}).inputs("data")


# What stores results changes none of them.


def constants():
    """Return the module and the name of each constant of the workflow that is or has a number."""
    for module in pkgutil.walk_packages(workflow.__path__, f"{workflow.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.isupper() and other(value) != value:
                yield module.name, name


def other(value):
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value + 1
    return {key: other(each) for key, each in value.items()} if type(value) is dict else value


@pytest.mark.parametrize(("module", "name"), sorted({*constants()}))
def test_no_number_of_the_workflow_changes_a_byte(values, module, name, tmp_path, monkeypatch):
    values["sweeps"]["random"]["measures"] = ["accuracy", "ccgp"]
    found = []
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        found.append(make(Plan(read_config(values)), METRICS).read_bytes())
        of = importlib.import_module(module)
        monkeypatch.setattr(of, name, other(getattr(of, name)))
    assert found[0] == found[1]
