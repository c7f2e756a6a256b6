"""The geometry of a user's array: the right estimator, with an interval, chance and p values."""

import numpy as np
import pandas as pd
import pytest
from selections import some

from repatlas.geometry import (
    balanced_ccgp,
    balanced_decoding,
    corrected_parallelism_score,
    corrected_participation_ratio,
    halves_of_trials,
    kernel_alignment,
    parallelism_score,
    participation_ratio_of_conditions,
    participation_ratio_of_halves,
)
from repatlas.inference.jackknife import jackknife_interval
from repatlas.inference.nulls import geometric_null, shuffle_null
from repatlas.own import measure, over_time

NAMES = {"side": np.array(["left", "right"]), "colour": np.array(["blue", "red"])}


def recording(trials=20, noise=1.0, units=30, seed=0):
    """Return trials of four conditions of two variables, each variable on a separate axis."""
    rng = np.random.default_rng(seed)
    levels = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], trials, axis=0)
    samples = levels @ rng.standard_normal((2, units)) + noise * rng.standard_normal(
        (len(levels), units)
    )
    labels = {name: values[levels[:, k]] for k, (name, values) in enumerate(NAMES.items())}
    return samples, labels, levels


def row(found, measure, about=""):
    """Return the only row of a measure, about a variable."""
    [chosen] = found[(found.measure == measure) & (found.about == about)].itertuples()
    return chosen


def test_each_number_is_that_of_its_estimator():
    samples, labels, levels = recording()
    conditions = levels @ [2, 1]
    found = measure(samples, labels, rows="trials", draws=9)
    parallelism = corrected_parallelism_score(samples, levels, 0)
    assert row(found, "parallelism", "side").value == parallelism.value
    assert row(found, "parallelism", "side").how == parallelism.estimator
    ccgp = balanced_ccgp(samples, levels, 1, resamples=1)
    assert row(found, "ccgp", "colour").value == ccgp.value
    decoding = balanced_decoding(samples, levels, 1, resamples=1)
    assert row(found, "decoding", "colour").value == decoding.value
    expected = participation_ratio_of_conditions(samples, conditions)
    assert row(found, "dimensionality").value == expected
    options = {"measures": "dimensionality", "conditions": "sample"}
    halves = participation_ratio_of_halves(*halves_of_trials(samples, conditions))
    assert measure(samples, labels, "trials", **options).value[0] == halves


def test_rows_that_are_items_are_a_sample_without_noise():
    samples, labels, levels = recording()
    found = measure(samples, labels, "items", measures=["alignment", "dimensionality"], draws=9)
    aligned = kernel_alignment(samples, np.eye(2)[levels[:, 0]], debiased=True)
    assert row(found, "alignment", "side").value == pytest.approx(aligned, abs=1e-5)
    expected = corrected_participation_ratio(samples, features="all")
    dimensions = row(found, "dimensionality")
    assert dimensions.value == expected
    assert dimensions.low < expected < dimensions.high
    both = measure(samples, labels, "items", measures=["dimensionality"], features="sample")
    assert both.value[0] == corrected_participation_ratio(samples)


def test_what_is_coded_is_told_from_chance_and_what_is_not_is_not():
    samples, labels, _ = recording()
    coded = measure(samples, labels, "trials", measures=["decoding", "parallelism"], draws=39)
    assert some(coded.p == 1 / 40).all()
    noise = np.random.default_rng(1).standard_normal(samples.shape)
    nothing = measure(noise, labels, "trials", measures=["decoding", "parallelism"], draws=39)
    assert some(nothing.p > 0.05).all()


def test_parallel_codes_are_more_than_codes_in_random_directions():
    samples, labels, _ = recording()
    found = measure(samples, labels, "trials", measures=["parallelism"], draws=39)
    assert some(found.p_geometry == 1 / 40).all()
    rng = np.random.default_rng(0)
    means = 6 * rng.standard_normal((4, 30))
    apart = np.repeat(means, 20, axis=0) + rng.standard_normal((80, 30))
    found = measure(apart, labels, "trials", measures=["decoding", "parallelism"], draws=39)
    of = found.set_index("measure")
    assert some(of.p["decoding"] == 1 / 40).all()
    assert some(of.p_geometry["parallelism"] > 0.05).all()


