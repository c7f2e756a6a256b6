"""Measures of a network on its way, on activity that is made up."""

from types import SimpleNamespace

import numpy as np
import pytest
from selections import some

from repatlas.measures import class_correlations, to_the_end, variates
from repatlas.networks.layer import Layer
from repatlas.representation import Decoders

RNG = np.random.default_rng(5)
ITEMS, WIDTH = 120, 8


class Seen:
    """A checkpoint whose hidden layers are given; its last one is read out by these weights."""

    usual_items, finite = "train", True

    def __init__(self, hidden, readout=None):
        self.readout = np.eye(WIDTH) if readout is None else readout
        self.hidden = hidden

    def layers_of_items(self, items):
        shown = self.hidden if items == "train" else [rows[::-1] for rows in self.hidden]
        logits = shown[-1] @ self.readout
        rows = [*shown, logits, logits]
        return [Layer(n, f"hidden{n}", "", values) for n, values in enumerate(rows, start=1)]

    def logits(self, items):
        return self.layers_of_items(items)[-2].rows

    def logits_from(self, number, activity):
        return activity @ self.readout

    def accuracy(self, outputs, items):
        return float(np.mean(outputs.argmax(axis=1) == self.logits(items).argmax(axis=1)))


def normal(width=WIDTH):
    return RNG.standard_normal((ITEMS, width))


def values(found, measure, **named):
    return {
        step: row.value
        for step, row in found
        if row.measure == measure
        and (row.variant == named.get("variant") or not row.variant.endswith(" floor"))
        and all(getattr(row, k) == v for k, v in named.items())
    }


def test_a_layer_that_stays_is_at_its_end_from_the_start_and_another_gets_there():
    stays, start, end = normal(), normal(), normal()
    rotation = np.linalg.qr(RNG.standard_normal((WIDTH, WIDTH)))[0]
    run = SimpleNamespace(checkpoints={0: Seen([stays @ rotation, start]), 9: Seen([stays, end])})
    found = list(to_the_end.rows(run, Decoders()))
    for name in ("pwcca", "svcca", "svcca_8", "alignment"):
        first = values(found, f"{name}_to_end", layer=1, neuron=1)
        second = values(found, f"{name}_to_end", layer=2, neuron=2)
        assert first == pytest.approx({0: 1, 9: 1}, abs=1e-9)
        assert second[0] < 0.5
        assert second[9] == pytest.approx(1)
    assert values(found, "pwcca_to_end", layer=1, neuron=2)[9] < 0.5
    assert values(found, "kept_directions", layer=1) == {0: 8, 9: 8}


def test_the_part_of_a_layer_that_stays_is_the_top_one_and_carries_what_it_is_read_for():
    # Two of eight directions are the same throughout. The readout reads these alone.
    stays = normal(2) * 3
    readout = np.zeros((WIDTH, WIDTH))
    readout[0, 0] = readout[1, 1] = 1
    steps = (0, 5, 50, 70, 100)
    run = SimpleNamespace(
        checkpoints={step: Seen([np.hstack([stays, normal(6)])], readout) for step in steps}
    )
    found = list(variates.rows(run, Decoders()))
    correlations = [
        row.value
        for step, row in found
        if row.measure == "correlation_with_end" and not row.variant.endswith(" floor")
    ]
    assert len(correlations) == len(steps) * WIDTH
    top, bottom = (values(found, "part_correlation", variant=p) for p in ("top", "bottom"))
    assert top.keys() == bottom.keys() == {70, 100}
    assert top == pytest.approx({70: 1, 100: 1}, abs=1e-9)
    assert max(bottom.values()) < 0.5
    without = {p: values(found, "accuracy_without_part", variant=p) for p in ("top", "bottom")}
    assert without["top"][5] < 0.7
    assert without["bottom"][5] == 1


def test_a_class_whose_logit_is_a_sum_of_units_is_there_and_noise_is_not():
    hidden = [normal(), normal()]
    found = list(class_correlations.rows(Seen(hidden), Decoders()))
    last = [r.value for r in found if r.measure == "class_correlation" and r.layer == 2]
    first = [r.value for r in found if r.measure == "class_correlation" and r.layer == 1]
    np.testing.assert_allclose(some(last), 1)
    assert max(first) < 0.6
    pairs = {(r.cluster, r.other_cluster): r.value for r in found if r.layer is None}
    assert len(pairs) == WIDTH * (WIDTH - 1) // 2
    assert pairs[2, 5] == pytest.approx(np.corrcoef(hidden[1][:, 2], hidden[1][:, 5])[0, 1])


def test_a_layer_of_more_features_than_images_has_no_value_and_says_why():
    run = SimpleNamespace(checkpoints={0: Seen([normal(ITEMS + 1), normal()])})
    found = [row for _, row in to_the_end.rows(run, Decoders()) if row.measure == "pwcca_to_end"]
    for row in found:
        wide = 1 in (row.layer, row.neuron)
        assert np.isnan(row.value) == wide
        assert ("more features than items" in (row.reason or "")) == wide
