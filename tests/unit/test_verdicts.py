"""Verdicts are honest: on tables whose truth is known, they are what it is."""

import numpy as np
import pandas as pd
import pytest
from claim_rows import rows_of
from hypothesis import given, settings
from hypothesis import strategies as st
from selections import some

from repatlas.claims import verdicts
from repatlas.claims.claims_file import Claim
from repatlas.claims.selection import NoRows
from repatlas.claims.verdicts import CheckResult, ClaimResult, corrected, outcome

TABLES = 2000


def judge(claim, table):
    return verdicts.judge(claim, rows_of(table))


def claim(*checks, **more):
    about = {"id": "1", "claim": "", "by": "ours", "where": "", "figure": "fig01", "settings": []}
    about |= {"statistic": "", "contradicted_by": "", "checks": list(checks)}
    return Claim.model_validate(about | more)


def difference(**limit):
    options = {
        "of": {"measure": "alignment"},
        "first": {"activation": "tanh"},
        "second": {"activation": "relu"},
    }
    return {"statistic": "difference", "options": options} | limit


def table(tanh, relu, **columns):
    """Return a table with one row for each activation and seed."""
    parts = [
        pd.DataFrame({"run": name, "activation": name, "seed": range(len(values)), "value": values})
        for name, values in (("tanh", tanh), ("relu", relu))
    ]
    about = {"measure": "alignment", "variant": "centres", "step": 10, "contrast": None}
    return pd.concat(parts, ignore_index=True).assign(**about | columns)


def found(agreeing, opposing, seeds):
    """Return a finding with these numbers of networks on either side of the limit."""
    return CheckResult(0.0, 0.0, 0.0, 1.0, "undecided", seeds, 0, agreeing, np.nan, opposing)


# The following tests count how often a verdict is wrong.

NOISES = {  # of a paired difference, with median 0
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - np.log(2),
    "at a ceiling": lambda rng, shape: -np.maximum(rng.normal(size=shape), 0),
}


def outcomes_of_nothing(draw, seeds, checks, tables):
    """Return the outcomes of claims whose statistics all have their limit as median."""
    values = draw(np.random.default_rng(0), (tables, checks, seeds))
    counts = np.stack([(values > 0).sum(axis=2), (values < 0).sum(axis=2)], axis=2)
    # Many tables have the same counts.
    unlike, which = np.unique(counts, axis=0, return_inverse=True)
    outcomes = [outcome([found(*map(int, sides), seeds) for sides in each]) for each in unlike]
    return [outcomes[number] for number in which]


@pytest.mark.parametrize("seeds", [5, 7, 20])
@pytest.mark.parametrize("checks", [1, 4])
@pytest.mark.parametrize("name", NOISES)
def test_where_nothing_is_there_5_percent_of_claims_are_decided_at_most(name, checks, seeds):
    outcomes = outcomes_of_nothing(NOISES[name], seeds, checks, TABLES)
    decided = np.mean([found.verdict in ("supported", "contradicted") for found in outcomes])
    print(f"{name}, {seeds} networks, {checks} checks: {100 * decided:.2f} % decided")
    assert decided <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / TABLES)
    if seeds < 6:
        assert some({found.verdict for found in outcomes}) <= {"too few networks"}


@pytest.mark.parametrize("seeds", [20])
def test_where_nothing_is_there_5_percent_of_studies_decide_any_claim_once_corrected(seeds):
    claims = outcomes_of_nothing(NOISES["skewed"], seeds, 2, 46 * 400)
    studies = [corrected(claims[start : start + 46]) for start in range(0, len(claims), 46)]
    wrong = np.mean(
        [any(c.verdict in ("supported", "contradicted") for c in one) for one in studies]
    )
    print(f"{seeds} networks: {100 * wrong:.2f} % of studies")
    assert wrong <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 400)


# A pilot found effects of these sizes, relative to their spread over seeds, for the claims.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("effect", "spread", "seeds"),
    [(0.176, 0.06, 20), (0.0020, 0.0013, 20), (0.1, 0.06, 10)],
    ids=["target alignment", "untrained decoding", "ten seeds"],
)
def test_an_effect_of_the_expected_size_is_found(effect, spread, seeds):
    rng, verdicts = np.random.default_rng(0), []
    for _ in range(60):
        shared = rng.normal(0.5, 3 * spread, seeds)  # with the pair, and larger than its difference
        tanh = shared + effect + rng.normal(0, spread / np.sqrt(2), seeds)
        relu = shared + rng.normal(0, spread / np.sqrt(2), seeds)
        verdicts += [outcome(judge(claim(difference(above=0)), table(tanh, relu))).verdict]
    assert verdicts.count("supported") >= 0.95 * len(verdicts)
    assert "contradicted" not in verdicts


