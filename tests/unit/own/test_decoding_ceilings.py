"""Ceilings of decoding: what the noise of single trials allows, and where nothing can be said."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from repatlas.own import decoding_ceiling_of_trials, decoding_ceiling_of_units, measure

SAID = ["value", "low", "high", "halves"]


def recording(seed=0, trials=60, neurons=12, contexts=2, apart=1.5, generalises=True):
    """Return trials with correlated noise, the labels of two variables, and the true ceiling."""
    rng = np.random.default_rng(seed)
    mixing = np.eye(neurons) + rng.standard_normal((neurons, neurons)) / np.sqrt(neurons)
    side, place = np.indices((2, contexts)).reshape(2, -1).repeat(trials, axis=1)
    axes = rng.standard_normal((1 if generalises else contexts, neurons))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    means = apart * side[:, None] * axes[place % len(axes)]
    noise = rng.standard_normal((len(side), neurons))
    labels = {"side": np.array(["left", "right"])[side], "place": place}
    return (means + noise) @ mixing, labels, float(ndtr(apart / 2))


def test_a_decoder_of_many_trials_reaches_the_ceiling_and_does_not_exceed_it():
    """Fit scikit-learn's discriminant to 20,000 trials of each condition, and test it on others."""
    many, of_many, truth = recording(trials=40_000, contexts=1)
    sides = of_many["side"]
    test = np.arange(len(sides)) % 2 == 0
    fitted = LinearDiscriminantAnalysis().fit(many[~test], sides[~test])
    assert fitted.score(many[test], sides[test]) == pytest.approx(truth, abs=0.005)
    found = decoding_ceiling_of_trials(many[::40], sides[::40], measures=["decoding"])
    assert found.value[0] == pytest.approx(truth, abs=0.03)
    assert found.low[0] < truth < found.high[0]


def test_measured_accuracies_are_below_the_ceiling_and_above_the_halves_on_average():
    measured, ceilings, halves = [], [], []
    for seed in range(20):
        rates, labels, truth = recording(seed, trials=20)
        of = {"variables": ["side"], "measures": ["decoding"]}
        # The context is no variable here: its conditions have the same means.
        both = {"side": labels["side"], "place": labels["place"]}
        found = measure(rates, both, "trials", measures=["decoding", "ccgp"], draws=1)
        measured.append(found[found.about == "side"].value)
        ceiling = decoding_ceiling_of_trials(rates, both, splits=5)
        ceiling = ceiling[ceiling.about == "side"]
        ceilings.append(ceiling.value)
        halves.append(ceiling.halves)
        alone = decoding_ceiling_of_trials(rates, both, splits=2, **of)
        assert alone.n[0] == len(rates)
    measured, ceilings, halves = (np.mean(of, axis=0) for of in (measured, ceilings, halves))
    assert (halves < measured).all() and (measured < ceilings).all()
    assert ceilings == pytest.approx([truth, truth], abs=0.02)


def test_the_ceiling_of_ccgp_is_perfect_generalisation_whatever_the_geometry_is():
    """Code each context on its own axis: decoders do not generalise, and the ceiling stays."""
    rates, labels, truth = recording(1, trials=150, generalises=False)
    found = decoding_ceiling_of_trials(rates, labels, splits=2).set_index(["measure", "about"])
    of = found.loc["ccgp", "side"]
    assert of.halves < truth - 0.1
    assert of.value == pytest.approx(truth, abs=0.03)
    assert of.value == found.loc[("decoding", "side"), "value"]


def test_unit_offset_and_mixing_of_features_change_nothing():
    rates, labels, _ = recording()
    mixing = np.random.default_rng(5).standard_normal((12, 12))
    expected = decoding_ceiling_of_trials(rates, labels, splits=2)[["value", "low", "high"]]
    constant = np.full((len(rates), 1), 7.0)
    for moved in (1e-9 * rates + 1e-3, 1e120 * rates, rates @ mixing, np.hstack([rates, constant])):
        found = decoding_ceiling_of_trials(moved, labels, splits=2)[["value", "low", "high"]]
        pd.testing.assert_frame_equal(found, expected, rtol=1e-5)


def test_the_interval_of_several_contexts_holds_them_together():
    """Four contexts: the interval of each is at 1 - 0.05 / 4."""
    rates, labels, _ = recording(2, contexts=4, trials=30)
    found = decoding_ceiling_of_trials(rates, labels, ["side"], ["decoding"]).iloc[0]
    parts = []
    for place in range(4):
        rows = labels["place"] == place
        one = {"side": labels["side"][rows]}
        parts.append(decoding_ceiling_of_trials(rates[rows], one, measures=["decoding"]).iloc[0])
    assert found.value == pytest.approx(np.mean([part.value for part in parts]), abs=0.03)
    assert found.low < found.value < found.high


