"""Figure C9: directions that settle late, on networks and in a toy whose answer is known."""

import numpy as np
import pytest
from made_up import END, accuracy, frame, network, the
from selections import some

from repatlas.similarity import canonical_correlations, thin_svd
from repatlas.studies.convergence import figC9
from repatlas.studies.convergence.rows import toy

ACCURACY = {0: 0.1, 5: 0.5, 10: 0.7, 50: 0.896, END: 0.9}
"""Within half a point of the end from step 50 on."""
CORRELATIONS = {
    0: [0.9, 0.9, 0.6, 0.5, 0.5, 0.4, 0.2, 0.2],
    5: [0.9, 0.9, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3],
    10: [1.0, 1.0, 0.8, 0.7, 0.6, 0.5, 0.4, 0.4],
    50: [1.0, 1.0, 1.0, 0.9, 0.9, 0.9, 0.6, 0.6],
    END: [1.0] * 8,
}
SMALL = {"ITEMS": 300, "FEATURES": 20, "SIGNALS": (4, 10, 19), "DRAWS": 3, "FEW_DRAWS": 1}
SMALL |= {"MAPS": 4, "SHARED": 10, "DIRECTIONS": 2}


@pytest.fixture(autouse=True)
def small_toy(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(toy, name, value)


def made(seeds=3, activations=("relu", "tanh"), trained=1.0):
    rows = []
    for activation in activations:
        for seed in range(seeds):
            about = network(seed, activation)
            rows.append(accuracy(about, trained))
            for step, correlations in CORRELATIONS.items():
                rows.append(accuracy(about, ACCURACY[step], "test", step))
                own = about | {"step": step, "layer": 4}
                for place, value in enumerate(correlations):
                    rows.append(own | {"measure": "correlation_with_end", "variant": "train",
                                       "neuron": place, "value": value})  # fmt: skip
            own = about | {"step": 0, "layer": 4, "measure": "correlation_with_end"}
            rows.append(own | {"variant": "train floor", "value": 0.2})
            for part, value in (("top", 0.9), ("bottom", 0.3)):
                own = about | {"layer": 4, "variant": part}
                for step in (10, END):
                    late = value - 0.1 * (step == 10)
                    rows.append(own | {"measure": "part_correlation", "step": step,
                                       "value": late})  # fmt: skip
                floor = {"measure": "part_correlation", "variant": f"{part} floor", "value": 0.1}
                rows.append(own | floor | {"step": END})
                for way in ("", ", regressed"):
                    rows.append(own | {"measure": "accuracy_without_part", "step": 5,
                                       "variant": part + way, "value": 0.4})  # fmt: skip
    return frame(rows)


def table_of(**more):
    return figC9.tabulate({"networks": made(**more)}, None)


def rows_of_one_network(table):
    return table[(table["activation"] == "relu") & (table["seed"] == 1) & table["contrast"].isna()]


def test_performance_has_converged_when_it_stays_within_half_a_point():
    assert the(rows_of_one_network(table_of()), measure="converged_at") == 0.5


def test_the_share_of_the_rise_that_comes_late_is_that_of_each_quarter():
    found = rows_of_one_network(table_of())
    assert the(found, measure="late_share", variant="top") == pytest.approx(0)
    assert the(found, measure="late_share", variant="bottom") == pytest.approx(0.4 / 0.8)


def test_a_quarter_that_had_nothing_to_rise_has_no_late_share(monkeypatch):
    monkeypatch.setitem(CORRELATIONS, 0, [1.0, 1.0, 0.6, 0.5, 0.5, 0.4, 0.2, 0.2])
    assert np.isnan(the(rows_of_one_network(table_of()), measure="late_share", variant="top"))


def test_parts_are_judged_in_the_second_half_of_training():
    found = rows_of_one_network(table_of())
    assert the(found, measure="late_part_correlation", variant="top") == pytest.approx(0.9)
    assert the(found, measure="late_part_correlation", variant="bottom") == pytest.approx(0.3)


def test_what_is_lost_without_a_part_is_the_accuracy_with_all_of_the_layer_minus_the_one_without():
    table = table_of()
    [whole] = made(activations=["relu"]).query(
        "measure == 'accuracy' and variant == 'test' and seed == 1 and step == 5"
    )["value"]
    for variant in ("top", "bottom", "top, regressed", "bottom, regressed"):
        lost = the(rows_of_one_network(table), measure="accuracy_lost", variant=variant)
        assert lost == pytest.approx(whole - 0.4)


def test_sorted_correlations_are_shown_at_places_that_all_networks_have():
    rows = made(activations=["relu"])
    last = (rows["measure"] == "correlation_with_end") & (rows["neuron"] == 7) & (rows["seed"] == 2)
    table = figC9.tabulate({"networks": rows[~last]}, None)
    shown = table[(table["measure"] == "correlation_with_end") & (table["contrast"] == "mean")]
    assert shown["unit"].max() == 6


def test_the_toy_shares_its_signals_and_nothing_else():
    signal, rotated, *noises = toy.parts(0, 10)
    np.testing.assert_allclose(some(canonical_correlations(signal, rotated)), 1)
    assert canonical_correlations(*noises).max() < 0.4
    assert np.linalg.matrix_rank(np.hstack([signal, rotated, *noises])) == 10 + 2 * 10


def test_the_map_of_the_signals_keeps_their_lengths():
    signal, rotated, *_ = toy.parts(0, 10)
    np.testing.assert_allclose(signal @ signal.T, rotated @ rotated.T, atol=1e-10)
    assert abs(signal - rotated).max() > 1


def test_fewer_signals_of_a_draw_are_among_more():
    few, more = toy.parts(3, 4)[0], toy.parts(3, 10)[0]
    assert some(few == more[:, :4]).all()


def test_scaled_noise_is_decomposed_as_if_it_had_been_drawn_so():
    signal, _, noise, _ = toy.parts(0, 10)
    both = np.hstack([signal, noise])
    found = toy._Scaled(both - both.mean(axis=0), 10).at(0.3)
    expected = thin_svd(np.hstack([signal, 0.3 * noise]))
    np.testing.assert_allclose(found.values, expected.values)
    rebuilt, original = (svd.left * svd.values @ svd.right.T for svd in (found, expected))
    np.testing.assert_allclose(rebuilt, original, atol=1e-9)


def test_in_few_coordinates_correlations_are_those_of_all_items():
    cca = toy.toy_rows().query("measure == 'toy_cca' and at == 10 and variant == 'sd 0.1'")
    drawn = []
    for draw in range(SMALL["DRAWS"]):
        signal, rotated, *noises = toy.parts(draw, 10)
        x, y = np.hstack([signal, noises[0]]), np.hstack([rotated, noises[1]])
        drawn.append(canonical_correlations(x, y).mean())
    np.testing.assert_allclose(cca["value"], np.mean(drawn))


def test_small_noise_is_told_from_signal_by_projection_weighting():
    found = toy.toy_rows()
    gaps = found[(found["measure"] == "toy_least_gap") & (found["variant"] == "sd 0.1")]
    assert len(gaps) == 3 and some(gaps["value"] > 0).all()
    curve = found[(found["measure"] == "toy_pwcca") & (found["variant"] == "sd 0.1")]
    assert the(curve, at=19.0) > 0.99
    assert set(found["variant"]) == {*toy.NOISES, ""}


def test_the_mean_correlation_does_not_see_the_size_of_the_noise():
    found = toy.toy_rows()
    means = found[found["measure"] == "toy_cca"]
    first = means[means["variant"] == "sd 0.1"]["value"].to_numpy()
    np.testing.assert_allclose(some(means[means["variant"] == "variance 0.1"]["value"]), first)


def test_the_toy_has_a_draw_for_each_seed_and_no_more_than_its_own():
    for seeds, draws in ((2, 2), (9, 3)):
        assert toy.toy_rows(seeds)["seed"].nunique() == draws
        assert toy.affine_rows(seeds)["seed"].nunique() == min(seeds, 4)


def test_maps_are_affine_and_not_too_steep():
    shift = toy.affine(np.zeros((1, 5)), 1)
    matrix = toy.affine(np.eye(5), 1) - shift
    assert 2 < np.linalg.cond(matrix) <= toy.CONDITION
    both = np.arange(10.0).reshape(2, 5)
    np.testing.assert_allclose(toy.affine(both, 1), both @ matrix + shift)


def test_affine_maps_leave_canonical_correlations_alone_and_not_svcca():
    found = toy.affine_rows()
    changes = found.groupby("variant")["value"]
    assert changes.max()["cca"] < 1e-12 and changes.min()["svcca"] > 1e-3
    assert some(changes.size() == 4).all()