def test_p_values_are_those_of_the_two_nulls():
    samples, labels, levels = recording(noise=3.0)
    found = row(measure(samples, labels, "trials", measures=["ccgp"], draws=19), "ccgp", "side")

    def ccgp(samples, levels):
        return balanced_ccgp(samples, levels, 0, resamples=1).value

    assert found.p == shuffle_null(ccgp, samples, levels, draws=19).p
    assert found.p_geometry == geometric_null(ccgp, samples, levels, draws=19).p
    assert found.p != found.p_geometry


def test_items_that_have_nothing_to_do_with_a_variable_are_not_aligned_with_it():
    samples, labels, _ = recording()
    unrelated = {"chance": np.random.default_rng(5).integers(0, 2, 80)}
    found = measure(samples, labels | unrelated, "items", measures=["alignment"], draws=39)
    p = found.set_index("about").p
    assert p["side"] == p["colour"] == 1 / 40
    assert p["chance"] > 0.05


def test_the_interval_of_the_parallelism_score_leaves_out_a_share_of_each_condition():
    samples, labels, levels = recording()
    found = measure(samples, labels, "trials", measures=["parallelism"], draws=9)
    _, low, high = jackknife_interval(
        lambda rows: corrected_parallelism_score(samples[rows], levels[rows], 0).value,
        80,
        strata=levels @ [2, 1],
    )
    assert (found.low[0], found.high[0]) == (low, high)


def test_an_interval_holds_its_value_or_says_why_there_is_none():
    samples, labels, _ = recording()
    found = measure(samples, labels, "trials", draws=9)
    has = found.low.notna()
    assert some(found.low[has] < found.value[has]).all()
    assert some(found.high[has] > found.value[has]).all()
    assert some(found.reason[~has] != "").all()
    few, labels, _ = recording(trials=5)
    found = measure(few, labels, "trials", measures=["parallelism"], draws=9)
    assert some(found.low.isna()).all()
    assert found.reason[0] == "condition (left, blue) has 5 rows, 6 needed for an interval"


def test_conditions_of_a_single_row_have_the_plain_parallelism_score():
    samples, labels, levels = recording(trials=1)
    found = measure(samples, labels, "items", measures=["parallelism"], draws=9)
    assert row(found, "parallelism", "side").value == parallelism_score(samples, levels, 0)
    assert "single row" in row(found, "parallelism", "side").reason


def test_a_single_variable_has_no_contexts_and_this_is_said():
    samples, labels, _ = recording()
    found = measure(
        samples, labels, "trials", ["side"], ["decoding", "ccgp", "parallelism"], draws=9
    )
    assert row(found, "decoding", "side").value > 0.9
    for name in ("ccgp", "parallelism"):
        assert np.isnan(row(found, name, "side").value)
        assert "contexts" in row(found, name, "side").reason


def unequal(counts, **options):
    """Return trials of four conditions with these numbers of trials."""
    samples, labels, levels = recording(trials=50, **options)
    conditions = levels @ [2, 1]
    kept = np.concatenate([np.flatnonzero(conditions == c)[:n] for c, n in enumerate(counts)])
    return samples[kept], {name: of[kept] for name, of in labels.items()}


def test_a_condition_with_one_trial_is_named_and_does_not_reduce_the_others():
    samples, labels = unequal([50, 50, 50, 1])
    found = measure(samples, labels, "trials", measures=["ccgp"], draws=9)
    assert found.value.isna().all()
    assert found.reason[0] == (
        "variable 'side' has no two values in 2 of the same contexts, settings of the other "
        "variables; at least one pair needs them; conditions with fewer than 2 rows are left out: "
        "right, red (1)"
    )


