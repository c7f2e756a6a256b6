"""Figure C1: its table and claims from pairs whose answer is known, and its drawing."""

from itertools import product

import numpy as np
import pytest
from matplotlib.legend import Legend
from unit_pairs import Pairs, contrasts, drawn, grid, judged, networks, texts, value

from repatlas.studies.convergence import figC1
from repatlas.studies.convergence.figC1 import tabulate
from repatlas.studies.convergence.rows.similarities import TYPICAL

OWN = np.array([0.01, -0.02, 0.03, 0.0, 0.02, -0.01, 0.005, 0.015])
"""What each network adds to the similarity of its pairs."""
HIDDEN, LOGITS = (1, 2, 3, 4), (5,)


def matched(activation, layer, i, j):
    return 0.7 - 0.1 * layer + OWN[i] + OWN[j]


def units(of, seeds):
    """Return pairs with known matched, natural and best correlations."""
    pairs = Pairs(of, "mlp_units", seeds)
    every = {"layers": HIDDEN + LOGITS, "names": {5: "logits"}}
    for sign in ("signed", "absolute"):
        pairs.add("matching", sign, matched, **every)
        pairs.add("matching", sign, 0.2, step=0, **every)
        for step in (0, -1):
            pairs.add("natural", sign, 0.05, step=step, **every)
            floor = {"step": step, "pairs": pairs.disjoint} | every
            pairs.add("matching", f"{sign} floor", 0.1, **floor)
        pairs.add("matched_share", sign, 0.625, **every)
        for direction, more in (("a to b", 0.01), ("b to a", 0.03)):
            of_direction = f"{sign}, {direction}"
            pairs.add("semi_matching", of_direction, 0.8 + more, **every)
            pairs.add("without_partner", of_direction, 0.2 + more, **every)
    pairs.add("natural_excess", "signed", 0.01, layers=HIDDEN)
    pairs.add("natural_excess", "signed", 0.6, layers=LOGITS, names={5: "logits"})
    return pairs.table()


def one_pair(of, number=4):
    pairs = Pairs(of, "one_pair", 2)
    rng = np.random.default_rng(0)
    for variant in ("a to b", "in a", "in b"):
        for (i, j), r in np.ndenumerate(rng.uniform(-1, 1, (number, number))):
            pairs.add("unit_correlation", variant, r, unit=i, other_unit=j)
    for i in range(number):
        pairs.add("unit_correlation", "partner", 1 - i / 9, unit=i, other_unit=number - 1 - i)
    for which in ("best", "median", "worst"):
        pairs.add("preferred_pair", which, -0.25, unit=0, other_unit=1)
        for side in "ab":
            for (image, pixel), v in np.ndenumerate(rng.uniform(0, 1, (9, 4))):
                more = {"unit": image, "other_unit": pixel}
                pairs.add("preferred_image", f"{which}, {side}", v, **more)
    return pairs.table()


def sorted_units(of, seeds):
    pairs = Pairs(of, "sorted_units", seeds, disjoint=True)
    for measure in ("sorted_matching", "sorted_semi_matching"):
        for variant, step in (("signed", 0), ("signed", -1), ("signed floor", -1)):
            for unit in range(3):
                pairs.add(measure, variant, 0.9 - 0.2 * unit, step=step, layers=(1, 4), unit=unit)
    return pairs.table()


def rows(seeds=8, accuracy=lambda seed: 1.0, **network):
    of = grid("mlp", **network)
    return {
        "mlp": networks(of, seeds, accuracy),
        "mlp_units": units(of, seeds),
        "sorted_units": sorted_units(of, seeds),
        "one_pair": one_pair(of),
    }


@pytest.fixture(scope="module")
def table():
    return tabulate(rows(), None)


def test_a_network_has_the_pseudo_value_of_its_pairs_and_all_pairs_the_median_of_these(table):
    own = contrasts(table)
    where = {"measure": "matching", "variant": "signed", "activation": "relu", "layer": 2}
    for seed, more in enumerate(OWN):
        found = value(own, **where, step=880, seed=seed)
        assert found == pytest.approx(0.5 + 2 * more)
    both = contrasts(table, TYPICAL)
    assert value(both, **where, step=880) == pytest.approx(0.5 + 2 * np.median(OWN))


def test_what_is_left_of_matching_is_without_floor_untrained_networks_and_natural_order(table):
    own = contrasts(table)
    where = {"measure": "matching", "activation": "relu", "layer": 1, "step": 880, "seed": 2}
    whole = value(own, variant="signed", **where)
    for name, taken in {"floor": 0.1, "untrained": 0.2, "natural": 0.05}.items():
        found = value(own, variant=f"signed minus {name}", **where)
        assert found == pytest.approx(whole - taken)


