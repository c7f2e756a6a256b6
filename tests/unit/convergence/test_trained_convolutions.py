"""Figures C5 to C8 of small convolutional networks that were trained and compared, on digits: what
config/convergence-photographs.yaml has of photographs."""

import pytest
from naming_rows import drawn
from stages import make_data, make_metrics, make_runs, path_of, run

from repatlas.artifacts import layout
from repatlas.artifacts.files import read_table
from repatlas.config.config import read_config
from repatlas.named import named
from repatlas.plan.plan import Plan
from repatlas.stages import compare_networks, tabulate
from repatlas.studies.convergence.columns import TABLE_SCHEMA

pytestmark = pytest.mark.slow
SMALL = {"kind": "small_cnn", "activation": "relu", "width": 2, "depth": 2}
SEEDS = 3


def sweep(steps, measures, **more):
    common = {"experiment": "classification", "data_set": "digits", "network": SMALL}
    common |= {"task": {"images": 200}, "training": {"batch": 50}, "seeds": SEEDS}
    return common | {"steps": steps, "measures": measures, "preview": {"seeds": 1}} | more


FREEZING = ["accuracy", "learning_curves", "saved_gradients"]
SWEEPS = {
    "unfrozen": sweep([0, 3], FREEZING, more_measures={3: ["class_correlations"]}),
    "frozen": sweep(
        [3], FREEZING, training={"batch": 50, "frozen": ["linear", "late_linear"], "passes": 3}
    ),
    "memorising": sweep([0, 3], ["accuracy"], task={"images": 200, "labels": "permuted"}),
    "widths": sweep([0, 3], ["accuracy"], network=SMALL | {"width": [1, 2]}),
}
PAIRS = {"similarities": ["together"], "items": ["train", "test", "all"]}
COMPARE = [
    {"between": ["unfrozen"]} | PAIRS,
    {"between": ["memorising"]} | PAIRS,
    {"between": ["unfrozen", "memorising"]} | PAIRS,
    {"between": ["widths"], "similarities": ["together", "subsets"], "items": ["all"],
     "layers": [1, 2, 3]},
]  # fmt: skip
FIGURES = {
    "figC5": {"unfrozen": "unfrozen", "frozen": "frozen"},
    "figC6": {"narrow": ["unfrozen"]},
    "figC7": {
        "generalising": "unfrozen",
        "memorising": "memorising",
        "among_generalising": "unfrozen",
        "among_memorising": "memorising",
        "between_both": "unfrozen-memorising",
    },
    "figC8": {"widths": "widths", "among_widths": "widths"},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The tables of the four figures, by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("convolutions"))
        values = {"study": "convergence", "sweeps": SWEEPS, "compare": COMPARE, "figures": FIGURES}
        plan = Plan(read_config(values))
        metrics = {shard: str(make_metrics(plan, shard)) for shard in plan.shards}
        pairs = {tile: str(compared(plan, tile)) for tile in plan.tiles}
        found = {}
        for figure in plan.figures:
            path = path_of(plan, layout.TABLE, figure)
            own = ["--metrics", *(metrics[shard] for shard in plan.shards_of(figure))]
            own += ["--pairs", *(pairs[tile] for tile in plan.tiles_of(figure))]
            run(tabulate, plan.tabulate_job(figure), path, *own)
            found[figure.name] = read_table(path, "table", TABLE_SCHEMA)[1].to_pandas()
        return found


def compared(plan, tile):
    """Return the file of pairs of a cohort."""
    data = [str(make_data(plan, shard)) for shard in tile.shards]
    runs = [str(make_runs(plan, shard)) for shard in tile.shards]
    path = path_of(plan, layout.PAIRS, tile)
    return run(compare_networks, plan.compare_job(tile), path, "--data", *data, "--runs", *runs)


def test_two_convolutions_and_the_full_layer_are_frozen(tables):
    rows = tables["figC5"]
    assert set(rows.loc[rows["measure"] == "frozen_from", "layer"]) == {1, 2, 3}
    # With 4 layers and 3 passes, layer l is frozen after pass 3 l / 4, when the next pass begins.
    saved = rows[(rows["measure"] == "saved_gradients") & (rows["frozen"] == "linear")]["value"]
    assert set(saved) == {(2 + 1 + 0) / 12}


def test_classes_are_shown_at_the_convolutions(tables):
    rows = tables["figC6"]
    assert set(rows.loc[rows["measure"] == "accuracy", "seed"]) == set(range(SEEDS))
    assert "left out" in drawn(named("studies.convergence.figures.figC6", "drawing"), rows)


def test_generalising_and_memorising_networks_are_compared_at_means_over_positions(tables):
    rows = tables["figC7"]
    before = rows[(rows["step"] == 0) & (rows["reduction"] == "pooled")]
    assert set(before["layer"]) == {1, 2}
    assert set(before["items"]) == {"train", "test", "all"}


def test_widths_are_compared_up_to_the_full_layer(tables):
    rows = tables["figC8"]
    accurate = rows[rows["variant"] == "both, by test accuracy"]
    assert set(accurate["layer"]) == {3}
    assert len(accurate) == 2 * SEEDS
