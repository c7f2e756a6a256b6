"""Networks that name digits, compared by the measures that change a layer's activity."""

import numpy as np
import pytest
from naming import sweep
from stages import make_data, make_metrics, make_runs

from repatlas.artifacts.files import METRICS_SCHEMA, Arrays, read_table
from repatlas.artifacts.recipes.pairs import CompareNetworksJob
from repatlas.artifacts.runs import Parameters, run_arrays
from repatlas.config.config import read_config
from repatlas.experiments.classification.compared import Compared
from repatlas.pairs.seen import Network, Settings
from repatlas.pairs.similarities import directions
from repatlas.plan.plan import Plan


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def networks(plan):
    """Return the ReLU network of each seed, at the last checkpoint."""
    [spec] = [s for s in plan.sweeps[0].specs() if s.network.activation == "relu"]
    for shard in plan.shards:
        data, runs = (Arrays(make(plan, shard), kind) for make, kind in
                      ((make_data, "data"), (make_runs, "runs")))  # fmt: skip
        arrays = run_arrays(runs, spec.key)
        compared = Compared(data, shard.seed)
        yield Network(compared, spec, shard.seed, Parameters(runs, spec.key, arrays, -1))


def test_directions_of_networks_that_name_digits(plan_of):
    a, b = networks(plan_of(sweep(steps=[0, 400])))
    x, y = (network.seen("train", 2) for network in (a, b))
    found = {(r.variant, r.at): r.value for r in directions.rows(x, y, Settings())
             if r.measure == "accuracy" and r.unit is None}  # fmt: skip
    labels, outputs = a.labels("test"), a.seen("test", 3).rows
    assert found["whole", 8] == np.mean(outputs.argmax(axis=1) == labels) > 0.4
    assert found["random neurons, others at mean", 1] < found["whole", 8]


def test_a_comparison_says_of_which_experiment_its_networks_are():
    compare = {"between": ["mlp"], "similarities": ["cca"], "items": ["train"]}
    values = {"study": "convergence", "sweeps": {"mlp": sweep()}, "compare": [compare]}
    plan = Plan(read_config(values))
    for tile in plan.tiles:
        job = CompareNetworksJob.model_validate_json(plan.compare_job(tile).text)
        assert job.parsed()[0].experiment == "classification"
    assert len(plan.tiles) == 2


def test_dynamics_and_variates_have_their_noise_floor(plan_of):
    plan = plan_of(sweep(seeds=1, steps=[0, 10, 100, 200], measures=["to_the_end", "variates"]))
    _, table = read_table(make_metrics(plan, plan.shards[0]), "metrics", METRICS_SCHEMA)
    rows = table.to_pandas()
    floor = rows[rows["variant"].str.endswith(" floor")]
    assert set(floor.loc[floor["measure"].str.endswith("_to_end"), "step"]) == {0}
    # 200 items and 8 features: a mean squared correlation of 8 / 199.
    hidden = floor[floor["layer"].isin([1, 2]) & (floor["measure"] == "pwcca_to_end")]
    assert 0.1 < hidden["value"].min() < hidden["value"].max() < 0.25
    assert abs(floor.loc[floor["measure"] == "alignment_to_end", "value"]).max() < 0.05
    parts = rows[rows["by"] == "variates"].groupby(["measure", "variant"])["step"].agg(list)
    assert parts["part_correlation", "top floor"] == [200, 200]
    assert parts["correlation_with_end", "train floor"] == [0, 0]
    taken = set(parts["accuracy_without_part"].index)
    assert taken == {"top", "bottom", "top, regressed", "bottom, regressed"}
