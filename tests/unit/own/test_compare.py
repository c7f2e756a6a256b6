"""How similar a user's representations are: matched items, chance levels, p values of all pairs."""

import numpy as np
import pandas as pd
import pytest
from selections import some

from repatlas.geometry import kernel_alignment
from repatlas.inference import block_products
from repatlas.inference.permutation import add_one_p, permutations, permuted_alignments
from repatlas.named import named
from repatlas.own import compare, measure, prepare
from repatlas.own.compared import pairs_of, permuted_rows
from repatlas.own.similarities import alignment
from repatlas.own.similarities.alignment import in_one_order
from repatlas.own.trials import Drawn
from repatlas.similarity import canonical_correlations, matching, pwcca, svcca

EVERY = ["alignment", "cca", "svcca", "pwcca", "matching", "procrustes", "rsa", "neighbours"]
EVERY += ["calibrated_neighbours", "predictivity"]


@pytest.fixture
def layers():
    """A layer, a noisy copy with its units in another order, and one that shares nothing."""
    layer, noise, other = np.random.default_rng(0).standard_normal((3, 120, 6))
    return {"layer": layer, "noisy": layer[:, ::-1] + noise, "other": other}


def test_each_number_is_that_of_its_measure(layers):
    x, y = layers["layer"], layers["noisy"]
    found = compare(x, y, EVERY, draws=9).set_index("measure").value
    assert found["alignment"] == pytest.approx(kernel_alignment(x, y, debiased=True), abs=1e-5)
    assert found["cca"] == pytest.approx(canonical_correlations(x, y).mean(), abs=1e-12)
    assert found["svcca"] == pytest.approx(svcca(x, y).similarity, abs=1e-12)
    assert found["pwcca"] == pytest.approx(pwcca(x, y, weights_from="both"), abs=1e-12)
    assert found["matching"] == pytest.approx(matching(x, y).correlations.mean(), abs=1e-12)


@pytest.mark.parametrize("measure", EVERY)
def test_a_representation_is_the_same_as_itself(layers, measure):
    [found] = compare(layers["layer"], layers["layer"], [measure], draws=9).itertuples()
    assert found.value == pytest.approx(1, abs=1e-5)
    assert found.p == 1 / 10


@pytest.mark.parametrize("measure", EVERY)
def test_what_is_shared_is_told_from_chance_and_the_rest_is_not(layers, measure):
    others = {name: layers[name] for name in ("noisy", "other")}
    found = compare(layers["layer"], others, [measure], draws=39).set_index("b")
    assert found.p["noisy"] == found.p_family["noisy"] == 1 / 40
    assert found.p["other"] > 0.05
    assert found.value["noisy"] > found.chance["noisy"] + 0.15
    assert found.value["other"] == pytest.approx(found.chance["other"], abs=0.1)


def test_p_of_the_family_is_at_least_that_of_the_pair(layers):
    found = compare(layers, measures=EVERY, draws=19)
    assert len(found) == 3 * len(EVERY)
    assert some(found.p_family >= found.p).all()
    assert some((found.p_family > found.p).groupby(found.measure).any()).all()


def test_alone_all_pairs_of_the_first_are_compared(layers):
    found = compare(layers, draws=9)
    assert list(zip(found.a, found.b, strict=True)) == [
        ("layer", "noisy"), ("layer", "other"), ("noisy", "other"),
    ]  # fmt: skip
    one = compare(layers["layer"], {"noisy": layers["noisy"]}, draws=9)
    assert found.value[0] == pytest.approx(one.value[0], abs=1e-9)
    assert (found.low[0], found.high[0]) == pytest.approx((one.low[0], one.high[0]), abs=1e-9)


def test_what_has_no_answer_says_why(layers):
    wide = np.random.default_rng(0).standard_normal((120, 200))
    found = compare(layers["layer"], wide, EVERY, draws=9).set_index("measure")
    assert some(found.value[["cca", "pwcca"]].isna()).all()
    assert "with more features than items" in found.reason["cca"]
    assert some(found.value[["alignment", "matching"]].notna()).all()
    few = compare(layers["layer"][:2], layers["noisy"][:2], draws=9)
    assert few.reason[0] == "2 items, 3 or more needed"
    enough = compare(layers["layer"][:8], layers["noisy"][:8], draws=9)
    assert np.isfinite(enough.value[0])