def test_conditions_with_a_single_trial_are_left_out_and_named():
    rates, labels, _ = recording(contexts=3, trials=20)
    rows = np.r_[0, 20 : len(rates)]  # one trial of (left, 0)
    few = {name: of[rows] for name, of in labels.items()}
    found = decoding_ceiling_of_trials(rates[rows], few, ["side"], ["decoding"]).iloc[0]
    assert np.isfinite(found.value)
    assert found.n == len(rows)
    four = decoding_ceiling_of_trials(rates[rows], few, measures=["decoding"], splits=2)
    assert four.n.tolist() == [len(rows) - 1] * 2
    assert four.reason[0] == "conditions with fewer than 2 rows are left out: left, 0 (1)"


REASONS = {
    "more features than trials": (
        lambda rates, labels: (np.hstack([rates] * 9), labels),
        "80 trials of 4 conditions tell the noise of at most 76 features, and there are 108: "
        "take fewer features, or more trials",
    ),
    "a feature without noise": (
        lambda rates, labels: (np.column_stack([rates, labels["place"]]), labels),
        "a feature has no noise, its trials are equal in each condition: leave it out",
    ),
    "a feature twice": (
        lambda rates, labels: (np.column_stack([rates, rates[:, 0]]), labels),
        "the noise of a feature is a combination of others: leave it out",
    ),
}


@pytest.mark.parametrize("case", REASONS)
def test_where_trials_allow_no_ceiling_the_reason_says_why(case):
    change, reason = REASONS[case]
    rates, labels, _ = recording(trials=20)
    found = decoding_ceiling_of_trials(*change(rates, labels), splits=2)
    assert found[["value", "low", "high"]].isna().all(axis=None)
    assert set(found.reason) == {reason}
    assert found.halves.notna().all()


def test_ccgp_of_a_single_variable_has_no_ceiling():
    rates, labels, _ = recording(trials=20)
    found = decoding_ceiling_of_trials(rates, {"side": labels["side"]}, splits=2)
    assert found.value.isna().tolist() == [False, True]
    assert "only variable" in found.reason[1]


REFUSED = {
    "a similarity": (
        lambda rates, labels: decoding_ceiling_of_trials(rates, labels, measures=["alignment"]),
        "measures has 'alignment'; allowed are decoding, ccgp",
    ),
    "no splits": (
        lambda rates, labels: decoding_ceiling_of_trials(rates, labels, splits=0),
        "splits is 0; allowed are whole numbers from 1",
    ),
    "rows that are all the same": (
        lambda rates, labels: decoding_ceiling_of_trials(np.ones_like(rates), labels),
        "samples has the same values in all rows",
    ),
    "two units": (
        lambda rates, labels: decoding_ceiling_of_units(dict.fromkeys("ab", (rates, labels))),
        "units has 2 names; allowed is a mapping from three names or more to pairs",
    ),
    "units without labels": (
        lambda rates, labels: decoding_ceiling_of_units(dict.fromkeys("abc", rates)),
        "units['a'] is ndarray; allowed is a pair (samples, labels)",
    ),
    "units of other variables": (
        lambda rates, labels: decoding_ceiling_of_units(
            dict.fromkeys("ab", (rates, labels)) | {"c": (rates, {"side": labels["side"]})},
            resamples=1,
        ),
        "units['c'] has other variables than units['a']",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(case):
    rates, labels, _ = recording(trials=10)
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call(rates, labels)
    assert str(refused.value).startswith(sentence)


def test_the_ceiling_of_units_is_the_accuracy_of_a_typical_one():
    animals = {f"animal {seed}": recording(seed, trials=10)[:2] for seed in range(7)}
    found = decoding_ceiling_of_units(animals, ["side"], ["decoding"], resamples=2).iloc[0]
    of = [
        measure(*pair, "trials", ["side"], ["decoding"], draws=1, resamples=2).value[0]
        for pair in animals.values()
    ]
    assert found.value == np.median(of)
    assert (found.low, found.high) == (min(of), max(of))
    assert found.n == 7 and found.reason == ""
    few = dict([*animals.items()][:4])
    found = decoding_ceiling_of_units(few, ["side"], ["decoding"], resamples=1).iloc[0]
    assert np.isfinite(found.value) and np.isnan(found.low)
    assert found.reason == "4 units, 6 needed for an interval"


def test_a_unit_without_an_accuracy_is_named():
    animals = {f"animal {seed}": recording(seed, trials=10)[:2] for seed in range(3)}
    animals["animal 2"] = recording(2, trials=3)[:2]
    found = decoding_ceiling_of_units(animals, measures=["decoding"], resamples=1)
    assert found.value.isna().all()
    assert found.reason.str.startswith("animal 2: no condition has 5 rows").all()
