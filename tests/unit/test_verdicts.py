"""Verdicts are honest: on tables whose truth is known, they are what it is."""

import numpy as np
import pandas as pd
import pytest

from repgeom.claims import verdicts
from repgeom.claims.ledger import Claim, read_ledger
from repgeom.claims.statistics import NoRows
from repgeom.claims.verdicts import checks_of, judge, learned_rows, overall
from repgeom.plan import LEDGER

TABLES = 1000


def claim(*checks, **more):
    about = {"id": "1", "claim": "", "by": "ours", "where": "", "figure": "fig01", "sweeps": []}
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
    """One row for each activation and seed."""
    parts = [
        pd.DataFrame({"run": name, "activation": name, "seed": range(len(values)), "value": values})
        for name, values in (("tanh", tanh), ("relu", relu))
    ]
    about = {"measure": "alignment", "variant": "centres", "step": 10, "contrast": None}
    return pd.concat(parts, ignore_index=True).assign(**about | columns)


def simulated(effect, spread, seeds, number):
    """The verdicts on "tanh above ReLU" in so many tables in which the difference has this mean
    and standard deviation over seeds, with a part that pairs share and that is larger."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(number):
        shared = rng.normal(0.5, 3 * spread, seeds)
        tanh = shared + effect + rng.normal(0, spread / np.sqrt(2), seeds)
        relu = shared + rng.normal(0, spread / np.sqrt(2), seeds)
        found.append(judge(claim(difference(above=0)), table(tanh, relu), family=100)[0])
    return found


@pytest.fixture
def few_resamples(monkeypatch):
    monkeypatch.setattr(verdicts, "RESAMPLES", 1999)


def share(found, verdict, field="verdict"):
    return np.mean([getattr(finding, field) == verdict for finding in found])


@pytest.mark.parametrize("seeds", [10, 20])
def test_a_null_effect_is_rarely_supported_and_rarely_contradicted(few_resamples, seeds):
    found = simulated(effect=0, spread=0.1, seeds=seeds, number=TABLES)
    rates = {name: share(found, name) for name in ("supported", "contradicted", "undecided")}
    print(seeds, rates)
    assert rates["supported"] <= 0.05
    assert rates["contradicted"] <= 0.05
    assert share(found, "supported", "family_verdict") <= 0.01


# As large, relative to its spread over seeds, as a pilot found for the claim.
@pytest.mark.parametrize(
    ("effect", "spread", "seeds"),
    [(0.176, 0.06, 20), (0.0020, 0.0013, 20), (0.1, 0.06, 10)],
    ids=["target alignment", "untrained decoding", "ten seeds"],
)
def test_an_effect_of_the_expected_size_is_found(few_resamples, effect, spread, seeds):
    found = simulated(effect, spread, seeds, number=TABLES)
    print(share(found, "supported"), share(found, "supported", "family_verdict"))
    assert share(found, "supported") >= 0.95
    assert share(found, "contradicted") == 0


def test_an_effect_the_other_way_round_is_contradicted(few_resamples):
    found = simulated(-0.176, 0.06, 20, number=50)
    assert share(found, "contradicted") == 1


def swapped(rows):
    names = {"tanh": "relu", "relu": "tanh"}
    return rows.assign(activation=rows["activation"].map(names))


def figure_1(seeds=20):
    """A table in which the paper's claims on Figure 1 hold."""
    rng, rows = np.random.default_rng(0), []
    levels = {  # measure, variant: tanh before and after, ReLU before and after
        ("target_alignment", "centres"): (0.55, 1.0, 0.55, 0.8),
        ("input_alignment", "centres"): (0.98, 0.6, 0.98, 0.93),
        ("parallelism", "centres"): (0.05, 0.97, 0.03, 0.35),
        ("ccgp", "sigma_test=1"): (0.5, 0.99, 0.5, 0.96),
        ("ccgp", "sigma_test=3"): (0.5, 0.75, 0.5, 0.4),
        ("decoding_untrained", "sigma_test=1"): (0.997, 0.985, 0.98, 0.999),
        ("decoding_untrained", "sigma_test=3"): (0.92, 0.85, 0.9, 0.97),
    }
    for (measure, variant), (*tanh, before, after) in levels.items():
        for name, ends in (("tanh", tanh), ("relu", (before, after))):
            for step, mean in zip((0, 2000), ends, strict=True):
                values = mean + rng.normal(0, 0.002, seeds)
                rows.append(
                    pd.DataFrame({"run": name, "activation": name, "step": step, "value": values,
                                  "seed": range(seeds), "measure": measure, "variant": variant,
                                  "contrast": None})
                )  # fmt: skip
    return pd.concat(rows, ignore_index=True)


DIRECTIONAL = ["1", "2", "3", "4", "8", "9", "10"]


@pytest.mark.parametrize("number", DIRECTIONAL)
def test_with_the_names_of_the_activations_swapped_what_was_supported_is_contradicted(number):
    [one] = [c for c in read_ledger(LEDGER) if c.id == number]
    one = one.model_copy(update={"learned": None})
    rows = figure_1()
    found, other = (
        overall([f.verdict for f in judge(one, r, family=100)]) for r in (rows, swapped(rows))
    )
    assert (found, other) == ("supported", "contradicted")


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "undecided"], "undecided"),
        (["supported", "contradicted", "undecided"], "contradicted"),
        ([], "not run"),
    ],
)
def test_a_claim_is_supported_if_all_its_checks_are_and_contradicted_if_any_is(parts, verdict):
    assert overall(parts) == verdict


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [
        ({"above": 0.5}, "supported"),
        ({"below": 0.5}, "contradicted"),
        ({"above": 1.0}, "undecided"),
        ({"below": 1.5}, "supported"),
    ],
)
def test_a_verdict_says_where_the_interval_lies(limit, verdict):
    values = np.array([0.8, 0.9, 1.0, 1.1, 1.2])
    [found] = judge(claim(difference(**limit)), table(values, np.zeros(5)), family=1)
    assert found.verdict == verdict
    assert found.low < 1 < found.high