# What a claim follows from.


def test_a_claim_is_supported_if_all_its_checks_are():
    assert outcome([found(10, 0, 10), found(9, 1, 10)]) == ClaimResult(
        pytest.approx(2 * 11 / 2**10), "supported", 10, 1
    )
    assert outcome([found(10, 0, 10), found(8, 2, 10)]).verdict == "undecided"


def test_a_claim_is_contradicted_if_one_check_is_by_more_than_their_number_explains():
    assert outcome([found(10, 0, 10), found(0, 10, 10)]) == ClaimResult(
        pytest.approx(2 * 2 / 2**10), "contradicted", 10, 2
    )
    nearly = found(1, 9, 10)  # two-sided p of 0.02
    assert outcome([nearly]).verdict == "contradicted"
    assert outcome([nearly, *[found(10, 0, 10)] * 3]).verdict == "undecided"


@pytest.mark.parametrize("seeds", [2, 5])
def test_too_few_networks_decide_nothing_and_say_how_many_are_needed(seeds):
    rows = table(np.ones(seeds), np.zeros(seeds))
    [finding] = judge(claim(difference(above=0)), rows)
    assert (finding.verdict, finding.agreeing) == ("too few networks", seeds)
    assert np.isnan(finding.low)
    assert outcome([finding])[1:] == ("too few networks", seeds, 1, 6)


def test_corrected_p_values_are_those_of_holm():
    """His example has p of .01, .04, .03, .005: times 4, 3, 2, 1 in ascending order."""
    outcomes = [ClaimResult(p, "supported", 20, 1) for p in (0.01, 0.04, 0.03, 0.005)]
    after = corrected(outcomes)
    assert [found.p for found in after] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert [found.verdict for found in after] == [
        "supported",
        "undecided",
        "undecided",
        "supported",
    ]


def test_corrected_verdicts_say_how_many_networks_the_claims_that_are_left_would_need():
    all_of_ten = outcome([found(10, 0, 10)])
    left = corrected([all_of_ten] * 46)
    assert {(c.verdict, c.needed) for c in left} == {("too few networks", 11)}
    certain = outcome([found(20, 0, 20)])
    assert corrected([certain] * 30 + [all_of_ten] * 16)[-1].verdict == "supported"


@settings(max_examples=40)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=25), st.sampled_from([-1.0, 0.0, 1.5]))
def test_a_verdict_says_where_the_interval_lies(values, limit):
    rows = table(np.array(values, float), np.zeros(len(values)))
    [above] = judge(claim(difference(above=limit)), rows)
    [below] = judge(claim(difference(below=limit)), rows)
    if len(values) < 6:
        expected = ("too few networks", "too few networks")
    elif above.low > limit:
        expected = ("supported", "contradicted")
    elif above.high < limit:
        expected = ("contradicted", "supported")
    else:
        expected = ("undecided", "undecided")
    assert (above.verdict, below.verdict) == expected
    assert above.p == below.p


# Which rows count.


def test_a_table_without_what_a_claim_needs_is_not_judged():
    rows = table([1.0], [0.0], measure="ccgp")
    with pytest.raises(NoRows, match="found no rows with measure alignment"):
        judge(claim(difference(above=0)), rows)


def test_networks_that_have_not_learned_are_left_out_with_their_pair_and_counted():
    rows = table(np.arange(5.0), np.zeros(5))
    accuracy = table([1, 1, 0.94, 1, 1], [0.95, 1, 1, 1, 0.9]).assign(
        measure="accuracy", variant="test"
    )
    both = pd.concat([rows, accuracy])
    [finding] = judge(claim(difference(above=0), learned="test"), both)
    assert (finding.value, finding.seeds, finding.left_out) == (1, 3, 2)
    [finding] = judge(claim(difference(above=0)), both)
    assert (finding.seeds, finding.left_out) == (5, 0)


def test_seeds_that_another_measure_or_another_network_has_alone_are_not_missed():
    rows = [
        table(np.arange(6.0), np.zeros(6), measure="of disjoint pairs", network="mlp"),
        table(np.arange(12.0), np.zeros(12), measure="of all pairs", network="mlp"),
        table(np.arange(20.0), np.zeros(20), measure="of disjoint pairs", network="cnn"),
    ]
    check = difference(above=0)
    check["options"]["of"] = {"measure": "of disjoint pairs", "network": "mlp"}
    [finding] = judge(claim(check), pd.concat(rows))
    assert (finding.seeds, finding.left_out) == (6, 0)


