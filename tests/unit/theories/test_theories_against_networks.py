"""Theories have an exact answer in special cases, and their figure is as a page wants it."""

import numpy as np
import pandas as pd
import pytest
from budget import over_budget_beside_the_exceptions, words_of_a_legend
from claimed_panels import claims_without_panel
from drawn_pages import LEAST_WIDTH, page_of

from repatlas.inference.intervals import Interval
from repatlas.studies.theories.fig01 import FAMILIES, NULLS, tabulate, verdict
from repatlas.theories import (
    closed_form,
    free_features,
    frozen_gates,
    lazy_kernel,
)
from repatlas.theories.errors import THEORIES
from repatlas.theories.prediction import Items, alignment

RATE, EPOCHS = 0.05, 60


def trained(first, second, x, y):
    """Return losses, and the hidden layer at the end, of a linear network."""
    losses = []
    for _ in range(EPOCHS + 1):
        hidden = first @ x
        errors = second @ hidden - y
        losses.append(np.sum(errors**2) / 2)
        change = second.T @ errors @ x.T, errors @ hidden.T
        first, second = first - RATE * change[0], second - RATE * change[1]
    return np.array(losses), hidden


@pytest.fixture
def start():
    draws = np.random.default_rng(0)
    x, y = np.eye(3), draws.normal(size=(2, 3))
    first, second = (1e-3 * draws.normal(size=each) for each in ((40, 3), (2, 40)))
    epochs = np.arange(EPOCHS + 1)
    return Items(x, y, first, second, "linear", RATE, epochs, epochs[-1:])


def test_the_closed_form_predicts_a_linear_network_from_small_weights(start):
    losses, hidden = trained(start.first, start.second, start.inputs, start.targets)
    found = closed_form.predict_by_modes(start)
    assert np.abs(found.losses - losses / losses[0]).mean() < 0.05
    assert found.alignment[-1] == pytest.approx(alignment(hidden.T, start.targets.T), abs=0.1)


def test_frozen_gates_are_exact_for_a_linear_network(start):
    losses, hidden = trained(start.first, start.second, start.inputs, start.targets)
    found = frozen_gates.on_items(start)
    np.testing.assert_allclose(found.losses, losses / losses[0], rtol=1e-12)
    assert found.alignment[-1] == pytest.approx(alignment(hidden.T, start.targets.T))


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_frozen_gates_learn_as_lazily_as_the_lazy_kernel_from_large_weights(start, activation):
    wide = start._replace(
        first=1000 * start.first, second=30 * start.second, activation=activation, rate=1e-3
    )
    found, lazy = (each.on_items(wide) for each in (frozen_gates, lazy_kernel))
    assert found.losses[0] == pytest.approx(1)
    np.testing.assert_allclose(found.losses, lazy.losses, atol=0.02)
    assert found.losses[-1] < 0.9


def test_features_that_are_free_have_the_root_of_the_targets_kernel():
    targets = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    assert free_features.predict(targets, 1).alignment[0] == pytest.approx(1)


COMMON = {"task": "xor", "sigma": 1.0, "delta": 0.5, "initial": "fan_in", "seed": 0}


def tabulated(*rows):
    rows = pd.DataFrame([COMMON | {"network": "tanh", "step": 5} | row for row in rows])
    nothing = pd.DataFrame(columns=[*rows.columns, "activation"])
    return tabulate({"clusters": nothing, "few_items": rows, "pathways": nothing}, None)


def test_the_error_of_a_theory_is_the_mean_over_settings_and_infinite_where_it_has_no_value():
    table = tabulated(
        *(
            {"run": run, "measure": "loss_error", "variant": theory, "value": value}
            for run, theory, value in (
                ("a", "lazy kernel", 0.2),
                ("b", "lazy kernel", 0.4),
                ("a", "closed form", np.nan),
            )
        )
    )
    found = table.set_index("variant")["value"]
    assert found["lazy kernel"] == pytest.approx(0.3)
    assert np.isinf(found["closed form"])


def test_null_models_are_no_change_and_a_linear_network_of_the_same_settings():
    curve = {"measure": "relative_loss", "variant": "network"}
    start = {"measure": "alignment_error", "variant": "kernel of the start"}
    table = tabulated(
        *(
            curve | {"network": network, "run": network, "step": step, "value": value}
            for network, end in (("tanh", 0.5), ("linear", 0.7))
            for step, value in ((0, 1.0), (5, end))
        ),
        start | {"run": "tanh", "value": 0.3},
    )
    found = table.set_index(["family", "measure", "variant"])["value"]["xor tanh"]
    assert found["loss_error"].to_dict() == pytest.approx(
        {"no change": 0.25, "linear network": 0.1}
    )
    assert found["alignment_error"]["no change"] == 0.3
    assert set(table["family"]) == {"xor tanh"}


@pytest.mark.parametrize(
    ("differences", "word"),
    [([-0.2, -0.1], "holds"), ([-0.2, 0.1], "fails"), ([-0.2, 0.0], "open"), ([], "open")],
)
def test_a_theory_holds_where_it_beats_every_null_model(differences, word):
    assert verdict([Interval(each, each - 0.05, each + 0.05) for each in differences]) == word


def test_a_network_that_diverged_is_counted_and_not_drawn():
    lost = {"family": "xor tanh", "run": "a", "seed": 3, "measure": "loss_error"}
    lost |= {"variant": "diverged", "diverged_step": 7}
    table = pd.concat([a_table(6), pd.DataFrame([lost])], ignore_index=True)
    note = page_of("theories", "fig01", table).figure.get_label()
    assert "Diverged and left out: 1 network" in note


def a_table(seeds):
    """Return a table with an error of each theory for each family."""
    draws = np.random.default_rng(1)
    return pd.DataFrame(
        [
            {"family": family, "run": family, "seed": seed, "measure": measure}
            | {"variant": variant, "value": draws.uniform(0, 0.2), "step": None, "contrast": None}
            | {"diverged_step": None, "converged_step": None}
            for family in FAMILIES
            for measure in ("loss_error", "alignment_error")
            for variant in (*THEORIES, *NULLS, "other seeds")
            for seed in range(seeds)
        ]
    )


@pytest.mark.slow
def test_the_figure_fits_its_page_and_keeps_the_budget():
    page = page_of("theories", "fig01", a_table(10))
    assert page.faults() == []
    assert over_budget_beside_the_exceptions("theories", "fig01", page.figure) == set()
    assert words_of_a_legend(page.figure) == []
    assert claims_without_panel("theories", "fig01", page.figure) == {}


@pytest.mark.slow
def test_a_preview_fits_the_least_width():
    table = a_table(1)
    few = table[table["family"].isin(FAMILIES[:2]) & (table["variant"] != "other seeds")]
    assert page_of("theories", "fig01", few, width=LEAST_WIDTH, preview=True).faults() == []
