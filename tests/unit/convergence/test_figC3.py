"""Figure C3: how many directions and neurons a network needs, on curves whose answer is known."""

import numpy as np
import pytest
from made_up import END, accuracy, frame, network, the

from repatlas.studies.convergence.figC3 import CUT, LIKE, tabulate

NUMBERS = (1, 2, 4, 8, 16, 32, 64)
WIDTH = 64
OTHERS = ["principal", "random neurons, others 0", "largest neurons, others 0"]
NEEDED = {"svcca, orthogonal": 4, "svcca, least squares": 8, "principal": 2}
"""The number with which a curve is at its height; 32 neurons otherwise."""


def made(seeds=3, activations=("relu", "tanh"), trained=1.0):
    networks, pairs = [], []
    for activation in activations:
        for seed in range(seeds):
            about = network(seed, activation)
            networks.append(accuracy(about, trained))
            partner = {"other_run": about["run"], "other_seed": (seed + 1) % seeds}
            for layer in (2, 4):
                own = about | partner | {"step": END, "layer": layer, "items": "train"}
                pairs += [own | row for row in layer_rows()]
    return {"networks": frame(networks), "directions": frame(pairs)}


def layer_rows():
    yield row("accuracy", "whole", WIDTH, 0.9)
    for variant in (*LIKE, *(name for both in LIKE.values() for name in both), *OTHERS):
        for k in NUMBERS:
            value = 0.9 if k >= NEEDED.get(variant, 32) else 0.3
            yield row("accuracy", variant, k, value)
    yield row("accuracy", "svcca, orthogonal", 10, 0.9)
    for m in NUMBERS:
        for k in (4, 10):
            yield row("accuracy", CUT, k, 0.9 if m >= 32 else 0.0) | {"unit": m}
        yield row("cut_correlation", "svcca", m, 1.0 if m >= 16 else 0.5)
        yield row("cut_accuracy", "svcca", m, 0.5)


def row(measure, variant, at, value):
    return {"measure": measure, "variant": variant, "at": float(at), "value": value}


def reached(before, after, low, high, level):
    """Return the value at a level between two positions, in the logarithm."""
    return before * (after / before) ** ((level - low) / (high - low))


@pytest.fixture(scope="module")
def table():
    return tabulate(made(), None)


def rows_of_one_network(table):
    own = table[(table["activation"] == "relu") & (table["seed"] == 1)]
    return own[(own["layer"] == 2) & own["contrast"].isna()]


def test_directions_are_counted_up_to_99_percent_of_the_whole_accuracy(table):
    expected = reached(2, 4, 0.3, 0.9, 0.99 * 0.9)
    assert the(
        rows_of_one_network(table), measure="needed", variant="svcca, orthogonal"
    ) == pytest.approx(expected)


def test_directions_are_compared_with_neurons_of_the_same_decoder(table):
    own = rows_of_one_network(table)
    own = own[own["measure"] == "needed_ratio"]
    assert the(own, variant="random neurons, others at mean") == pytest.approx(4 / 32)
    assert the(own, variant="largest neurons, regressed") == pytest.approx(8 / 32)
    assert len(own) == 4


def test_a_curve_that_stays_below_needs_the_whole_layer():
    rows = made(activations=["relu"])
    pairs = rows["directions"]
    low = (pairs["variant"] == "principal") & (pairs["at"] == 64)
    pairs.loc[low | (pairs["variant"] == "principal"), "value"] = 0.5
    found = rows_of_one_network(tabulate(rows, None))
    assert the(found, measure="needed", variant="principal") == WIDTH


def test_directions_without_values_are_no_number_of_directions():
    rows = made(activations=["relu"])
    pairs = rows["directions"]
    pairs.loc[pairs["variant"] == "svcca, orthogonal", "value"] = np.nan
    found = rows_of_one_network(tabulate(rows, None))
    assert np.isnan(the(found, measure="needed", variant="svcca, orthogonal"))


def test_neurons_of_directions(table):
    own = rows_of_one_network(table)
    share = reached(8, 16, 0.5, 1.0, 0.95) / WIDTH
    assert the(own, measure="neurons_of_a_direction") == pytest.approx(share)
    neurons = reached(16, 32, 0.0, 0.9, 0.99 * 0.9)
    assert the(own, measure="neurons_per_direction") == pytest.approx(neurons / 10)


def test_a_pair_with_a_network_that_did_not_learn_is_left_out():
    rows = made(activations=["relu"], seeds=4)
    rows["networks"].loc[rows["networks"]["seed"] == 2, "value"] = 0.98
    table = tabulate(rows, None)
    needed = table[table["measure"] == "needed"]
    # Seed 1 is compared with 2.
    assert sorted(needed["seed"].unique()) == [0, 3]
