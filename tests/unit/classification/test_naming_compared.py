"""Networks that name digits, compared by the measures that change a layer's activity."""

import numpy as np
import pytest
from naming import sweep
from stages import make_data, make_metrics, make_runs

from repatlas.experiments.classification.compared import Compared
from repatlas.experiments.classification.spec import Spec
from repatlas.pairs.seen import Network, Settings
from repatlas.pairs.similarities import directions

GROUP = "structure/sweep0/seeds-0"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def networks(plan):
    """Return the ReLU network of each seed, at the last checkpoint."""
    for (_, seed), run in make_runs(plan, GROUP).items():
        spec = Spec.model_validate(run.about["spec"])
        if spec.network.activation == "relu":
            parameters = {name: values[-1] for name, values in run.parameters.items()}
            yield Network(Compared(make_data(plan, GROUP), seed), spec, seed, parameters)


def test_directions_of_networks_that_name_digits(plan_of):
    a, b = networks(plan_of(sweep(steps=[0, 400])))
    x, y = (network.seen("train", 2) for network in (a, b))
    found = {(r.variant, r.at): r.value for r in directions.rows(x, y, Settings())
             if r.measure == "accuracy" and r.unit is None}  # fmt: skip
    labels, outputs = a.labels("test"), a.seen("test", 3).rows
    assert found["whole", 8] == np.mean(outputs.argmax(axis=1) == labels) > 0.4
    assert found["random neurons, others at mean", 1] < found["whole", 8]


def test_dynamics_and_variates_have_their_noise_floor(plan_of):
    plan = plan_of(sweep(seeds=1, steps=[0, 10, 100, 200], measures=["to_the_end", "variates"]))
    rows = make_metrics(plan, GROUP)
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
