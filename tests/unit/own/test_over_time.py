"""Decoders that are fitted at one time and tested at another."""

import matplotlib
import numpy as np
import pytest

from repatlas.geometry import balanced_decoding
from repatlas.geometry.over_time import decoding_over_time
from repatlas.own import over_time, plot_over_time

matplotlib.use("Agg")
RNG = np.random.default_rng(0)
SIDE, PLACE = np.tile(["left", "right"], 30), np.repeat(["a", "b", "c"], 20)
RATES = RNG.standard_normal((60, 6, 4))
RATES[:, 0, 1:3] += 2.0 * (SIDE == "right")[:, None]  # stays the same at times 1 and 2
RATES[:, 1, 3] += 2.0 * (SIDE == "right")  # another code
LABELS = np.column_stack([SIDE, PLACE])
RUNS = np.arange(60) // 10


@pytest.mark.parametrize("blocks", [None, RUNS])
@pytest.mark.parametrize("variable", [0, 1])
def test_the_diagonal_is_decoding_at_each_time(variable, blocks):
    labels = (
        LABELS if blocks is None else np.column_stack([SIDE, np.tile(["a", "a", "b", "b"], 15)])
    )
    folds = 4 if blocks is None else 3
    found = decoding_over_time(RATES, labels, variable, folds, seed=3, blocks=blocks).accuracies
    expected = [
        balanced_decoding(
            RATES[:, :, time], labels, variable, folds, resamples=1, seed=3, blocks=blocks
        ).value
        for time in range(4)
    ]
    assert found.diagonal() == pytest.approx(expected, abs=1e-12)


def test_a_code_that_stays_is_decoded_at_the_other_time_and_another_one_is_not():
    found = over_time(RATES, {"side": SIDE}, draws=39)
    table = found.pivot(index="train", columns="test", values="value").to_numpy()
    sure = found.pivot(index="train", columns="test", values="p_family").to_numpy() <= 0.05
    assert (table[1:3, 1:3] > 0.75).all()
    expected = np.zeros((4, 4), bool)
    expected[1:3, 1:3] = expected[3, 3] = True
    assert np.array_equal(sure, expected)
    assert (found.p_family >= found.p).all()
    assert set(found.n) == {60}


def test_no_trial_is_in_a_fit_and_in_its_test_also_at_other_times():
    """Each trial has noise that lasts, which tells the trial and nothing of its label."""
    rng = np.random.default_rng(1)
    rates = np.repeat(rng.standard_normal((60, 80, 1)), 3, axis=2)
    rates += 0.01 * rng.standard_normal(rates.shape)
    assert over_time(rates, SIDE, draws=1).value.max() < 0.75


def test_times_have_the_names_that_are_given_and_each_variable_its_own_rows():
    found = over_time(RATES[:, :, :2], {"side": SIDE, "place": PLACE}, times=["cue", "go"],
                      folds=2, draws=9)  # fmt: skip
    assert found[["about", "train", "test"]].values.tolist() == [
        [about, train, test]
        for about in ("side", "place")
        for train in ("cue", "go")
        for test in ("cue", "go")
    ]


def test_only_rows_with_the_values_that_count_are_decoded():
    found = over_time(RATES, {"place": PLACE}, {"place": ["a", "c"]}, draws=9)
    kept = PLACE != "b"
    expected = over_time(RATES[kept], {"place": PLACE[kept]}, draws=9)
    assert found.value.tolist() == expected.value.tolist()
    assert set(found.n) == {40}


def test_runs_are_held_out_and_their_labels_move_together():
    found = over_time(RATES, {"side": SIDE}, blocks=RUNS, draws=9)
    assert "folds of blocks" in found.how[0]
    assert (
        "within blocks, since all blocks have the same labels in the same order" in found.reason[0]
    )
    mixed = np.concatenate([np.random.default_rng(run).permutation(SIDE[:10]) for run in range(6)])
    found = over_time(RATES, {"side": mixed}, blocks=RUNS, draws=9)
    assert found.p.notna().all()


def test_where_folds_have_too_few_trials_the_reason_says_why():
    found = over_time(RATES, {"side": SIDE}, folds=40, draws=9)
    assert found.value.isna().all()
    assert found.reason[0].startswith("labels has 30 trials of condition")


def test_the_plot_has_a_matrix_for_each_variable_with_a_line_around_what_is_sure():
    axes = plot_over_time(over_time(RATES, {"side": SIDE, "place": PLACE}, folds=3, draws=39))
    assert [ax.get_title() for ax in axes] == ["side", "place"]
    assert axes[0].images[0].get_array()[1, 2] > 0.75
    assert axes[0].lines and not axes[1].lines
    axes[0].figure.clear()


def test_the_plot_shows_a_code_that_has_turned_around_as_the_figure_of_the_workflow_does():
    """Chance is the middle of the colours, so that accuracies below it are seen."""
    [ax] = plot_over_time(over_time(RATES, {"side": SIDE}, folds=3, draws=1))
    assert ax.images[0].get_clim() == (0, 1)
    assert ax.images[0].get_cmap().name == "RdBu_r"
    ax.figure.clear()


REFUSED = {
    "a matrix": (
        lambda: over_time(RATES[:, :, 0], SIDE),
        "samples has shape (60, 6); allowed is (m, n, T), trials x features x times",
    ),
    "a missing number": (
        lambda: over_time(np.where(RATES[3, 2, 1] == RATES, np.nan, RATES), SIDE),
        "samples holds NaN or infinite values; all values must be finite (the first that is not: "
        "trial 3, feature 2, time 1)",
    ),
    "names of other times": (
        lambda: over_time(RATES, SIDE, times=["cue", "go"]),
        "times has 2 names, 2 of them different; allowed is one for each of the 4 times",
    ),
    "other labels": (
        lambda: over_time(RATES, SIDE[:5]),
        "labels['0'] has shape (5,); allowed is one value for each of the 60 samples",
    ),
    "no draws": (lambda: over_time(RATES, SIDE, draws=0), "draws is 0"),
    "another table": (
        lambda: plot_over_time(over_time(RATES, SIDE, draws=1).drop(columns="test")),
        "found is no result of over_time",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value).startswith(sentence)