@pytest.mark.parametrize("name", ["ccgp", "parallelism", "decoding", "dimensionality"])
def test_all_other_contexts_count_as_they_would_without_a_condition_of_one_trial(name):
    rng = np.random.default_rng(0)
    levels = np.repeat([(a, b) for a in range(2) for b in range(4)], 20, axis=0)
    samples = levels @ rng.standard_normal((2, 20)) + rng.standard_normal((160, 20))
    labels = {"side": levels[:, 0], "place": levels[:, 1]}
    one, none = np.arange(141), np.arange(140)
    found, expected = (
        measure(
            samples[rows], {k: v[rows] for k, v in labels.items()}, "trials", None, [name], draws=9
        )
        for rows in (one, none)
    )
    assert found.value.equals(expected.value)
    assert found.p.equals(expected.p)
    assert found.n.equals(expected.n)
    assert found.reason.str.contains(r"rows are left out: 1, 3 \(1\)").all()


@pytest.mark.parametrize(("name", "n"), [("decoding", 4 * 6), ("ccgp", 2 * 50 + 2 * 6)])
def test_n_is_the_number_of_rows_of_one_draw(name, n):
    samples, labels = unequal([50, 50, 50, 6])
    found = measure(samples, labels, "trials", measures=[name], draws=1)
    assert found.n.tolist() == [n, n]
    rare = found.reason.str.contains("because condition (right, red) has 6", regex=False)
    assert rare.all() == (name == "decoding")


def test_n_of_parallelism_leaves_out_conditions_that_have_no_partner():
    samples, labels = unequal([50, 50, 50, 50])
    labels["side"] = np.where(np.arange(200) < 20, "middle", labels["side"])
    found = measure(samples, labels, "trials", ["side", "colour"], ["parallelism"], draws=1)
    assert found.n.tolist() == [180, 180]


def test_points_of_conditions_say_which_has_a_single_trial():
    samples, labels = unequal([50, 50, 50, 1])
    found = measure(samples, labels, "trials", measures=["geometry"])
    expected = "condition (right, red) has a single row, so that its noise is not known"
    assert found.reason.tolist() == [expected]


def test_least_leaves_out_rarer_conditions():
    samples, labels = unequal([50, 50, 50, 6])
    found = measure(samples, labels, "trials", measures=["ccgp", "parallelism"], draws=1, least=7)
    assert found.value.isna().all()
    assert found.reason.str.endswith("with fewer than 7 rows are left out: right, red (6)").all()


def test_fewer_folds_decode_fewer_trials():
    samples, labels, levels = recording(trials=3)
    found = measure(samples, labels, "trials", measures=["decoding"], draws=1)
    assert found.reason[0] == (
        "no condition has 5 rows, the most has 3 (left, blue); 5 folds need 5 rows of a "
        "condition: fewer folds keep more conditions"
    )
    found = measure(samples, labels, "trials", measures=["decoding"], draws=1, folds=3, resamples=4)
    expected = balanced_decoding(samples, levels, 0, folds=3, resamples=4).value
    assert found.value[0] == expected


def test_of_a_variable_that_codes_nothing_parallelism_has_no_value_but_a_p_value():
    samples, labels, _ = recording(trials=40)
    nothing = {"nothing": np.random.default_rng(1).choice(["a", "b"], len(samples))}
    found = measure(samples, labels | nothing, "trials", measures=["parallelism"], draws=9)
    row_of = row(found, "parallelism", "nothing")
    assert np.isnan(row_of.value)
    assert row_of.reason == (
        "its coding vectors are no longer than noise alone may make them (5 % test)"
    )
    assert row_of.p > 0.05
    assert row(found, "parallelism", "side").value > 0.9


REASONS = {
    "constant features": (
        lambda: (np.ones((40, 3)), np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (10, 1))),
        {
            "alignment": "all items are the same, or equally far from one another",
            "parallelism": "the means of its conditions are the same in all contexts, or in all",
            "dimensionality": "all items are the same, or items or features are too few to tell",
        },
    ),
    "one value": (
        lambda: (recording()[0], np.column_stack([np.zeros(80), recording()[2][:, 1]])),
        {
            "alignment": "the variable has one value alone",
            "decoding": "variable '0' has the value 0.0 alone; a variable needs two values",
        },
    ),
    "a single variable": (
        lambda: (recording()[0], recording()[2][:, 0]),
        {"ccgp": "variable '0' is the only variable, so that there is one context; 2 contexts"},
    ),
    "few features": (
        lambda: (recording(noise=0.1)[0][:, :5], recording()[2]),
        {"dimensionality": "80 items and 5 features, 6 of each needed for an interval"},
    ),
}


