"""Differences between models in their similarity to the same data."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import binomtest, t

from repatlas.inference.intervals import median_interval
from repatlas.inference.jackknife import jackknife_interval
from repatlas.own import Dissimilarities, compare, compare_models, plot_models
from repatlas.similarity import Regressors

RNG = np.random.default_rng(0)
BRAIN = RNG.standard_normal((90, 8))
MODELS = {
    name: BRAIN + noise * RNG.standard_normal((90, 8))
    for name, noise in (("near", 0.5), ("middle", 1.0), ("far", 2.0))
}
FILM = np.repeat(np.arange(15), 6)


@pytest.mark.parametrize("blocks", [None, FILM])
@pytest.mark.parametrize("measure", ["alignment", "rsa", "rho_a", "predictivity"])
def test_the_interval_is_the_jackknife_of_the_difference(measure, blocks):
    options, kept = {"measures": measure, "draws": 0}, blocks
    if measure == "predictivity":  # each item stays in its fold
        folds = Regressors(BRAIN, groups=blocks).folds
        kept = np.array([next(n for n, fold in enumerate(folds) if i in fold) for i in range(90)])

    def difference(rows):
        of = None if kept is None else kept[rows]
        a, b = (
            compare(MODELS[name][rows], BRAIN[rows], blocks=of, **options).value[0]
            for name in ("near", "far")
        )
        return a - b

    expected = jackknife_interval(difference, 90, groups=blocks)
    found = compare_models(MODELS, BRAIN, measure, blocks=blocks).set_index(["a", "b"])
    row = found.loc[("near", "far")]
    assert [row.value, row.low, row.high] == pytest.approx(list(expected), abs=2e-5)
    assert row.value == row.similarity_a - row.similarity_b
    blocks_left_out = 20 if blocks is None else 15
    half = (expected.high - expected.low) / 2 / t.ppf(0.975, blocks_left_out - 1)
    p = 2 * t.sf(abs(row.value) / half, blocks_left_out - 1)
    assert row.p == pytest.approx(p, rel=0.01, abs=1e-9)


def test_p_of_all_pairs_is_corrected_by_holm():
    found = compare_models(MODELS, BRAIN[:, :2], "rsa")
    p = np.sort(found.p)
    expected = np.maximum.accumulate(p * [3, 2, 1]).clip(max=1)
    assert np.sort(found.p_family) == pytest.approx(expected)


def test_over_animals_it_is_the_median_with_its_exact_interval_and_the_sign_test():
    animals = {f"animal {i}": BRAIN + RNG.standard_normal((90, 8)) for i in range(7)}
    row = compare_models(MODELS, animals, "rsa").iloc[1]
    apart = [
        compare(MODELS["near"], of, "rsa", draws=0).value[0]
        - compare(MODELS["far"], of, "rsa", draws=0).value[0]
        for of in animals.values()
    ]
    assert [row.value, row.low, row.high] == pytest.approx(list(median_interval(np.array(apart))))
    assert row.p == binomtest(sum(np.array(apart) > 0), 7).pvalue
    few = compare_models(MODELS, dict(list(animals.items())[:5])).iloc[0]
    assert np.isnan(few.low) and few.reason == "5 units, 6 needed for an interval"


def test_a_model_and_itself_do_not_differ():
    [row] = compare_models({"a": BRAIN, "b": BRAIN}, MODELS["near"]).itertuples()
    assert (row.value, row.low, row.high, row.p) == (0, 0, 0, 1)


def test_rank_correlations_of_a_rating_are_those_of_rsatoolbox():
    """Computed by rsatoolbox 0.3.2, compare of squared Euclidean dissimilarities."""
    rng = np.random.default_rng(0)
    rating = rng.integers(0, 4, 12)
    responses = rating[:, None] * rng.integers(-2, 3, (1, 5)) + rng.integers(-4, 5, (12, 5))
    given = Dissimilarities(squareform(pdist(rating[:, None].astype(float), "sqeuclidean")))
    for model in (given, rating[:, None]):
        found = compare(model, responses, ["rho_a", "rsa"], draws=9).set_index("measure")
        assert found.value["rho_a"] == pytest.approx(0.3727063980795324, abs=1e-14)
        assert found.value["rsa"] == pytest.approx(0.387797694629352, abs=1e-14)
        assert found.p.notna().all()


def test_dissimilarities_with_names_are_matched_by_name():
    names = [f"image {number}" for number in range(90)]
    judged = pd.DataFrame(squareform(pdist(BRAIN)), names, names)
    order = RNG.permutation(90)
    shuffled = Dissimilarities(judged.iloc[order, order])
    layer = pd.DataFrame(MODELS["near"], names)
    expected = compare(MODELS["near"], BRAIN, "rsa", draws=0).value[0]
    assert compare(layer, shuffled, "rsa", draws=0).value[0] == pytest.approx(expected, abs=1e-12)


REFUSED = {
    "dissimilarities for alignment": (
        lambda: compare(BRAIN, Dissimilarities(squareform(pdist(BRAIN)))),
        "measures has 'alignment', which needs items x features, and 'b' is dissimilarities",
    ),
    "a single model": (lambda: compare_models({"a": BRAIN}, BRAIN), "models has one name"),
    "another measure": (
        lambda: compare_models(MODELS, BRAIN, "cca"),
        "measures has 'cca'; allowed are alignment, rsa, rho_a, predictivity",
    ),
    "no square": (lambda: Dissimilarities(BRAIN), "matrix has shape (90, 8); allowed is (m, m)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value).startswith(sentence)


def test_the_plot_has_a_line_for_each_pair_and_fills_what_differs():
    [ax] = plot_models(compare_models(MODELS, BRAIN))
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "near vs middle", "near vs far", "middle vs far",
    ]  # fmt: skip
    assert ax.get_title() == "Alignment"
    [dots] = [line for line in ax.lines if line.get_marker() == "o"]
    assert dots.get_markerfacecolor() != "white"
    assert [*dots.get_ydata()] == [0, 1, 2]


def models_of(rng, items, noises, exponential):
    """Return two models and data of four shared directions, with noise of these sizes."""
    shared = rng.standard_normal((items, 4))
    if exponential:
        shared = rng.exponential(size=(items, 4)) - 1
    found = []
    for seed, (features, noise) in enumerate(zip((15, 15, 20), noises, strict=True)):
        axes = np.linalg.qr(np.random.default_rng(seed).standard_normal((features, 4)))[0]
        signal = shared @ axes.T * np.sqrt(features / 4)
        found.append(signal + noise * rng.standard_normal((items, features)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("noise", [1.0, 0.1], ids=["middle", "near the ceiling"])
@pytest.mark.parametrize("exponential", [False, True])
@pytest.mark.parametrize("measure", ["alignment", "rsa", "predictivity"])
def test_models_that_are_equally_near_differ_in_five_percent(measure, exponential, noise):
    p_values = []
    for seed in range(300):
        a, b, data = models_of(np.random.default_rng(seed), 60, [noise] * 3, exponential)
        p_values += [*compare_models({"a": a, "b": b}, data, measure, seed=seed).p]
    hits = int(np.sum(np.array(p_values) <= 0.05))
    print(f"| {measure} | {exponential} | {noise} | {100 * hits / 300:.1f} |")
    assert binomtest(hits, 300, 0.05, "greater").pvalue > 0.001