def test_a_layer_that_is_dead_says_so_for_each_measure(layers):
    found = compare(
        np.full((120, 4), 0.1),
        layers["layer"],
        [name for name in EVERY if name != "matching"],
        draws=9,
    )
    assert some(found.value.isna()).all()
    assert some(found.reason.str.startswith("all items of a, or of b, are the same")).all()


def test_each_array_is_decomposed_once_for_all_measures_and_pairs(layers, monkeypatch):
    decomposed = []
    linalg_svd = np.linalg.svd

    def svd(x, **options):
        decomposed.append(x.shape)
        return linalg_svd(x, **options)

    monkeypatch.setattr(np.linalg, "svd", svd)
    compare(layers, measures=["cca", "svcca", "pwcca"], draws=2)
    assert decomposed.count((120, 6)) == 3


def test_without_draws_the_values_are_the_same_and_there_are_no_p_values(layers):
    found, drawn = (compare(layers, measures=EVERY, draws=draws) for draws in (0, 9))
    unknown = ["chance", "p", "p_family"]
    pd.testing.assert_frame_equal(found.drop(columns=unknown), drawn.drop(columns=unknown))
    assert found[["p", "p_family"]].isna().all(axis=None)
    assert some(found.chance.notna() == (found.measure == "alignment")).all()


@pytest.mark.parametrize("seeds", [None, ([3, 4], [5])])
def test_pairs_with_permuted_items_are_those_of_arrays_in_that_order(layers, seeds):
    """Values of reordered ranks, neighbours and the like are the values of a reordered array."""
    xs, ys = [layers["layer"], layers["noisy"]], [layers["other"]]
    drawn = Drawn(draws=2, seed=1, seeds=seeds)
    orders = permutations(120, 2, seed=1) if seeds is None else permutations(120, 2, seed=5)
    for name in ("procrustes", "rsa", "neighbours", "calibrated_neighbours"):
        module = named("own.similarities", name)
        for pair in pairs_of(name, xs, ys, drawn, {}):
            of_x = [np.arange(120)] * 2
            if seeds is not None:
                of_x = permutations(120, 2, seed=seeds[0][pair.i])
            moved = [
                module.similarity(*(module.PREPARED(of) for of in (xs[pair.i][a], ys[0][b])))
                for a, b in zip(of_x, orders, strict=True)
            ]
            assert pair.permuted == pytest.approx(moved, abs=1e-9), name


def test_of_many_items_distances_permute_some_and_p_compares_like_with_like():
    layer, noise = np.random.default_rng(0).standard_normal((2, 1100, 4))
    [found] = compare(layer, layer + noise, ["rsa"], draws=9).itertuples()
    assert found.n == 1100
    assert found.p == 1 / 10
    assert found.chance == pytest.approx(0, abs=0.01)
    module, drawn = named("own.similarities", "rsa"), Drawn(draws=2)
    [pair] = pairs_of("rsa", [layer], [layer + noise], drawn, {})
    some = permuted_rows(1100, drawn, 1000)
    of_some = module.similarity(*(module.Ranks(of[some]) for of in (layer, layer + noise)))
    assert pair.statistic == pytest.approx(of_some)
    assert pair.result.value != pair.statistic


