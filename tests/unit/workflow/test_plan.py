"""Each result changes its identity with what it depends on, and with nothing else."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from repatlas.config.config import by_study, read_config
from repatlas.config.load import load
from repatlas.record import Refused
from repatlas.workflow import code
from repatlas.workflow.plan import Plan
from repatlas.workflow.stages import make, needed_by

REPOSITORY = Path(__file__).parents[3]


def plan(values, *folder):
    return Plan(read_config(values), *folder)


def identities(plan):
    """Return them without the page, which has the text of the config."""
    return {
        n: result.identity for n, result in plan.results.items() if result.stage != "write_report"
    }


def changed(before, after):
    """Return the files whose identity differs between two plans of the same files."""
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


@pytest.fixture
def values(small_values):
    return small_values


def test_order_has_no_meaning(values):
    before = identities(plan(values))
    values["sweeps"] = dict(reversed(values["sweeps"].items()))
    values["figures"] = dict(reversed(values["figures"].items()))
    for sweep in values["sweeps"].values():
        sweep["steps"] = [5, 0, 2]
        sweep["network"] = dict(reversed(sweep["network"].items()))
        sweep["network"]["activation"] = ["relu", "tanh"]
        sweep["measures"] = list(reversed(sweep["measures"]))
    values["sweeps"]["noise"]["task"]["delta"] = [1.0, 0.0, 0.5]
    assert changed(before, identities(plan(values))) == set()


def test_the_names_of_sweeps_have_no_meaning(values):
    before = identities(plan(values))
    values["sweeps"] = {f"my_{name}": sweep for name, sweep in values["sweeps"].items()}
    for figure in values["figures"].values():
        for role in {"sweep", "trajectories"} & figure.keys():
            figure[role] = f"my_{figure[role]}"
    after = {name.replace("/my_", "/"): each for name, each in identities(plan(values)).items()}
    assert changed(before, after) == set()


def test_spelling_out_a_default_has_no_meaning(values):
    before = identities(plan(values))
    values["sweeps"]["random"]["task"] |= {"clusters": 4, "noise_variance": 1}
    values["sweeps"]["noise"]["training"]["learning_rate"] = "1e-1"
    values["decoders"]["regularisation"] = 1
    values["style"] = {"width": 5.5}
    assert changed(before, identities(plan(values))) == set()


DRAWN = {"tables", "figures", "claims"}
NOISE = ("tasks", "runs", "metrics")
"""What comes before the table of Figure 3."""
COLOURS = {"tanh": "#000000", "relu": "#0072B2"}


@pytest.mark.parametrize(
    ("path", "value", "sweeps", "kinds"),
    [
        ("style.width", 6, (), DRAWN),
        ("style.colours", COLOURS, (), DRAWN),
        ("decoders.test_deviations", [2], "all", {"metrics", *DRAWN}),
        ("figures.fig03.step", 2, (), DRAWN),
        ("sweeps.noise.preview", {"seeds": 2}, (), set()),
        (
            "sweeps.noise.measures",
            ["alignment", "ccgp", "decoding", "parallelism"],
            ["noise"],
            {"metrics", *DRAWN},
        ),
        (
            "sweeps.noise.steps",
            [0, 5],
            ["noise"],
            {"runs", "metrics", *DRAWN},
        ),
        (
            "sweeps.noise.task.delta",
            [0.0, 0.7, 1.0],
            ["noise"],
            {"tasks", "runs", "metrics", *DRAWN},
        ),
    ],
)
def test_a_change_makes_again_what_depends_on_it_and_nothing_else(
    values, path, value, sweeps, kinds
):
    before = identities(plan(values))
    *folders, last = path.split(".")
    place = values
    for folder in folders:
        place = place.setdefault(folder, {})
    place[last] = value
    found = changed(before, identities(plan(values)))
    shared = {name for name in found if name.split("/")[0] in NOISE}
    of_study = {name.split("/")[1] for name in found - shared}
    assert {name.split("/")[0] for name in shared} | of_study == kinds
    assert {name.split("/")[2] for name in shared} == {
        *(values["sweeps"] if sweeps == "all" else sweeps)
    }


def test_one_more_seed_changes_one_group(values):
    values["sweeps"]["random"]["seeds"] = 4
    before = identities(plan(values))
    values["sweeps"]["random"]["seeds"] = 5
    after = identities(plan(values))
    new = {f"{kind}/structure/random/seeds-4" for kind in NOISE}
    assert {name.partition(".")[0] for name in after.keys() - before.keys()} == new
    found = changed(before, {name: after[name] for name in before})
    assert {Path(name).stem for name in found} == {"fig01", "claims"}


def test_a_recipe_names_its_inputs_by_their_identities(values):
    """A stage reads these, and never what a readable name leads to."""
    for result in plan(values).results.values():
        assert result.recipe["inputs"] == {
            role: [each.identity for each in inputs] for role, inputs in result.inputs.items()
        }
        assert result.identity == code.key(json.loads(json.dumps(result.recipe)))


def test_a_network_of_several_sweeps_belongs_to_the_smallest(values):
    """So one figure alone trains its own networks. Which sweeps share some changes no identity."""
    values["sweeps"]["noise"]["seeds"] = 3
    found = plan(values)
    metrics = {n: found.results[f"metrics/structure/{n}/seeds-0.parquet"] for n in values["sweeps"]}
    small = metrics["delta"]
    assert small.after in ([], [metrics["delta_paths"]])
    assert {metrics["delta"], metrics["delta_paths"]} == {*metrics["noise"].after}
    assert [each.names[0] for each in found.results["runs/structure/noise/seeds-0.json"].after] == [
        each.names[0].replace("metrics", "runs").replace("parquet", "json")
        for each in metrics["noise"].after
    ]
    alone = plan({"sweeps": {"noise": values["sweeps"]["noise"]}, "decoders": values["decoders"]})
    same = alone.results["metrics/structure/noise/seeds-0.parquet"]
    assert same.after == [] and same.identity == metrics["noise"].identity


def test_steps_that_other_sweeps_want_are_stored_on_the_way(values):
    values["sweeps"]["noise"]["steps"] = [1, 3, 5, 9]
    values["sweeps"]["noise"]["task"]["noise_variance"] = [1.0, 4.0]
    found = plan(values)
    group = found.results["runs/structure/delta/seeds-0.json"].what
    extra = found.extra_steps(group, 0)
    assert {key for key in group.networks(0)} == {*extra}
    assert all({*steps} == {0, 1, 2, 3, 5} for steps in extra.values())


def test_a_figure_is_made_from_its_own_sweeps_alone(values):
    found = plan(values).results["structure/tables/fig02.parquet"].inputs["metrics"]
    assert [each.names[0] for each in found] == [
        f"metrics/structure/{name}/seeds-0.parquet" for name in ("delta", "delta_paths")
    ]


def test_the_preview_has_names_of_its_own_and_the_same_store(values):
    whole, preview = plan(values), plan(values | {"preview": True})
    assert (str(whole.folder), str(preview.folder)) == ("results", "results/preview")
    assert str(whole.store) == str(preview.store) == "results/store"
    mine = plan(values | {"preview": True}, "results/own/x")
    assert (str(mine.folder), str(mine.store)) == ("results/own/x/preview", "results/store")


def test_what_a_preview_does_not_coarsen_is_what_the_whole_has(values):
    for sweep in values["sweeps"].values():
        sweep["preview"] = {"seeds": 2}
    before, after = (identities(plan(values | {"preview": each})) for each in (False, True))
    shared = [name for name in before if name.split("/")[0] in NOISE]
    assert all(before[name] == after[name] for name in shared)


def test_a_sweep_that_no_figure_draws_is_trained_and_measured(values):
    del values["figures"]["fig01"]
    targets = plan(values).targets()
    metrics = [f"metrics/structure/{n}/seeds-0.parquet" for n in ("random", "random_paths")]
    assert {*metrics} < {*targets["structure"]} == {*targets["all"]}
    assert targets["structure/random"] == metrics[:1]
    del values["figures"]
    assert {name.split("/")[0] for name in plan(values).targets()["all"]} == {"metrics"}


def test_a_study_a_figure_a_sweep_and_a_readable_name_are_targets(values):
    targets = plan(values).targets()
    pictures = [f"structure/figures/fig02.{suffix}" for suffix in ("pdf", "png")]
    assert targets["structure/fig02"] == ["structure/tables/fig02.parquet", *pictures]
    assert targets[f"results/{pictures[1]}"] == pictures[1:]
    assert targets["structure/delta"] == ["metrics/structure/delta/seeds-0.parquet"]
    assert {*pictures} < {*targets["structure"]}
    values["sweeps"] |= {"fig02": values["sweeps"]["delta"]}
    assert plan(values).targets()["structure/fig02"][1:] == pictures


def test_claims_are_judged_if_the_config_draws_a_figure_that_they_are_about(values):
    assert "structure/claims/claims.md" in plan(values).results
    values["figures"] = {"mine": values["figures"]["fig03"] | {"draw": "fig03"}}
    assert "structure/claims/claims.md" not in plan(values).results


def test_accepted_code_stands_for_the_code_that_it_replaces(values):
    before = plan(values)
    runs = [name for name in before.results if name.startswith("runs/")]
    codes = {before.results[name].recipe["code"] for name in runs}
    values["accept_code"] = {"train": dict.fromkeys(codes, "0123456789ab")}
    after = plan(values)
    assert {after.results[name].recipe["code"] for name in runs} == {"0123456789ab"}
    values["accept_code"] = {"train": {"000000000000": "0123456789ab"}}
    assert changed(identities(before), identities(plan(values))) == set()


def test_the_networks_of_the_figures_keep_the_keys_of_the_first_release(config_values):
    """Frozen: under another key no stored network would be found, and all be trained again."""
    specs = [
        spec
        for grids in read_config(config_values).studies["structure"].sweeps.values()
        for sweep in grids
        if sweep.experiment == "clusters"
        for spec in sweep.specs()
    ]
    keys = sorted({spec.key for spec in specs})
    assert len(keys) == 1513
    assert hashlib.sha256(" ".join(keys).encode()).hexdigest()[:16] == "c8e80264f45bb36b"


def test_two_texts_that_a_job_finds_to_be_another_plan_are_not_made(values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = by_study(values, "config.yaml")
    config = {"values": values, "file": "config.yaml", "files": {}, "folder": "results"}
    output = "results/store/made/tasks/structure/noise/seeds-0.0123456789abcdef.safetensors"
    with pytest.raises(Refused, match="has changed since this run began"):
        make(config, [output], {})
    assert not (tmp_path / "results").exists()


# The code of each result.


@pytest.fixture
def rests_on(monkeypatch):
    """Return the files of a config whose code has a module."""
    monkeypatch.setattr(Plan, "code", lambda plan, *modules: sorted(code.digests(*modules)))

    def rests_on(module, values):
        return {
            name
            for name, result in plan(values).results.items()
            if f"repatlas.{module}" in result.recipe["code"]
        }

    return rests_on


IMAGES = {
    "experiment": "images",
    "data_set": "digits",
    "pairing": ["fixed"],
    "network": {"architecture": "small_cnn", "activation": ["tanh"], "width": 2},
    "epochs": [0, 1],
    "seeds": 1,
    "measures": ["accuracy", "alignment", "ccgp", "parallelism"],
}


FIG03 = ("tables fig03", "figures fig03")


@pytest.mark.parametrize(
    ("module", "files"),
    [
        # No task here uses this module, but some claims do.
        ("experiments.clusters.kernels", {"claims"}),
        ("experiments.clusters.engine", {"runs noise"}),
        ("measures.decoding", {"metrics noise"}),
        ("images.training", {"runs digits", "metrics digits"}),
        ("networks.convolutional", {"runs digits", "metrics digits"}),
        ("studies.structure.fig03", {*FIG03, "report"}),
        ("networks.activations.relu", {"runs noise", "metrics noise", *FIG03, "claims"}),
        ("networks.activations.square", set()),
    ],
)
def test_an_edit_makes_again_what_rests_on_it_alone(one_figure_values, rests_on, module, files):
    one_figure_values["sweeps"]["digits"] = IMAGES
    one_figure_values["figures"]["figS6"] = {"images": ["digits"]}
    found = set()
    for name in rests_on(module, one_figure_values):
        one, two, *rest = Path(name).with_suffix("").parts
        of_study = two if two in ("claims", "report") else f"{two} {rest[0]}"
        found.add(of_study if one == "structure" else f"{one} {rest[0]}")
    assert found == files


def test_an_activation_is_code_of_the_metrics_that_compare_its_networks_with_theories(rests_on):
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
    for activation, kind in (("tanh", "tanh"), ("relu", "relu"), ("identity", "linear")):
        found = rests_on(f"networks.activations.{activation}", values)
        assert found == {f"metrics/theories/{kind}/seeds-0.parquet"}


def test_flat_is_code_of_all_that_is_read_from_arrays_of_two_axes(tmp_path, monkeypatch, rests_on):
    monkeypatch.chdir(tmp_path)
    for name in ("rates.csv", "trials.csv"):
        shutil.copy(REPOSITORY / "docs/demo" / name, tmp_path)
    arrays = {"arrays": "rates.csv", "rows": "trials.csv", "item": "stimulus", "trials": True}
    values = {"study": "own", "representations": {"neurons": arrays}, "measures": ["geometry"]}
    found = rests_on("own.reductions.flat", values)
    assert {name.split("/")[0] for name in found} == {"tasks", "metrics"}
    assert rests_on("own.reductions.pooled", values) == set()


def test_each_shipped_config_has_a_recipe_for_each_file(tmp_path):
    for name in (
        "config.yaml",
        "config/law.yaml",
        "config/theories.yaml",
        "config/multiverse.yaml",
    ):
        loaded = load([REPOSITORY / name])
        config = read_config(loaded.values | {"preview": True}, loaded.file, loaded.files)
        assert all(code.key(each.recipe) for each in Plan(config).results.values())


@pytest.mark.parametrize("file", ["config.yaml", "config/multiverse-gating.yaml"])
def test_a_job_that_reads_part_of_the_config_plans_as_the_head(file, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    loaded = load([Path(file).absolute()])

    def planned(values):
        return Plan(read_config(values, loaded.file, loaded.files), loaded.folder)

    whole = planned(loaded.values).results
    for name in {(each.stage, name.split("/")[0]): name for name, each in whole.items()}.values():
        assert planned(needed_by(name, loaded.values)).results[name].recipe == whole[name].recipe
