"""Noise ceilings: what a model without fault reaches, and where nothing can be said."""

import numpy as np
import pandas as pd
import pytest

from repatlas.geometry import kernel_alignment
from repatlas.inference.pseudovalues import pseudo_values
from repatlas.own import ceiling_of_trials, ceiling_of_units, compare
from repatlas.similarity import linear_predictivity

EVERY = ["alignment", "predictivity", "procrustes", "rsa", "neighbours", "cca"]


def recording(seed=0, conditions=60, trials=6, noise=1.5, neurons=25):
    """Return means of conditions, what was shown in each trial, and the trials."""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal((conditions, 5)) @ rng.standard_normal((5, neurons)) / np.sqrt(5)
    shown = np.repeat(np.arange(conditions), trials)
    return means, shown, means[shown] + noise * rng.standard_normal((len(shown), neurons))


def means_of(rates, shown):
    return np.array([rates[shown == condition].mean(0) for condition in np.unique(shown)])


def test_the_true_means_reach_the_ceiling_of_both_measures_and_do_not_exceed_it():
    """Compare 20 recordings of the same means. A model by alignment, and by prediction."""
    scores, ceilings = [], []
    for seed in range(20):
        means, shown, _ = recording()
        noise = np.random.default_rng(seed + 100).standard_normal((len(shown), means.shape[1]))
        rates = means[shown] + 1.5 * noise
        full = means_of(rates, shown)
        scores.append([
            kernel_alignment(means, full, debiased=True),
            linear_predictivity(np.hstack([means, means]), full),
        ])  # fmt: skip
        ceilings.append(ceiling_of_trials(rates, shown, splits=5).value)
    alignment, predicted = np.mean(scores, axis=0)
    ceiling = np.mean(ceilings, axis=0)
    assert alignment == pytest.approx(ceiling[0], abs=0.01)
    assert 0.6 < alignment < 0.95
    # The regression is fitted to few conditions, and so a little below what is possible.
    assert ceiling[1] - 0.1 < predicted < ceiling[1] + 0.01


def test_halves_are_similarities_of_independent_halves_of_the_trials():
    _, shown, rates = recording(trials=2)
    found = ceiling_of_trials(rates, shown, EVERY, splits=4).set_index("measure")
    first, second = rates[::2], rates[1::2]
    assert found.trials.tolist() == [2] * len(EVERY)
    for name in ("rsa", "procrustes", "neighbours"):
        expected = compare(first, second, [name], draws=0).value[0]
        assert found.halves[name] == pytest.approx(expected, abs=0.08)
        assert np.isnan(found.value[name])
        assert found.reason[name] == (
            "no ceiling of this measure is known; compare with halves"
        )  # fmt: skip


def test_halves_have_an_interval_where_no_formula_is_known():
    """The jackknife leaves out a twentieth of the conditions at a time."""
    _, shown, rates = recording()
    found = ceiling_of_trials(rates, shown, EVERY, splits=1).set_index("measure")
    unknown = found[["halves_low", "halves_high"]].isna().all(axis=1)
    assert found.index[unknown].tolist() == ["alignment", "predictivity"]
    rest = found[~unknown]
    assert (rest.halves_low < rest.halves).all() and (rest.halves < rest.halves_high).all()
    few = ceiling_of_trials(rates[:120], shown[:120], ["rsa"], splits=1)
    width, wider = (
        of.halves_high["rsa"] - of.halves_low["rsa"] for of in (found, few.set_index("measure"))
    )
    assert wider > width


def test_halves_that_are_not_defined_have_a_reason():
    """Two halves of 25 neurons each have more directions than 40 conditions."""
    _, shown, rates = recording(conditions=40)
    [row] = ceiling_of_trials(rates, shown, ["cca"], splits=1).itertuples()
    assert np.isnan([row.halves, row.halves_low, row.halves_high]).all()
    assert row.reason.startswith("no ceiling of this measure is known; no halves: x has 25")


def test_more_trials_have_a_higher_ceiling_and_data_without_noise_have_1():
    of = [
        ceiling_of_trials(rates, shown, splits=5).value
        for _, shown, rates in (recording(trials=trials) for trials in (2, 6, 20))
    ]
    assert (np.diff(of, axis=0) > 0).all()
    means, shown, _ = recording()
    clean = ceiling_of_trials(means[shown], shown, splits=2)
    assert clean.value.tolist() == pytest.approx([1, 1])
    assert clean.halves[0] == pytest.approx(1, abs=1e-5)


def test_a_unit_and_an_offset_change_nothing():
    _, shown, rates = recording()
    found, other = (
        ceiling_of_trials(of, shown, splits=3).drop(columns=["how", "reason"])
        for of in (rates, 1e-9 * rates + 1e-3)
    )
    pd.testing.assert_frame_equal(found, other, rtol=1e-5)


def test_noise_that_trials_of_a_run_share_is_no_signal_if_halves_are_made_of_runs():
    """Each run has its own pattern for each condition: trials of a run repeat it."""
    rng = np.random.default_rng(0)
    runs, shown = np.repeat(np.arange(6), 60), np.tile(np.repeat(np.arange(20), 3), 6)
    drift = rng.standard_normal((6, 20, 10))[runs, shown]
    rates = drift + 0.3 * rng.standard_normal((360, 10))
    plain = ceiling_of_trials(rates, shown, ["predictivity"]).value[0]
    within = ceiling_of_trials(rates, shown, ["predictivity"], blocks=runs)
    assert plain > 0.6
    assert np.isnan(within.value[0]) or within.value[0] < 0.3