REFUSED = {
    "another number of items": (
        lambda x, y: compare(x, y[:50]),
        "b has 50 items and a has 120; both must describe the same items",
    ),
    "one alone": (lambda x, y: compare(x), "a has one representation and b none"),
    "a list of layers": (
        lambda x, y: compare([x, x]),
        "a has one representation and b none; allowed are two or more, as a mapping from names to "
        "arrays. dict(enumerate(a)) makes one of a list.",
    ),
    "an unknown measure": (
        lambda x, y: compare(x, y, ["cka"]),
        "measures has 'cka'; allowed are alignment, calibrated_neighbours, cca, matching, "
        "neighbours, predictivity, procrustes, pwcca, rho_a, rsa, svcca. Debiased CKA is "
        "'alignment'.",
    ),
    "an image": (
        lambda x, y: compare({"conv": x.reshape(120, 2, 3, 1)}, y),
        "a['conv'] has shape (120, 2, 3, 1); allowed is a non-empty matrix",
    ),
    "one draw": (
        lambda x, y: compare(x, y, draws=1),
        "draws is 1; allowed are 0 and whole numbers from 2",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(layers, case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call(layers["layer"], layers["noisy"])
    assert str(refused.value).startswith(sentence)


def test_threads_that_are_no_number_are_refused(layers):
    with pytest.raises(ValueError, match="threads is 0; allowed are whole numbers from 1"):
        compare(layers, threads=0)


def test_prepared_layers_have_the_numbers_of_their_arrays(layers):
    new = np.random.default_rng(1).standard_normal((120, 4))
    for options in ({}, {"blocks": np.repeat(np.arange(8), 15)}, {"seed": 3}):
        drawn = {"measures": ["alignment", "svcca"], "draws": 9, **options}
        kept = prepare(layers, **options)
        pd.testing.assert_frame_equal(
            compare({"new": new}, kept, **drawn), compare({"new": new}, layers, **drawn)
        )
        pd.testing.assert_frame_equal(compare(kept, **drawn), compare(layers, **drawn))


def test_a_prepared_layer_is_measured_as_its_array(layers):
    name, samples = next(iter(layers.items()))
    label = np.arange(len(samples)) % 2
    found = measure(prepare({name: samples})[name], label, "items", draws=9)
    pd.testing.assert_frame_equal(found, measure(samples, label, "items", draws=9))


def test_what_concerns_a_prepared_layer_alone_is_not_computed_again(layers, monkeypatch):
    kept = prepare(layers)
    multiplied = []
    products = block_products._feature_products

    def counted(x, y):
        multiplied.append(x is y)
        return products(x, y)

    monkeypatch.setattr(block_products, "_feature_products", counted)
    compare({"new": layers["noisy"][:, ::-1]}, kept, draws=0)
    assert sorted(multiplied) == [False, False, False, True]  # three pairs, and the new one alone


def test_prepared_layers_are_refused_where_the_numbers_would_be_others(layers):
    kept = prepare(layers)
    with pytest.raises(ValueError, match="was prepared with other blocks or another seed"):
        compare(kept, draws=0, seed=1)
    with pytest.raises(ValueError, match="was prepared with other blocks or another seed"):
        compare(kept, draws=0, blocks=np.repeat(np.arange(8), 15))
    named = pd.DataFrame(layers["layer"], index=[f"image {n}" for n in range(120)])
    with pytest.raises(ValueError, match="has names for its rows"):
        prepare({"layer": named})
    with pytest.raises(ValueError, match="allowed is a mapping from names to arrays"):
        prepare(layers["layer"])


@pytest.mark.parametrize("features", [7, 60])
def test_one_order_for_all_gives_the_draws_of_permuted_alignments(features):
    rng = np.random.default_rng(0)
    xs, ys = rng.standard_normal((2, 40, 5)), rng.standard_normal((3, 40, features))
    for groups in (None, np.repeat(np.arange(8), 5)):
        orders = permutations(40, 9, groups, 2)
        for a, b in ((xs, ys), (ys, xs)):
            for found, same in zip(
                in_one_order(a, b, orders),
                permuted_alignments(a, b, 9, groups, seed=2),
                strict=True,
            ):
                assert found == pytest.approx(same, abs=1e-5)


def test_draws_are_the_same_for_parts_of_a_kernel_and_any_number_of_threads(monkeypatch):
    xs, ys = np.random.default_rng(0).standard_normal((2, 3, 50, 8))
    orders = permutations(50, 9)
    _, whole = in_one_order(xs[:1], ys, orders)
    monkeypatch.setattr(alignment, "AT_A_TIME", 50 * 13 * 7)
    _, one = in_one_order(xs[:1], ys, orders, threads=1)
    _, several = in_one_order(xs[:1], ys, orders, threads=3)
    assert one == pytest.approx(whole, abs=1e-6)
    assert (several == one).all()


@pytest.mark.parametrize("rows", [20, 31])
def test_a_draw_in_the_order_of_the_items_is_not_smaller_than_the_value(rows):
    """Every sixth order of three blocks is the order of the items, and rounding hides none."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3 * rows, 20))
    ys = x + rng.standard_normal((17, 3 * rows, 20))
    orders = permutations(3 * rows, 99, np.arange(3 * rows) // rows, 0)
    same = sum((order == np.arange(3 * rows)).all() for order in orders)
    assert same > 5
    assert add_one_p(*in_one_order([x], ys, orders)) == pytest.approx((same + 1) / 100)
