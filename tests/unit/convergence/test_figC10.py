"""Figure C10: its table and claim from pairs whose answer is known, and its drawing."""

import pytest
from unit_pairs import Pairs, contrasts, grid, judged, networks, value

from repatlas.studies.convergence.figC10 import tabulate

FLOORS = {"signed": 0.1, "absolute": 0.15}
MATCHED = {
    ("tanh", "signed"): 0.5,
    ("tanh", "absolute"): 0.8,
    ("relu", "signed"): 0.6,
    ("relu", "absolute"): 0.67,
}


def rows(seeds, accuracy=lambda seed: 1.0):
    of = grid("mlp")
    pairs = Pairs(of, "mlp_units", seeds)
    every = {"layers": (1, 2, 3, 4, 5)}
    for sign, floor in FLOORS.items():
        pairs.add("matching", sign, lambda kind, *of, sign=sign: MATCHED[kind, sign], **every)
        pairs.add("matching", sign, 0.3, step=0, **every)
        for step in (0, -1):
            pairs.add("natural", sign, 0.0, step=step, **every)
            pairs.add("matching", f"{sign} floor", floor, step=step, pairs=pairs.disjoint, **every)
    return {"mlp": networks(of, seeds, accuracy), "mlp_units": pairs.table()}


def test_it_has_hidden_layers_alone_each_sign_less_its_own_floor():
    own = contrasts(tabulate(rows(6), None))
    assert set(own["layer"]) == {1, 2, 3, 4}
    where = {"layer": 3, "step": 880, "seed": 1}
    for (kind, sign), whole in MATCHED.items():
        found = value(own, activation=kind, variant=f"{sign} minus floor", **where)
        assert found == pytest.approx(whole - FLOORS[sign])


def test_the_claim_finds_how_much_more_tanh_gains():
    [found] = judged("C19", tabulate(rows(6), None))
    assert found.value == pytest.approx((0.3 - 0.05) - (0.07 - 0.05))
    assert found.verdict == "supported"
