"""Pairs of networks and of a user's arrays: what is compared, and what is compared again."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from repatlas.record import Refused
from repatlas.workflow import stages
from repatlas.workflow.config import plan_of, read
from repatlas.workflow.stages import compare_files

ITEMS = 24
NETWORKS = {
    "task": {"kind": "separable", "inputs": 6, "delta": [0.5]},
    "training": {"batch": 10, "samples": 20},
    "steps": [0, 2],
    "measures": ["accuracy"],
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that makes what is missing of a config, and returns the names of what it made."""
    monkeypatch.chdir(tmp_path)

    def run(**values):
        Path("own.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
        config = read([Path("own.yaml")], {})
        plan = plan_of(config)
        missing = [name for name in plan.results if not plan.version(name).is_file()]
        for name in missing:
            stages.make(config, [str(plan.made(name))], {})
        return missing

    return run


def pairs(name):
    """Return the rows of the links to a comparison."""
    found = sorted(Path("results").glob(f"own/own/comparisons/*/{name}/*.parquet"))
    return pd.concat([pd.read_parquet(path) for path in found], ignore_index=True)


def arrays_config(folder="data", **more):
    network = {"arrays": f"{folder}/{{seed}}/{{layer}}.npy", "rows": f"{folder}/items.csv"}
    network |= {"item": "item", "unit": "seed", "measures": ["dimensionality"]}
    compare = {"between": ["network"] * 2, "measures": ["alignment", "svcca"], "permutations": 19}
    return {"study": "own", "representations": {"network": network}, "compare": [compare | more]}


def write_arrays(*seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        Path("data", str(seed)).mkdir(parents=True)
        for layer in ("conv", "fc"):
            np.save(f"data/{seed}/{layer}.npy", rng.standard_normal((ITEMS, 8), dtype="f4"))
    pd.DataFrame({"item": [f"i{n}" for n in range(ITEMS)]}).to_csv("data/items.csv", index=False)


def test_a_number_of_two_arrays_does_not_depend_on_other_seeds(run):
    write_arrays(0, 2)
    run(**arrays_config())
    before = pairs("network-network")
    write_arrays(1)
    made = [name for name in run(**arrays_config()) if name.startswith("comparisons")]
    assert made == [f"comparisons/own/network-network/network-seed-{seed}.parquet" for seed in "12"]
    shutil.rmtree("results")
    run(**arrays_config())
    after = pairs("network-network").set_index(["a", "b", "measure"])
    assert len(before) == 2 * 6 and len(after) == 2 * 15
    same = after.loc[[*zip(before["a"], before["b"], before["measure"], strict=True)]].reset_index()
    pd.testing.assert_frame_equal(same[before.columns], before, check_exact=True)


def test_a_changed_array_is_compared_again_and_other_pairs_are_kept(run, capfd):
    write_arrays(0, 1)
    run(**arrays_config())
    values = np.load("data/0/fc.npy")
    values[0, 0] += 1
    np.save("data/0/fc.npy", values)
    capfd.readouterr()
    run(**arrays_config())
    said = capfd.readouterr().err
    assert "alignment: 0 of 1 pairs compared" in said
    assert "alignment: 2 of 4 pairs compared" in said


def test_an_array_that_changes_while_it_is_compared_ends_in_a_sentence(run, monkeypatch):
    write_arrays(0)
    compared = compare_files.pairs_of

    def compare_and_edit(*arguments):
        yield from compared(*arguments)
        np.save("data/0/fc.npy", np.ones((ITEMS, 8), dtype="f4"))

    monkeypatch.setattr(compare_files, "pairs_of", compare_and_edit)
    with pytest.raises(Refused, match=r"data/0/fc\.npy: changed while it was measured"):
        run(**arrays_config())
    assert not [*Path("results").rglob("comparisons/**/*.parquet")]


def test_one_more_seed_of_networks_is_compared_alone(run, capfd):
    networks = {
        name: NETWORKS | {"network": {"activation": name, "width": 8}} for name in ("relu", "tanh")
    }
    compare = {"between": ["relu", "tanh"], "pairs": "same_seed", "items": ["centres"]}
    compare |= {"similarities": ["matching", "natural"]}

    def run_seeds(seeds):
        sweeps = {name: each | {"seeds": seeds} for name, each in networks.items()}
        run(sweeps=sweeps, compare=[compare])
        return pairs("relu-tanh")

    before = run_seeds(2)
    capfd.readouterr()
    after = run_seeds(3)
    assert "8 of 12 parts kept" in capfd.readouterr().err
    assert {*after["a_seed"]} == {0, 1, 2}
    pd.testing.assert_frame_equal(
        after[after["a_seed"] < 2].reset_index(drop=True), before, check_exact=True
    )