@pytest.mark.parametrize("case", REASONS)
def test_the_reason_is_the_true_one(case):
    made, expected = REASONS[case]
    found = measure(*made(), "items", None, list(expected), "sample", draws=1)
    for name, reason in expected.items():
        assert found[found.measure == name].reason.iloc[0].startswith(reason)


def test_rows_with_values_that_do_not_count_are_left_out():
    samples, labels, _ = recording()
    more = np.concatenate([samples, 100 + samples[:7]])
    with_others = {name: np.concatenate([of, of[:7]]) for name, of in labels.items()}
    with_others["side"][-7:] = "middle"
    variables = {"side": ["right", "left"], "colour": None}
    found = measure(more, with_others, "trials", variables, draws=9)
    pd.testing.assert_frame_equal(found, measure(samples, labels, "trials", draws=9))


def test_the_order_and_the_names_of_values_change_nothing():
    samples, labels, levels = recording()
    found = measure(samples, labels, "trials", draws=9)
    in_numbers = measure(samples, levels, "trials", draws=9)
    assert in_numbers.about.tolist() == [
        {"side": "0", "colour": "1", "": ""}[name] for name in found.about
    ]
    assert in_numbers.drop(columns="about").equals(found.drop(columns="about"))


@pytest.mark.parametrize("kind", ["float32", "data frame", "tensor", "integers"])
def test_arrays_of_other_kinds_are_as_good(kind):
    samples, labels, _ = recording()
    samples = np.round(10 * samples)
    made = {
        "float32": lambda: (samples.astype(np.float32), labels),
        "data frame": lambda: (pd.DataFrame(samples), pd.DataFrame(labels)),
        "tensor": lambda: (pytest.importorskip("torch").from_numpy(samples), labels),
        "integers": lambda: (samples.astype(np.int16), labels),
    }
    found = measure(*made[kind](), "trials", measures=["parallelism"], draws=9)
    expected = measure(samples, labels, "trials", measures=["parallelism"], draws=9)
    assert np.allclose(found.value, expected.value, rtol=1e-6)


def test_the_same_seed_gives_the_same_table_and_another_one_other_draws():
    samples, labels, _ = recording(noise=8.0)
    first, again, other = (
        measure(samples, labels, "trials", measures=["decoding"], draws=19, seed=seed)
        for seed in (0, 0, 1)
    )
    assert first.equals(again)
    assert first.value[0] != other.value[0]