def test_two_networks_decide_nothing():
    [found] = judge(claim(difference(above=0)), table([1.0, 2.0], [0.0, 0.0]), family=1)
    assert (found.value, found.verdict, found.seeds) == (1.5, "undecided", 2)


def test_a_table_without_what_a_claim_needs_is_not_judged():
    rows = table([1.0], [0.0], measure="ccgp")
    with pytest.raises(NoRows, match="the table has no rows with"):
        judge(claim(difference(above=0)), rows, family=1)


def test_networks_that_have_not_learned_are_left_out_with_their_pair_and_counted():
    rows = table(np.arange(5.0), np.zeros(5))
    accuracy = table([1, 1, 0.94, 1, 1], [0.95, 1, 1, 1, 0.9]).assign(
        measure="accuracy", variant="test"
    )
    both = pd.concat([rows, accuracy])
    [found] = judge(claim(difference(above=0), learned="test"), both, family=1)
    assert (found.value, found.seeds, found.left_out) == ((0 + 1 + 3) / 3, 3, 2)
    [found] = judge(claim(difference(above=0)), both, family=1)
    assert (found.seeds, found.left_out) == (5, 0)


def test_it_is_the_accuracy_at_the_last_step_that_counts():
    rows = table(np.arange(5.0), np.zeros(5))
    early = table(np.zeros(5), np.zeros(5), step=0).assign(measure="accuracy", variant="test")
    late = table(np.ones(5), np.ones(5)).assign(measure="accuracy", variant="test")
    assert len(learned_rows(claim(learned="test"), pd.concat([rows, early, late]))) == 30


def test_rows_that_belong_to_no_single_network_are_no_evidence():
    rows = table(np.arange(5.0), np.zeros(5))
    contrast = table(np.full(5, 99.0), np.zeros(5)).assign(contrast="tanh - relu")
    summary = table(np.full(5, 99.0), np.zeros(5)).assign(seed=np.nan)
    [found] = judge(claim(difference(above=0)), pd.concat([rows, contrast, summary]), family=1)
    assert found.value == 2


def test_effect_size_and_agreement_are_those_of_the_seeds():
    values = np.array([-1.0, 1.0, 2.0, 3.0])
    [found] = judge(claim(difference(above=0)), table(values, np.zeros(4)), family=1)
    assert found.agreeing == 3
    assert found.effect_size == pytest.approx(values.mean() / values.std(ddof=1))


def test_seeds_that_differ_by_rounding_alone_have_no_effect_size():
    values = 1 + np.array([0, 1, 2, 5]) * np.finfo(float).eps
    [found] = judge(claim(difference(above=0)), table(values, np.zeros(4)), family=1)
    assert found.verdict == "supported"
    assert np.isnan(found.effect_size)


def test_the_more_checks_there_are_the_wider_is_the_corrected_interval():
    values = np.random.default_rng(0).normal(1, 1, 20)
    [one], [many] = (
        judge(claim(difference(above=0)), table(values, np.zeros(20)), family=f) for f in (1, 200)
    )
    assert (one.family_low, one.family_high) == pytest.approx((one.low, one.high))
    assert many.family_low < many.low < many.high < many.family_high


# Claims about every value of a column.


def cells(**effects):
    """Tanh above ReLU by so much in each data set, with as many epochs as its name has letters."""
    return pd.concat(
        table(effect + np.arange(5.0) / 100, np.zeros(5), dataset=name, step=len(name))
        for name, effect in effects.items()
    )


def everywhere():
    last = difference(above=0)
    last["options"]["of"] = {"measure": "alignment", "step": "last"}
    return claim(last, for_each=["dataset"])


def test_a_claim_about_every_data_set_is_checked_in_each_that_the_table_has():
    rows = cells(digits=1.0, cifar=-1.0)
    found = judge(everywhere(), rows, family=1)
    assert [f.verdict for f in found] == ["contradicted", "supported"]
    assert [c.options["of"]["dataset"] for c in checks_of(everywhere(), rows)] == [
        "cifar",
        "digits",
    ]


def test_the_seeds_of_one_data_set_are_not_missed_in_another():
    more = table(np.ones(9), np.zeros(9), dataset="cifar", step=5)
    found = judge(everywhere(), pd.concat([cells(digits=1.0), more]), family=1)
    assert [(f.seeds, f.left_out) for f in found] == [(9, 0), (5, 0)]


def test_a_claim_about_every_data_set_is_not_run_on_a_table_without_any():
    with pytest.raises(NoRows, match="the table has no rows with dataset"):
        judge(everywhere(), table(np.ones(5), np.zeros(5), dataset=None), family=1)


def test_a_claim_about_every_data_set_has_checks_that_select_rows_once():
    gap = {"statistic": "gap_correlation", "above": 0}
    gap["options"] = {"of": [{}], "over": [{}], "first": {}, "second": {}}
    with pytest.raises(ValueError, match="for_each: its checks should have one `of` each"):
        claim(gap, for_each=["dataset"])