def test_the_two_directions_of_best_partners_are_averaged(table):
    means = contrasts(table, TYPICAL)
    where = {"variant": "signed", "activation": "tanh", "layer": 3, "step": 880}
    assert value(means, measure="semi_matching", **where) == pytest.approx(0.82)
    assert value(means, measure="without_partner", **where) == pytest.approx(0.22)


def test_networks_that_have_not_learned_are_left_out_and_counted_but_for_before_training():
    table = tabulate(rows(accuracy=lambda seed: 0.98 if seed == 2 else 1.0), None)
    own = contrasts(table)
    own = own[(own["measure"] == "matching") & (own["variant"] == "signed")]
    assert 2 not in set(own.loc[own["step"] == 880, "seed"])
    assert 2 in set(own.loc[own["step"] == 0, "seed"])
    assert "training accuracy: 2 networks" in texts(drawn(figC1, table))


def test_claims_find_what_was_put_in(table):
    excess = judged("C1", table)
    assert [found.value for found in excess] == pytest.approx([0.01, 0.01, 0.6])
    assert {found.verdict for found in excess} == {"supported"}
    checks = judged("C2c", table) + judged("C2", table)
    typical = 2 * float(np.median(OWN))
    wanted = [0.7 - 0.1 * k - taken + typical for taken in (0.2, 0.1) for k in HIDDEN]
    assert [found.value for found in checks] == pytest.approx([0.625, *wanted])
    assert {found.seeds for found in checks} == {8}
    [share] = judged("C3", table)
    assert share.value == pytest.approx(0.22)


def test_first_and_last_layers_are_set_against_those_between():
    of = grid("cnn")
    pairs = Pairs(of, "cnn_units", 6)
    names = {1: "conv1", 2: "conv2", 3: "conv3", 4: "hidden"}
    values = {1: 0.8, 2: 0.3, 3: 0.5, 4: 0.6}

    for reduction, layers in (("spatial", (1, 2, 3)), ("pooled", (1, 2, 3)), ("", (4,))):
        for layer in layers:
            found = 0.0 if reduction == "pooled" else values[layer]
            more = {"layers": (layer,), "names": names, "reduction": reduction}
            for step in (0, -1):
                pairs.add("matching", "signed", found, step=step, **more)
    compared = rows(6) | {"cnn": networks(of, 6), "cnn_units": pairs.table()}
    [found] = judged("C2b", tabulate(compared, None))
    assert found.value == pytest.approx((0.8 + 0.6) / 2 - (0.3 + 0.5) / 2)
    assert found.verdict == "supported"


@pytest.mark.parametrize("preview", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_it_is_drawn_of_one_activation_and_three_networks(preview):
    figure = drawn(figC1, tabulate(rows(3, activation="tanh"), None), preview)
    assert "Tanh" in texts(figure)
    named = [text.get_text() for key in figure.findobj(Legend) for text in key.get_texts()]
    assert named.count("matched before training") == 2  # over training, and over layers
    assert ("PREVIEW" in texts(figure)) == preview


def test_a_mosaic_has_the_images_row_by_row():
    found = figC1.mosaic(np.repeat(np.arange(9.0)[:, None], 4, axis=1))
    assert found.shape == (8, 8)
    assert found[::3, ::3].tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_a_mosaic_of_colours_is_grey_beyond_the_border():
    red = np.array([1.0, 1.0, 1.0, np.nan] + [0.0, 0.0, 0.0, np.nan] * 2)
    found = figC1.mosaic(np.tile(red, (9, 1)), colours=3)
    assert found.shape == (8, 8, 3)
    assert found[0, 0].tolist() == [1, 0, 0]
    assert found[1, 1].tolist() == [figC1.BEYOND] * 3
    assert found[2, 2].tolist() == [1, 1, 1], "the line between two images"


def test_what_channels_of_convolutions_see_is_a_panel_of_its_own():
    of = grid("cnn")
    pair = Pairs(of, "one_cnn_pair", 2)
    for which in ("best", "median", "worst"):
        pair.add("preferred_pair", which, 0.5, unit=0, other_unit=1)
        for side, (patch, pixel) in product("ab", np.ndindex(9, 12)):
            more = {"unit": patch, "other_unit": pixel}
            pair.add("preferred_patch", f"{which}, {side}", 0.5, **more)
    compared = rows(3) | {"cnn": networks(of, 3), "one_cnn_pair": pair.table()}
    shown = texts(drawn(figC1, tabulate(compared, None)))
    assert "E: one pair of CNNs, layer 1." in shown
    assert "Best: 0.50" in shown
