"""The law of activation functions: its properties, its fit, and its test."""

import csv

import numpy as np
import pandas as pd
import pytest

from repatlas.dynamics import activation_law as law
from repatlas.networks.activation import activation
from repatlas.networks.drawn import shape
from repatlas.studies.law.fig01 import tabulate

NAMES = [f"{measure} at {delta:g}" for measure in law.RANGES for delta in (0.5, 1.0)]


def of(function):
    return law.properties(function.value, function.slope)


@pytest.mark.parametrize("number", [0, 7])
def test_properties_do_not_change_where_networks_learn_the_same(number):
    f = shape(number)
    found = of(f)
    mirrored = law.properties(lambda u: f.value(-u), lambda u: -f.slope(-u))
    negative = law.properties(lambda u: -f.value(u), lambda u: -f.slope(u))
    moved = law.properties(lambda u: f.value(u) + 3, f.slope)
    for other in (mirrored, negative, moved):
        np.testing.assert_allclose(other, found, atol=1e-9)


def test_properties_of_known_functions():
    linear = law.properties(lambda u: 2 * u, lambda u: np.full_like(u, 2))
    np.testing.assert_allclose(linear, [np.log(2.05), 0, 0], atol=1e-9)
    # Half of |u| and half of u: their variances are 1 - 2 / pi and 1, a quarter each.
    assert of(activation("relu"))[1] == pytest.approx((1 - 2 / np.pi) / (2 - 2 / np.pi), abs=1e-4)
    assert of(activation("hard_tanh"))[1] == pytest.approx(0, abs=1e-9)


def test_a_fit_finds_the_law_that_made_the_values():
    rng = np.random.default_rng(0)
    found = rng.standard_normal((600, 3))
    values = {"target_alignment at 1": 1.04 / (1 + np.exp(-1 + found[:, 0] * found[:, 1])) - 0.02}
    numbers = law.fit(found[:500], values={k: v[:500] for k, v in values.items()})
    predicted = law.predict(found[500:], "target_alignment", 1.0, numbers)
    [truth] = values.values()
    assert np.abs(predicted - np.clip(truth[500:], 0, 1)).max() < 0.02


def test_no_coefficients_near_those_of_a_fit_have_a_smaller_squared_error():
    rng = np.random.default_rng(0)
    found, name = rng.standard_normal((400, 3)), "target_alignment at 1"
    noisy = 1 / (1 + np.exp(-2 * found[:, 0])) + 0.2 * rng.standard_normal(400)
    numbers = law.fit(found, {name: noisy})
    fitted = numbers["coefficients"][name]

    def error(coefficients):
        changed = numbers | {"coefficients": {name: coefficients}}
        return np.sum((law.predict(found, "target_alignment", 1.0, changed) - noisy) ** 2)

    for step in 0.1 * np.vstack([np.eye(len(fitted)), -np.eye(len(fitted))]):
        assert error(fitted + step) > error(fitted)


def test_the_predictions_that_were_published_before_the_test_are_those_of_the_law(repository):
    with (repository / "docs/law/predictions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["function"] for row in rows[:200]] == [str(n) for n in range(800, 1000)]
    names = [row["function"] for row in rows]
    found = np.array([of(shape(int(n)) if n.isdigit() else activation(n)) for n in names])
    for name in NAMES:
        measure, delta = name.split(" at ")
        published = [float(row[name]) for row in rows]
        np.testing.assert_allclose(law.predict(found, measure, float(delta)), published, atol=6e-5)


def networks(noise, shuffled=False):
    """Return rows of networks that follow the law, up to noise."""
    rng, made = np.random.default_rng(1), []
    numbers = list(range(40))
    for name in NAMES:
        measure, delta = name.split(" at ")
        values = law.predict(np.array([of(shape(n)) for n in numbers]), measure, float(delta))
        if shuffled:
            values = rng.permutation(values)
        for seed in range(8):
            noisy = values + noise * rng.standard_normal(len(values))
            made += [
                {"run": f"{n} {delta}", "seed": seed, "step": 2000, "measure": measure,
                 "variant": "samples" if measure == "ccgp" else "centres", "value": value,
                 "functions": "drawn", "function": n, "activation": None, "delta": float(delta),
                 "noise_variance": 1.0, "diverged_step": None, "converged_step": None}
                for n, value in zip(numbers, noisy, strict=True)
            ]  # fmt: skip
    rows = pd.DataFrame(made).astype({"function": "Int32"})
    return {"drawn": rows, "named": rows[:0]}


def explained(rows, measure="explained"):
    table = tabulate(rows, 2000)
    return table[table["measure"] == measure]


def test_networks_that_follow_the_law_are_explained_and_others_are_not():
    assert explained(networks(0.0))["value"].min() == pytest.approx(1)
    assert explained(networks(0.0, shuffled=True))["value"].max() < 0.5
