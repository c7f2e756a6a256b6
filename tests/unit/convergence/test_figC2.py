"""Figure C2: its table and claims from pairs whose answer is known, and its drawing."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from seen_colours import LEAST_DIFFERENCE, hardest_to_tell
from selections import some
from unit_pairs import Pairs, contrasts, drawn, grid, judged, networks, value

from repatlas.studies.convergence import figC2
from repatlas.studies.convergence.figC2 import tabulate
from repatlas.studies.convergence.rows.prediction import DECAYS
from repatlas.studies.convergence.rows.similarities import OVER_PAIRS

HIDDEN = (1, 2, 3, 4)
LOSSES = {"a to b": {0.0: 0.20, 0.1: 0.18, 1.0: 0.5}, "b to a": {0.0: 0.30, 0.1: 0.32, 1.0: 0.5}}
"""At each penalty: 0.1 is best for a to b, and 0 for b to a."""
GAIN = ((0.20 - 0.20) + (0.30 - 0.32)) / 2
"""Each direction is judged at the penalty of the other one."""


def predicted(of, comparison, seeds, one_to_one=0.35):
    pairs = Pairs(of, comparison, seeds, disjoint=True)
    for direction, losses in LOSSES.items():
        for step in (0, -1):
            every = {"layers": HIDDEN, "step": step, "similarity": False}
            sizes = {"h_a": 64, "h_b": 32}
            for at, loss in losses.items():
                # Deeper layers are predicted worse.
                pairs.add("held_out_loss", direction,
                          lambda kind, layer, *of, loss=loss: loss + 0.01 * (layer - 1),
                          at=at, **every)  # fmt: skip
                pairs.add("held_out_loss", f"{direction} floor", 0.51, at=at, **every)
                pairs.add("training_loss", direction, loss - 0.01, at=at, **every)
                pairs.add("nonzeros", direction, 40 * (1 - at), at=at, **every)
            pairs.add("one_to_one_loss", direction, one_to_one, **every)
            pairs.add("predictors", direction, 8.0, **every, **sizes)
            for name, share in (("local", 0.25), ("slightly distributed", 0.75)):
                pairs.add("code_class", f"{direction}, {name}", share, **every)
    return pairs.table()


def published(of, seeds):
    pairs = Pairs(of, "published", seeds, disjoint=True)
    for direction in LOSSES:
        for number, at in enumerate(DECAYS):
            for name in ("published", "convex"):
                for part in ("training", "held_out"):
                    pairs.add(f"{name}_{part}_loss", direction, 0.2 + 0.05 * number, at=at,
                              layers=HIDDEN, similarity=False)  # fmt: skip
    return pairs.table()


def rows(seeds=12, accuracy=lambda seed: 1.0, **network):
    of = grid("mlp", **network)
    return {
        "mlp": networks(of, seeds, accuracy),
        "mlp_prediction": predicted(of, "mlp_prediction", seeds),
        "published": published(of, seeds),
    }


@pytest.fixture(scope="module")
def table():
    cnn = grid("cnn")
    more = {"cnn": networks(cnn, 12), "cnn_prediction": predicted(cnn, "cnn_prediction", 12)}
    return tabulate(rows() | more, None)


WHERE = {"network": "mlp", "activation": "relu", "step": 880, "layer": 1}


def test_a_pair_has_one_value_of_both_directions_under_its_smaller_seed(table):
    own = contrasts(table)
    own = own[own["measure"] == "dense_loss"]
    assert set(own["seed"]) == {0, 2, 4, 6, 8, 10}
    assert value(own, **WHERE, seed=4) == pytest.approx((0.20 + 0.30) / 2)


def test_what_one_unit_loses_is_told_in_parts_of_what_least_squares_explains(table):
    own = contrasts(table)
    found = value(own, **WHERE, seed=0, measure="one_to_one_excess")
    assert found == pytest.approx((0.35 - 0.25) / (0.5 - 0.25))


def test_units_needed_are_a_share_of_those_that_predict(table):
    own = contrasts(table)
    found = value(own, **WHERE, seed=0, measure="predictors_share")
    assert found == pytest.approx((8 / 64 + 8 / 32) / 2)


def test_a_penalty_is_chosen_on_the_other_direction(table):
    own = contrasts(table)
    found = value(own, **WHERE, seed=0, measure="chosen_penalty_gain")
    assert found == pytest.approx(GAIN)


def test_what_nothing_predicts_has_no_excess():
    of = grid("mlp")
    pairs = predicted(of, "mlp_prediction", 4)
    dense = (pairs["measure"] == "held_out_loss") & (pairs["at"] == 0)
    hopeless = rows(4) | {"mlp_prediction": pairs.assign(value=pairs["value"].mask(dense, 0.6))}
    own = contrasts(tabulate(hopeless, None))
    assert some(own.loc[own["measure"] == "one_to_one_excess", "value"].isna()).all()
    assert some(own.loc[own["measure"] == "dense_loss", "value"].eq(0.6)).all()


def test_curves_are_means_over_pairs_with_their_floor(table):
    means = contrasts(table, OVER_PAIRS)
    where = WHERE | {"measure": "held_out_loss", "at": 0.1}
    assert value(means, **where, variant="") == pytest.approx((0.18 + 0.32) / 2)
    assert value(means, **where, variant="floor") == pytest.approx(0.51)


def test_claims_find_what_was_put_in(table):
    def median(name):
        return [found.value for found in judged(name, table)]

    excess = np.mean([(0.35 - 0.25 - d) / (0.25 - d) for d in (0, 0.01, 0.02, 0.03)])
    assert median("C4") == pytest.approx([0.25, excess, 3 / 16])
    assert median("C5") == median("C5b") == pytest.approx([1.0])
    assert median("C6") == pytest.approx([-0.1])
    assert median("C6b") == pytest.approx([GAIN])
    assert judged("C6", table)[0].verdict == "contradicted"
    assert judged("C5", table)[0].seeds == 6


def test_the_gain_of_a_decay_is_drawn_beside_the_gains_that_the_talk_prints(table):
    [ax] = [ax for ax in drawn(figC2, table).axes if ax.get_xlabel() == "Decay"]
    bold = [line for line in ax.lines if line.get_marker() == "D"]
    [talk] = [np.asarray(line.get_ydata()) for line in bold]
    assert talk[:3] == pytest.approx([0, 0.0052, 0.0388])


def test_bars_of_code_classes_are_told_apart_by_their_shade_or_their_hatch():
    for one, other in combinations(figC2.CLASSES.values(), 2):
        shades = [to_rgb(look["facecolor"]) for look in (one, other)]
        has_hatch = one.get("hatch") != other.get("hatch")
        assert has_hatch or hardest_to_tell(*shades)[1] >= LEAST_DIFFERENCE
