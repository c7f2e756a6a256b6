"""What a config gives does not depend on what was trained in the same folder before."""

import contextlib
import copy
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selections import some
from stages import make_metrics, path_of, run

from repatlas.artifacts import layout
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan
from repatlas.stages import tabulate

RATES = [0.1, 1e3, 1e9, 1e18]
"""Learning rates. With the last three, some or all networks diverge, sooner or later."""

PANELS = ["accuracy", "alignment", "ccgp", "decoding", "parallelism"]


def subsets(values, required):
    chosen = st.sets(st.sampled_from(values), max_size=3)
    return chosen.map(lambda found: sorted(found | set(required)))


@st.composite
def configs(draw):
    """Return Figures 2 and 3, whose three sweeps share networks and differ in steps and seeds."""
    readout = draw(st.sampled_from(["binary", "normal"]))
    network = {"activation": ["tanh", "relu"], "width": 4, "readout": readout}
    network["hidden_bias"] = "none"
    rate = draw(st.sampled_from(RATES))
    optimiser = draw(st.sampled_from(["sgd", "adam"]))
    below = draw(st.sampled_from([None, 0.6]))
    task = {"kind": "separable", "inputs": 6}
    sweeps = {}
    names = ["delta", "paths", "noise"]
    draw(st.randoms()).shuffle(names)
    for name in names:
        sweeps[name] = {
            "task": task
            | {"delta": draw(subsets([0.5], [0.0, 1.0]))}
            | ({"noise_variance": draw(subsets([0.0], [1.0, 4.0]))} if name == "noise" else {}),
            "network": network,
            "training": {
                "batch": 4,
                "samples": 8,
                "learning_rate": rate,
                "optimiser": optimiser,
                "stop_below": below,
            },
            "steps": draw(subsets([1, 3, 6, 7, 9, 14], [0, 2])),
            "seeds": draw(st.integers(1, 2)),
            "measures": ["selectivity", "kernel"] if name == "paths" else PANELS,
            "preview": {"seeds": 1},
        }
    return {
        "sweeps": sweeps,
        "figures": {
            "fig02": {"sweep": "delta", "trajectories": "paths", "step": 2},
            "fig03": {"sweep": "noise", "step": 2},
        },
        "decoders": {"train_samples": 16, "test_samples": 16},
    }


def make(values, folder):
    """Make metrics and tables of a config in a folder that may have results of another config."""
    folder = Path(folder)
    with contextlib.chdir(folder):
        plan = Plan(read_config(copy.deepcopy(values)))
        metrics = {shard: make_metrics(plan, shard) for shard in plan.shards}
        tables = {}
        for figure in plan.figures:
            sources = [str(metrics[shard]) for shard in plan.shards_of(figure)]
            job, path = plan.tabulate_job(figure), path_of(plan, layout.TABLE, figure)
            tables[figure] = run(tabulate, job, path, "--metrics", *sources)
        return {key: path.read_bytes() for key, path in [*metrics.items(), *tables.items()]}


def assert_no_history(history):
    with tempfile.TemporaryDirectory() as used, tempfile.TemporaryDirectory() as new:
        for values in history:
            after = make(values, used)
        anew = make(values, new)
        assert after.keys() == anew.keys()
        assert [key for key, content in anew.items() if after[key] != content] == []


def one_figure(longer):
    """Return a config of Figure 3 at step 2, from networks that diverge soon.

    A second sweep has these networks at the steps `longer`, and no figure draws it."""
    noise = {
        "task": {
            "kind": "separable",
            "inputs": 6,
            "delta": [0.0, 1.0],
            "noise_variance": [1.0, 4.0],
        },
        "network": {"activation": ["tanh", "relu"], "width": 4, "readout": "trained"},
        "training": {"batch": 4, "samples": 8, "learning_rate": 1e3},
        "steps": [0, 2],
        "measures": PANELS,
        "seeds": 1,
    }
    return {
        "sweeps": {"noise": noise, "longer": noise | {"steps": longer}},
        "figures": {"fig03": {"sweep": "noise", "step": 2}},
        "decoders": {"train_samples": 16, "test_samples": 16},
    }


def test_networks_that_diverged_later_are_whole_when_the_later_steps_are_cut():
    assert_no_history([one_figure([0, 2, 300]), one_figure([0, 2])])


def test_a_figure_of_an_early_step_keeps_what_another_sweep_trains_until_it_diverges(tmp_path):
    make(one_figure([0, 2, 300]), tmp_path)
    rows = pd.read_parquet(tmp_path / "results/structure/tables/fig03.parquet")
    assert set(rows["activation"].dropna()) == {"tanh", "relu"}  # differences have none
    assert some(rows["diverged_step"].isna()).all()
    [metrics] = tmp_path.glob("results/metrics/clusters/separable-*/seed-0.parquet")
    late = pd.read_parquet(metrics).query("step == 300")
    assert (late["variant"] == "diverged").any()


HISTORIES = st.lists(configs(), min_size=2, max_size=3)
UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@settings(UNHURRIED, max_examples=6)
@given(HISTORIES)
def test_after_any_history_a_config_gives_the_bytes_of_a_fresh_folder(history):
    assert_no_history(history)
