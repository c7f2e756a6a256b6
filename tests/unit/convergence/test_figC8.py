"""Figure C8: wide and narrow networks, from rows whose answer is known."""

import numpy as np
import pytest
from naming_rows import (
    additive,
    joined,
    network_rows,
    pair_rows,
    panels,
    value,
    verdicts,
)
from selections import some

from repatlas.studies.convergence import figC8 as figure
from repatlas.studies.convergence.figC8 import (
    BY_ACCURACY,
    tabulate,
    trained_over_untrained,
)
from repatlas.studies.convergence.rows.distances import TYPICAL, distances

MEASURES = [("pwcca", "both"), ("svcca", "k = 8"), ("alignment", "debiased"), ("subsets", "pwcca")]


def test_a_ratio_is_of_the_same_pair_before_training():
    first, last = np.full((3, 3), 0.5), np.full((3, 3), 0.9)
    first[0, 1] = 0.8
    rows = joined(pair_rows(first, step=0), pair_rows(last, step=880))
    found = trained_over_untrained(distances(rows))
    assert set(found["step"]) == {880}
    assert value(found, seed=0, other_seed=1) == pytest.approx(0.5)
    assert value(found, seed=1, other_seed=2) == pytest.approx(0.2)


def rows_of_widths(distance, widths=(8, 64, 256), seeds=10, activations=("relu",), start=None):
    """Return networks whose distance, and distance at step 0, are functions of the width. Their
    accuracy falls by half of their distance."""
    effects = np.random.default_rng(0).normal(0, 0.01, seeds)
    start = start or (lambda width: 0.8)
    networks, pairs = [], []
    for activation in activations:
        for width in widths:
            run = f"{activation}{width}"
            about = {"width": width, "activation": activation}
            for variant in ("training", "test"):
                accuracies = 0.9 - 0.5 * (distance(width) + effects)
                networks.append(network_rows(accuracies, run, variant=variant, **about))
            about |= {"h_a": width, "h_b": width, "items": "all"}
            for measure, variant in MEASURES:
                for step, at in ((0, start(width)), (880, distance(width))):
                    of = {"measure": measure, "variant": variant, "step": step} | about
                    pairs.append(pair_rows(additive(at, effects), run, **of))
            of = {"measure": "pwcca", "variant": "both floor", "step": 880} | about
            pairs.append(pair_rows(additive(0.9, effects), run, **of)[:1])
    return {"widths": joined(*networks), "among_widths": joined(*pairs)}


@pytest.mark.parametrize("claim", ["C17", "C17b", "C17c", "C17d"])
def test_wider_networks_are_closer_and_better(claim):
    table = tabulate(rows_of_widths(lambda width: 0.6 - 0.05 * np.log2(width)), None)
    assert set(verdicts(claim, table)) == {"supported"}


@pytest.mark.parametrize("claim", ["C17", "C17b", "C17c"])
def test_wider_networks_that_are_further_apart_contradict(claim):
    table = tabulate(rows_of_widths(lambda width: 0.05 * np.log2(width)), None)
    assert set(verdicts(claim, table)) == {"contradicted"}


def test_networks_that_are_closer_from_the_start_have_learned_nothing_of_it():
    def distance(width):
        return 0.6 - 0.05 * np.log2(width)

    table = tabulate(rows_of_widths(distance, start=lambda width: distance(width) ** 2), None)
    assert verdicts("C17", table) == ["supported"]
    assert "supported" not in verdicts("C17b", table)


def test_a_network_that_has_not_learned_is_shown():
    rows = rows_of_widths(lambda width: 0.5)
    assert some(rows["widths"]["value"] < 0.99).all()
    table = tabulate(rows, None)
    assert table.loc[table["measure"] == "pwcca", "seed"].nunique() == 10


def rows_of_convolutions(seeds=3):
    """Return networks with four convolutions and a full layer. In the full layer they are 0.1 less
    alike than over the positions of convolutions, and there 0.1 less than over the means of
    positions."""
    rows = rows_of_widths(lambda width: 0.4 - 0.001 * width, (4, 8, 16, 32), seeds)
    networks, pairs = (each.assign(network="small_cnn", depth=4) for each in rows.values())
    layers = [pairs.assign(layer=5)]
    for number in range(1, 5):
        spatial = pairs.assign(layer=number, reduction="spatial", value=pairs["value"] + 0.1)
        layers += [spatial, spatial.assign(reduction="pooled", value=pairs["value"] + 0.2)]
    return {"widths": networks, "among_widths": joined(*layers)}


def test_of_convolutions_accuracy_goes_with_the_distance_at_the_full_layer_after_them():
    table = tabulate(rows_of_convolutions(), None)
    found = table[table["variant"] == f"both{BY_ACCURACY}"]
    assert set(found["layer"]) == {5}


def test_of_convolutions_positions_are_shown():
    table = tabulate(rows_of_convolutions(), None)
    trained = panels(figure, table)[0].lines[0]
    means = table[(table["contrast"] == TYPICAL) & (table["variant"] == "both")]
    own = means[(means["measure"] == "pwcca") & (means["step"] > 0) & (means["layer"] == 1)]
    spatial = own[own["reduction"] == "spatial"].sort_values("width")
    assert trained.get_ydata().tolist() == spatial["value"].tolist()
