"""What the input weights tell of a network, on neurons whose weights are known."""

import numpy as np
import pandas as pd
import pytest

from repatlas.studies.structure.rows.weights import update_rows, weight_rows


def measured(seed, step, measure, variant, values):
    """Return rows with a number of each neuron of a network."""
    about = {"run": "r", "seed": seed, "step": step, "measure": measure, "variant": variant}
    return [about | {"neuron": n, "value": value} for n, value in enumerate(values)]


def network(before, after, seed=0, later=None):
    """Return the rows of a network whose neurons have these weights: (intra, inter) of each."""
    rows = []
    for step, neurons in ((0, before), (5, after), (9, later)):
        for name, values in zip(
            ("intra", "inter"), zip(*(neurons or []), strict=True), strict=False
        ):
            rows += measured(seed, step, "position", name, values)
            rows += measured(seed, step, "weight", name, values)
    return rows


START = [(1.0, 1.0), (2.0, -1.0), (-1.0, 0.5)]
MOVED = [(2.0, 1.0), (2.0, 1.0), (0.0, 1.5)]  # by (1, 0), (0, 2) and (1, 1)
EXPECTED = [(3.0, 0.0), (0.5, 0.0), (2.0, 0.0)]


def with_expected(rows, seed=0, step=0, neurons=EXPECTED):
    for name, values in zip(("intra", "inter"), zip(*neurons, strict=True), strict=True):
        rows = rows + measured(seed, step, "expected_update", name, values)
    return pd.DataFrame(rows)


def test_the_agreement_with_the_field_is_the_median_cosine_of_update_and_change():
    # Along the expected update, across it, and at 45 degrees.
    [found] = update_rows(with_expected(network(START, MOVED))).to_dict("records")
    assert found["measure"] == "field_agreement"
    assert found["value"] == pytest.approx(np.sqrt(0.5))
    assert found["step"] == 5


def test_the_change_is_that_to_the_next_step_and_not_to_the_last():
    rows = with_expected(network(START, MOVED, later=[(-9.0, 0.0)] * 3))
    [found] = update_rows(rows).to_dict("records")
    assert found["value"] == pytest.approx(np.sqrt(0.5))


def test_a_network_that_was_measured_once_has_no_change():
    rows = with_expected(network(START, None, seed=1))
    assert update_rows(rows).empty
    both = pd.concat([rows, with_expected(network(START, MOVED))])
    assert list(update_rows(both)["seed"]) == [0]


def test_energy_and_movement_are_those_of_the_intra_class_part():
    found = weight_rows(pd.DataFrame(network(START, MOVED))).set_index("measure")["value"]
    intra, inter = (np.array(values) for values in zip(*MOVED, strict=True))
    assert found["inter_energy"] == pytest.approx((inter @ inter) / (inter @ inter + intra @ intra))
    assert found["intra_movement"] == pytest.approx(
        2 / 3
    )  # |change| of intra 1, 0, 1; inter 0, 2, 1
    angles = np.degrees(np.arctan2(intra, inter))
    assert found["angle_spread"] == pytest.approx(angles.std())