def test_rows_of_frames_are_matched_by_their_names():
    _, shown, rates = recording()
    names = [f"trial {row}" for row in range(len(rates))]
    frame, column = pd.DataFrame(rates, names), pd.Series(shown, names)
    expected = ceiling_of_trials(rates, shown, splits=2)
    moved = ceiling_of_trials(frame, column.sample(frac=1, random_state=1), splits=2)
    pd.testing.assert_frame_equal(moved, expected)


REASONS = {
    "a single trial": (
        lambda rates, shown: (rates[5:], shown[5:], {}),
        "condition 0 has a single trial, 2 or more needed: leave it out of both",
    ),
    "few conditions": (
        lambda rates, shown: (rates[:42], shown[:42], {}),
        "7 conditions, 8 or more needed",
    ),
    "a run that lacks a condition": (
        lambda rates, shown: (rates, shown, {"blocks": np.where(shown == 3, "b", "a")}),
        "a half of the blocks lacks a condition: halves are made of whole blocks",
    ),
}


@pytest.mark.parametrize("case", REASONS)
def test_where_trials_allow_no_ceiling_the_reason_says_why(case):
    _, shown, rates = recording()
    change, reason = REASONS[case]
    rates, shown, options = change(rates, shown)
    found = ceiling_of_trials(rates, shown, EVERY, **options)
    assert found[["value", "low", "high", "halves"]].isna().all(axis=None)
    assert set(found.reason) == {reason}


def test_noise_alone_has_no_ceiling():
    _, shown, rates = recording(noise=1e6, seed=4)
    found = ceiling_of_trials(rates, shown, splits=5)
    nothing = found[found.value.isna()]
    assert (found.value.isna() | (found.low == 0)).all()
    assert set(nothing.reason) <= {"the halves have no more in common than noise alone"}


REFUSED = {
    "an unknown measure": (
        lambda rates, shown: ceiling_of_trials(rates, shown, ["decoding"]),
        "measures has 'decoding'; allowed are alignment, ",
    ),
    "no splits": (
        lambda rates, shown: ceiling_of_trials(rates, shown, splits=0),
        "splits is 0; allowed are whole numbers from 1",
    ),
    "too few conditions": (
        lambda rates, shown: ceiling_of_trials(rates, shown[:9]),
        "conditions has shape (9,); allowed is one for each of the 360 samples",
    ),
    "blocks of other rows": (
        lambda rates, shown: ceiling_of_trials(rates, shown, blocks=shown[:9]),
        "blocks has shape (9,); allowed is one for each of the 360 samples",
    ),
    "two units": (
        lambda rates, shown: ceiling_of_units({"a": rates, "b": rates}),
        "units has 2 names; allowed is a mapping from three names or more to arrays",
    ),
    "units with other items": (
        lambda rates, shown: ceiling_of_units({"x": rates, "b": rates[:50], "c": rates}),
        "units['b'] has 50 items and units['x'] has 360; both must describe the same items",
    ),
    "a unit that is a number": (
        lambda rates, shown: ceiling_of_units({"a": rates, "b": 3.0, "c": rates}),
        "units['b'] has shape (); allowed is a non-empty matrix",
    ),
    "an array of units": (
        lambda rates, shown: ceiling_of_units([rates, rates, rates]),
        "units has no names",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(case):
    _, shown, rates = recording()
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call(rates, shown)
    assert str(refused.value).startswith(sentence)


@pytest.fixture
def animals():
    rng = np.random.default_rng(0)
    shared = rng.standard_normal((80, 4))
    return {
        f"animal {number}": shared @ rng.standard_normal((4, 12)) + rng.standard_normal((80, 12))
        for number in range(7)
    }


def test_the_ceiling_of_units_is_the_similarity_of_two_typical_ones(animals):
    found = ceiling_of_units(animals, ["alignment", "procrustes"]).set_index("measure")
    table = np.eye(7)
    for i, a in enumerate(animals.values()):
        for j, b in enumerate(animals.values()):
            table[i, j] = kernel_alignment(a, b, debiased=True)
    assert found.value["alignment"] == pytest.approx(np.median(pseudo_values(table)), abs=1e-5)
    assert found.low["alignment"] < found.value["alignment"] < found.high["alignment"]
    assert found.n.tolist() == [7, 7]


def test_of_few_units_there_is_a_ceiling_without_an_interval(animals):
    few = dict([*animals.items()][:4])
    [found] = ceiling_of_units(few).itertuples()
    assert np.isfinite(found.value) and np.isnan(found.low)
    assert found.reason == "4 units, 6 needed for an interval"


def test_a_unit_whose_similarity_is_not_defined_is_named(animals):
    dead = animals | {"animal 3": np.ones((80, 2))}
    [found] = ceiling_of_units(dead, ["procrustes"]).itertuples()
    assert np.isnan(found.value)
    assert found.reason == "animal 0 and animal 3: all items of a, or of b, are the same"