def test_it_is_the_accuracy_at_the_last_step_that_counts():
    rows = table(np.arange(5.0), np.zeros(5))
    early = table(np.zeros(5), np.zeros(5), step=0).assign(measure="accuracy", variant="test")
    late = table(np.ones(5), np.ones(5)).assign(measure="accuracy", variant="test")
    every = rows_of(pd.concat([rows, early, late]))
    left, poor = verdicts.learned_rows(claim(learned="test"), every)
    assert (len(left.of(left.kinds.index.to_numpy())), poor) == (30, 0)


def test_rows_that_belong_to_no_single_network_are_no_evidence():
    rows = table(np.arange(5.0), np.zeros(5))
    contrast = table(np.full(5, 99.0), np.zeros(5)).assign(contrast="tanh - relu")
    summary = table(np.full(5, 99.0), np.zeros(5)).assign(seed=np.nan)
    [finding] = judge(claim(difference(above=0)), pd.concat([rows, contrast, summary]))
    assert finding.value == 2


def test_effect_size_and_agreement_are_those_of_the_seeds():
    values = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])
    [finding] = judge(claim(difference(above=0)), table(values, np.zeros(5)))
    assert (finding.agreeing, finding.opposing) == (3, 1), "a value at the limit is on neither side"
    assert finding.effect_size == pytest.approx(values.mean() / values.std(ddof=1))


def test_a_network_for_which_a_statistic_is_not_defined_is_left_out_and_counted():
    rows = pd.concat(
        table(np.arange(7.0), np.zeros(7), measure=name, step=10)
        for name in ("ccgp", "parallelism")
    )
    gap = {"statistic": "gap_ratio", "below": 2}
    gap["options"] = {"of": [{"measure": "ccgp"}, {"measure": "parallelism"}], "over": [{}]}
    gap["options"] |= {"first": {"activation": "tanh"}, "second": {"activation": "relu"}}
    [finding] = judge(claim(gap), rows)
    assert (finding.seeds, finding.left_out, finding.agreeing) == (6, 1, 6)


# The following claims are about every value of a column.


def cells(**effects):
    """Return a table in which tanh is above ReLU by the given effect in each data set.

    The number of epochs is the number of letters of the data set's name."""
    return pd.concat(
        table(effect + np.arange(6.0) / 100, np.zeros(6), dataset=name, step=len(name))
        for name, effect in effects.items()
    )


def everywhere():
    last = difference(above=0)
    last["options"]["of"] = {"measure": "alignment", "step": "last"}
    return claim(last, for_each=["dataset"])


def test_a_claim_about_every_data_set_is_checked_in_each_that_the_table_has():
    rows = cells(digits=1.0, cifar=-1.0)
    findings = judge(everywhere(), rows)
    assert [f.verdict for f in findings] == ["contradicted", "supported"]
    checks = verdicts.checks_of(everywhere(), rows_of(rows))
    assert [check.options["of"]["dataset"] for check in checks] == ["cifar", "digits"]


def test_a_claim_about_every_data_set_has_checks_that_select_rows_once():
    gap = {"statistic": "gap_correlation", "above": 0}
    gap["options"] = {"of": [{}], "over": [{}], "first": {}, "second": {}}
    with pytest.raises(ValueError, match="for_each: its checks should have one `of` each"):
        claim(gap, for_each=["dataset"])


# Numbers that belong to no network.


@pytest.fixture
def exact_table():
    about = {"run": None, "seed": np.nan, "contrast": None, "measure": "slope"}
    return pd.concat([table([1.0] * 8, [0.0] * 8), pd.DataFrame([about | {"value": -0.3}])])


def exact_check(**limit):
    return {"statistic": "exact", "options": {"of": {"measure": "slope"}}} | limit


def test_a_number_that_belongs_to_no_network_is_judged_by_its_value(exact_table):
    (supported,) = judge(claim(exact_check(below=0.0)), exact_table)
    (contradicted,) = judge(claim(exact_check(above=0.0)), exact_table)
    assert (supported.verdict, contradicted.verdict) == ("supported", "contradicted")
    assert np.isnan(supported.low)
    assert outcome([supported]).verdict == "supported"
    assert outcome([contradicted]).verdict == "contradicted"


def test_it_neither_decides_a_check_of_networks_nor_hinders_it(exact_table):
    both = claim(exact_check(below=0.0), difference(above=0.0))
    assert outcome(judge(both, exact_table)).verdict == "supported"
    wrong = claim(exact_check(above=0.0), difference(above=0.0))
    assert outcome(judge(wrong, exact_table)).verdict == "contradicted"
    few = claim(exact_check(below=0.0), difference(above=5.0))
    assert outcome(judge(few, exact_table)).verdict == "contradicted"
