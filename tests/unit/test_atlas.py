"""Stored networks are found by their settings, and loaded as they were measured."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from selections import some
from stages import make

from repatlas import atlas
from repatlas.artifacts.files import Unreadable
from repatlas.config.config import read_config
from repatlas.geometry import kernel_alignment
from repatlas.workflow.plan import Plan

SWEEPS = {
    "clusters": {
        "task": {"kind": "separable", "inputs": 12, "delta": [0.5, 1.0]},
        "network": {"activation": ["tanh", "relu"], "width": 8},
        "training": {"batch": 20, "samples": 40},
        "steps": [0, 5],
        "seeds": 2,
        "measures": ["accuracy", "alignment"],
    },
    "items": {
        "experiment": "items",
        "task": {"kind": "xor", "delta": 1.0},
        "network": {"kind": "relu", "width": 20, "sigma": 0.01},
        "training": {"rate": 0.02},
        "steps": [0, 50],
        "seeds": 1,
        "measures": ["alignment"],
    },
    "images": {
        "experiment": "images",
        "data_set": "digits",
        "pairing": ["fixed"],
        "network": {"architecture": "small_cnn", "activation": "relu", "width": 4, "depth": 1},
        "epochs": [0, 1],
        "seeds": 1,
        "measures": ["accuracy", "alignment"],
    },
    "classification": {
        "experiment": "classification",
        "data_set": "digits",
        "task": {"images": 100},
        "network": {"kind": "mlp", "activation": "relu", "depth": 2, "width": 8},
        "training": {"batch": 20},
        "steps": [0, 200],
        "seeds": 1,
        "measures": ["accuracy"],
    },
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of a sweep of each experiment."""
    folder = tmp_path_factory.mktemp("atlas")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plan = Plan(read_config({"sweeps": SWEEPS}))
        make(plan, *(name for name in plan.results if name.startswith("metrics")))
    return folder / plan.folder


def measured(results, network, measure, variant):
    """Return what the results say of a network, by layer."""
    rows = atlas.results(results).to_table().to_pandas()
    about = network.about
    rows = rows[(rows.run == about["run"]) & (rows.seed == about["seed"])]
    rows = rows[(rows.step == about["step"]) & (rows.measure == measure)]
    return rows[rows.variant == variant].set_index("layer").value


def test_the_table_has_a_row_for_each_network_at_each_step(results):
    found = atlas.networks(results)
    clusters = found[found.experiment == "clusters"]
    wanted = {
        (activation, delta, seed, step)
        for activation in ("tanh", "relu")
        for delta in (0.5, 1.0)
        for seed in (0, 1)
        for step in (0, 5)
    }
    rows = clusters[["activation", "delta", "seed", "step"]].itertuples(index=False, name=None)
    assert sorted(rows) == sorted(wanted)
    assert found.experiment.value_counts().to_dict() == {
        "clusters": 16,
        "items": 2,
        "images": 2,
        "classification": 2,
    }
    assert clusters.digest.nunique() == 8, "all steps of a network are in one array"


@pytest.mark.parametrize("experiment", SWEEPS)
def test_a_loaded_network_is_the_one_that_was_measured(results, experiment):
    for network in atlas.load(results, experiment=experiment):
        first = network.representation.first_layer
        if "alignment" in SWEEPS[experiment]["measures"]:
            variant = network.representation.variant
            values = measured(results, network, "target_alignment", variant)
            for layer, value in some(values).items():
                activity = network.layers[-1 if np.isnan(layer) else int(layer) - first]
                assert value == pytest.approx(kernel_alignment(activity, network.targets))
        for measure, variant, value in network.representation.scores():
            if measure == "accuracy" and "accuracy" in SWEEPS[experiment]["measures"]:
                assert value in measured(results, network, measure, variant).tolist()
        assert len(network.inputs) == len(network.targets) == len(network.layers[-1])


def test_the_table_shows_accuracy_and_the_alignment_of_the_last_layer(results):
    for network in atlas.load(results, experiment="images"):
        alignment = measured(results, network, "target_alignment", "class means")
        assert network.about["target_alignment"] == alignment[alignment.index.max()]
        (accuracy,) = measured(results, network, "accuracy", "test")
        assert network.about["accuracy"] == accuracy


def test_networks_are_chosen_by_their_settings(results):
    found = atlas.load(results, activation="tanh", delta=0.5, step=5, seed=[0, 1])
    assert [network.about["seed"] for network in found] == [0, 1]
    before, after = atlas.load(results, activation="tanh", delta=0.5, seed=1)
    changes = {name: np.abs(after.weights[name] - w).max() for name, w in before.weights.items()}
    assert changes and min(changes.values()) > 0, "training changes all that it stores"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"activatoin": "tanh"},
            "found the setting 'activatoin', expected one of experiment, task",
        ),
        ({"delta": 0.7}, r"found no network with delta=0\.7; expected delta: 0\.5, 1\.0$"),
        (
            {"experiment": "items", "delta": 0.5},
            r"found no network with experiment='items', delta=0\.5; expected delta: 1\.0$",
        ),
    ],
)
def test_a_setting_that_no_network_has_is_refused_with_what_there_is(results, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        atlas.load(results, **settings)


@pytest.mark.parametrize("read", [atlas.networks, atlas.results, atlas.load])
def test_a_folder_without_results_is_refused(tmp_path, read):
    with pytest.raises(FileNotFoundError, match=r"expected .*; start `make figures`"):
        read(tmp_path)


def damage(path):
    content = bytearray(path.read_bytes())
    content[-9] ^= 1  # a bit of the last array, or of the header of a table
    path.write_bytes(content)


def test_a_damaged_file_is_refused(results, tmp_path):
    copy = shutil.copytree(results, tmp_path / "results", symlinks=True)
    first, *_ = atlas.load(copy, experiment="items")
    damage(Path(first.about["path"]))
    with pytest.raises(Unreadable, match="is not what was written"):
        first.weights  # noqa: B018
    damage(next(copy.glob("metrics/*/items/*.parquet")).resolve())
    with pytest.raises(Unreadable):
        atlas.results(copy)


def test_networks_and_rows_that_two_sweeps_share_are_there_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = SWEEPS["items"]
    plan = Plan(read_config({"sweeps": {"few": few, "more": few | {"seeds": 2}}}))
    make(plan, "metrics/structure/few/seeds-0.parquet", "metrics/structure/more/seeds-0.parquet")
    assert len(atlas.networks()) == 4
    rows = atlas.results().to_table().to_pandas()
    assert not rows.duplicated(["run", "seed", "step", "measure", "variant", "layer"]).any()
    assert set(rows.seed) == {0, 1}