SAMPLES, LABELS, _ = recording(trials=3)
REFUSED = {
    'rows is "images"': (
        {"rows": "images"},
        'rows is \'images\'; allowed are "items" and "trials"',
    ),
    "features": (
        {"features": "some"},
        'features is \'some\'; allowed are "all", "sample" and None',
    ),
    "labels as rows": (
        {"rows": pd.DataFrame({"side": ["up"]})},
        'rows is a DataFrame; allowed are "items" and "trials"',
    ),
    "indices as features": (
        {"features": np.arange(3)},
        'features is a ndarray; allowed are "all", "sample" and None',
    ),
    "no measure": ({"measures": []}, "measures is empty; allowed is one name or more"),
    "no variable": ({"variables": []}, "variables is empty; allowed is one name or more"),
    "a measure": ({"measures": ["cka"]}, "measures has 'cka'; allowed are alignment, ccgp"),
    "a half draw": ({"draws": 0.5}, "draws is 0.5; allowed are whole numbers from 0"),
    "a variable": ({"variables": ["shape"]}, "variables has 'shape'; labels has 'side', 'colour'"),
    "a value": (
        {"variables": {"side": ["up"]}},
        "variables['side'] has 'up', which no row has; found: 'left', 'right'",
    ),
    "fewer labels": (
        {"labels": {"side": ["left"] * 3}},
        "labels['side'] has shape (3,); allowed is one value for each of the 12 samples",
    ),
    "a missing label": (
        {"labels": {"side": [1.0, np.nan] * 6}},
        "labels['side'] holds NaN; leave out the trials whose value is missing",
    ),
    "a missing sample": (
        {"samples": np.where(SAMPLES[0, 0] == SAMPLES, np.nan, SAMPLES)},
        "samples holds NaN or infinite values",
    ),
    "one fold": ({"folds": 1}, "folds is 1; allowed are whole numbers from 2"),
    "half a draw": ({"resamples": 0.5}, "resamples is 0.5; allowed are whole numbers from 1"),
    "no least": ({"least": 0}, "least is 0; allowed are whole numbers from 1"),
    "continuous labels": (
        {"labels": {"reward": np.linspace(0, 1.1, 12)}},
        "labels['reward'] has 12 different numbers in 12 trials, so it is continuous; allowed",
    ),
    "one column": ({"samples": SAMPLES[:, 0]}, "samples has shape (12,); allowed is a non-empty"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(case):
    changed, sentence = REFUSED[case]
    given = {"samples": SAMPLES, "labels": LABELS, "rows": "trials"} | changed
    with pytest.raises(ValueError) as refused:
        measure(**given)
    assert str(refused.value).startswith(sentence)


def test_variables_of_three_values_have_ccgp_and_parallelism_in_a_notebook():
    rng = np.random.default_rng(0)
    place, side = np.repeat(["a", "b", "c"], 60), np.tile(["left", "right"], 90)
    codes = np.column_stack([place == "a", place == "b", side == "left"])
    noise = rng.standard_normal((180, 30))
    labels = {"place": place, "side": side}
    names = ["ccgp", "parallelism"]
    coded = measure(codes @ rng.standard_normal((3, 30)) + noise, labels, "trials", None, names)
    random = measure(noise, labels, "trials", None, names, draws=19)
    for name, chance in (("ccgp", 0.5), ("parallelism", 0.0)):
        found, by_chance = row(coded, name, "place"), row(random, name, "place")
        assert found.value > 0.9 and found.p <= 0.01
        assert found.chance == by_chance.chance == chance
        assert by_chance.p > 0.05
    alone = measure(noise, {"place": place}, "trials", None, names, draws=1)
    assert alone.value.isna().all()
    assert alone.reason.str.contains("2 contexts need a second variable").all()


def test_conditions_of_unequal_numbers_are_drawn_ten_times_for_the_value_and_once_for_p():
    samples, _, levels = recording()
    kept, of = np.r_[0:70], {"measures": "decoding", "draws": 9}
    table = levels[kept]
    found = measure(samples[kept], table, "trials", **of)
    for column, row in enumerate(found.itertuples()):
        expected = balanced_decoding(samples[kept], table, column, resamples=10)
        assert row.value == expected.value
    once = measure(samples[kept], table, "trials", resamples=1, **of)
    assert found.p.tolist() == once.p.tolist()


def test_an_interval_and_a_p_value_that_seem_to_disagree_are_explained():
    """The example of README: eight conditions, whose parallelism holds for these trials alone."""
    rng = np.random.default_rng(0)
    side, place = np.tile([0, 1], 120), np.repeat([0, 1, 2, 3], 60)
    rates = rng.standard_normal((8, 40))[2 * place + side]
    rates += np.outer(side, rng.standard_normal(40)) + rng.standard_normal((240, 40))
    labels = {"side": side, "place": place}
    row = measure(rates, labels, "trials", measures="parallelism", draws=19).iloc[0]
    assert row.low > row.chance and row.p > 0.05
    assert row.reason.startswith("the interval says how much other rows would change the value, p")


def test_trials_of_unequal_length_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"samples has rows of 3 shapes, such as \(5, 7\) and \(5"):
        over_time([np.ones((5, length)) for length in (7, 8, 9)], [0, 1, 0])


def test_without_draws_there_is_no_p():
    samples, labels, _ = recording()
    found = measure(samples, labels, "trials", draws=0)
    assert found.p.isna().all() and found.value.notna().any()
