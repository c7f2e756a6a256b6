"""The picture at the head of the README is drawn from tables of whole runs."""

import numpy as np
import pandas as pd
import pytest
from layout_faults import faults
from matplotlib.figure import Figure

from repatlas.command.publish import STYLE
from repatlas.plots.style import applied
from repatlas.report import hero
from repatlas.studies.convergence.rows.similarities import TYPICAL


@pytest.fixture(scope="module")
def tables():
    """For each study a table with what the picture shows, and rows that it must leave out."""
    alignment = pd.DataFrame(
        [
            {"measure": "target_alignment", "activation": name, "delta": delta, "value": value,
             "contrast": contrast, "seed": seed}
            for contrast, away in ((None, 0.0), ("tanh - relu", 9.0))
            for name, values in (("tanh", (0.3, 1.0, 1.0)), ("relu", (0.5, 0.6, 0.8)))
            for delta, value in zip((0.0, 0.5, 1.0), values + np.array(away), strict=True)
            for seed in (0, 1)
        ]
    )  # fmt: skip
    corners = [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]
    patterns = pd.DataFrame(
        [
            {"measure": "pattern", "variant": "place", "activation": name, "delta": delta,
             "step": step, "cluster": cluster, "x": x, "y": y, "seed": 0}
            for name in ("tanh", "relu")
            for delta in (0.0, 0.5)
            for step in (0, 2000)
            for cluster, (x, y) in enumerate(corners)
        ]
    )  # fmt: skip
    strengths = pd.DataFrame(
        [
            {"measure": "singular_value", "network": "gated", "contexts": contexts, "neuron": 0,
             "variant": pathway, "seed": seed, "step": step, "value": step * len(pathway) / 100}
            for contexts in (3, 4)
            for pathway in ("a", "b", "ab", "common")
            for seed in (0, 1)
            for step in (0, 50, 100)
        ]
    )  # fmt: skip
    distances = pd.DataFrame(
        [
            {"measure": "pwcca", "variant": "both", "items": items, "contrast": TYPICAL,
             "step": step, "run": run, "other_run": other, "labels": labels, "layer": layer,
             "layer_name": f"hidden{layer}", "value": 0.1 * layer, "seed": 0}
            for items in ("train", "test")
            for step in (0, 880)
            for run, other, labels in (("g", "g", "original"), ("m", "m", "permuted"),
                                       ("g", "m", "original"))
            for layer in (1, 2, 3)
        ]
    )  # fmt: skip
    structure = pd.concat([alignment, patterns], ignore_index=True)
    return {"structure": structure, "gating": strengths, "convergence": distances}


@pytest.fixture(scope="module")
def figure(tables) -> Figure:
    with applied(STYLE):
        return hero.draw(tables, STYLE)


def panel_of(figure, label):
    return next(ax for ax in figure.axes if ax.get_xlabel() == label)


def test_curves_are_means_over_networks_without_contrasts(figure):
    tanh, relu = panel_of(figure, "separability of the classes δ").lines
    assert tanh.get_ydata().tolist() == [0.3, 1.0, 1.0]
    assert relu.get_ydata().tolist() == [0.5, 0.6, 0.8]


def test_pathways_of_the_task_with_three_contexts_race(figure):
    last = sorted({line.get_ydata()[-1] for line in panel_of(figure, "epoch").lines})
    assert last == [1.0, 2.0]


def test_similarity_is_of_trained_networks_on_training_images(figure):
    lines = panel_of(figure, "layer").lines
    assert len(lines) == 3
    assert all(np.allclose(line.get_ydata(), [0.9, 0.8, 0.7]) for line in lines)


def test_the_picture_has_no_fault_of_layout(figure):
    with applied(STYLE):
        assert faults(figure) == []
