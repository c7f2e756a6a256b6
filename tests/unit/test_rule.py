"""The rule for verdicts: each of its words, on a table that must give it."""

import pandas as pd
import pytest
from claim_rows import rows_of

from repatlas.claims.claims_file import Claim, ClaimsFile
from repatlas.claims.judging import with_verdicts
from repatlas.claims.multiverse import Design, Tried, summaries
from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED, UNDECIDED
from repatlas.claims.rule import (
    DEPENDS,
    FAILS,
    IN_OUR_SETTING,
    NO_CONTROL,
    NOT_COMPUTED,
    NOT_REPRODUCED,
    PASSES,
    REPRODUCED,
    control_of,
    overall_verdict,
)
from repatlas.claims.verdicts import FACT, NO_NUMBER, NOT_JUDGED, TOO_FEW, corrected, judge, outcome

SIGN = {"source": "sign", "why": "it is higher"}
UNTRAINED = {"null_model": "untrained", "rows": {"step": 0}}
LENGTHS = [2000, 200, 500, 1000, 4000, 8000, 16000, 32000, 64000, 125000]


def claim_of(**more):
    """Return the claim that tanh networks have the higher alignment after training."""
    both = {"first": {"activation": "tanh"}, "second": {"activation": "relu"}}
    of = {"measure": "target_alignment", "step": "last"}
    check = {"statistic": "difference", "options": {"of": of, **both}, "above": 0}
    about = {"id": "1", "claim": "Tanh is above ReLU.", "by": "paper", "where": "section 4"}
    about |= {"figure": "fig01", "settings": [], "statistic": "a difference", "checks": [check]}
    about |= {"contradicted_by": "one below 0", "limit": SIGN, "control": UNTRAINED}
    return Claim.model_validate(about | more)


def networks(differences, untrained=-0.1):
    """Return the rows of pairs of networks: tanh minus ReLU after training, and before."""
    untrained = untrained if isinstance(untrained, list) else [untrained] * len(differences)
    rows = [
        (seed, step, activation, value if activation == "tanh" else 0.0)
        for seed, (trained, before) in enumerate(zip(differences, untrained, strict=True))
        for step, value in ((0, before), (2000, trained))
        for activation in ("tanh", "relu")
    ]
    frame = pd.DataFrame(rows, columns=["seed", "step", "activation", "value"])
    names = {"measure": "target_alignment", "contrast": None}
    return rows_of(frame.assign(run=frame["activation"], **names))


def ours(claim, rows, claims=1):
    """Return what our own setting says, corrected for this number of claims like this one."""
    return corrected([outcome(judge(claim, rows))] * claims)[0].verdict


def lengths(holding):
    """Return training lengths, varied alone. The claim holds with these."""
    settings = [{"training length": steps} for steps in LENGTHS]
    holds = {number: steps in holding for number, steps in enumerate(LENGTHS)}
    return Design({"training length": LENGTHS}, settings, holds)


def choices(outcome_of, number=60):
    """Return settings of two choices, in which the claim holds where a function says so."""
    values = {"width": [120, 60, 240], "bias": ["trained", "none"]}
    settings = [
        {"width": values["width"][n % 3], "bias": values["bias"][n // 3 % 2]} for n in range(number)
    ]
    return Design(values, settings, {n: outcome_of(each) for n, each in enumerate(settings)})


EVERYWHERE = choices(lambda setting: True)
NOWHERE = choices(lambda setting: False)
HIGHER, LOWER = networks([0.2] * 20), networks([-0.2] * 20)


def judged(rows, designs, claims=1, **more):
    claim = claim_of(**more)
    found = ours(claim, rows, claims), control_of(claim, rows)
    return overall_verdict(claim, *found, designs)


def test_a_claim_is_reproduced_if_ours_holds_and_so_do_four_fifths_of_the_settings():
    assert judged(HIGHER, [EVERYWHERE]).word == REPRODUCED
    assert judged(HIGHER, [lengths(LENGTHS[:8])]).word == REPRODUCED
    assert judged(HIGHER, [lengths(LENGTHS[:7])]).word == DEPENDS


def test_a_claim_is_not_reproduced_if_ours_contradicts_and_at_most_one_fifth_hold():
    assert judged(LOWER, [NOWHERE]).word == NOT_REPRODUCED
    assert judged(LOWER, [lengths(LENGTHS[1:3])]).word == NOT_REPRODUCED
    assert judged(LOWER, [lengths(LENGTHS[1:4])]).word == DEPENDS
    assert judged(HIGHER, [NOWHERE]).word == DEPENDS, "ours does not contradict it"


BIASED = choices(lambda setting: setting["bias"] == "trained")


def test_what_depends_names_the_choice_that_decides():
    assert judged(HIGHER, [BIASED])[:2] == (DEPENDS, "bias")
    assert judged(HIGHER, [EVERYWHERE, lengths(LENGTHS[:5])])[:2] == (DEPENDS, "training length")
    assert judged(HIGHER, [BIASED, lengths(LENGTHS[:1])])[1] == "bias, training length"


def test_a_design_that_agrees_with_ours_decides_nothing():
    assert judged(HIGHER, [BIASED, lengths(LENGTHS[:9])])[1] == "bias"


def test_settings_without_a_difference_name_no_choice():
    assert judged(HIGHER, [lengths([])])[1] == f"no single choice; ours: {SUPPORTED}"


def test_all_settings_together_must_reach_the_share():
    """Each holds in 8 of 10. Ours is in both and counts once, so that together it is 15 of 19."""
    assert judged(HIGHER, [lengths(LENGTHS[:8])] * 2).word == DEPENDS


def test_the_choice_with_the_largest_effect_is_named_first():
    found = choices(lambda s: s["bias"] == "trained" or s["width"] == 60)
    assert judged(HIGHER, [found])[1] == "bias, width"


def test_ours_that_is_undecided_depends_and_says_so():
    mixed = networks([0.2] * 10 + [-0.2] * 10)
    assert judged(mixed, [EVERYWHERE])[:2] == (DEPENDS, f"no single choice; ours: {UNDECIDED}")


@pytest.mark.parametrize(("rows", "found"), [(HIGHER, SUPPORTED), (LOWER, CONTRADICTED)])
def test_with_fewer_than_ten_settings_the_verdict_is_in_our_setting(rows, found):
    assert judged(rows, [])[:2] == (IN_OUR_SETTING, found)
    nine = lengths(LENGTHS)._replace(holds=dict.fromkeys(range(9), found == SUPPORTED))
    assert judged(rows, [nine])[:2] == (IN_OUR_SETTING, found)
    ten = nine._replace(holds=dict.fromkeys(range(10), found == SUPPORTED))
    assert judged(rows, [ten]).word in (REPRODUCED, NOT_REPRODUCED)


def test_our_own_setting_counts_once():
    """Our setting is the first of both designs: nine others are needed."""
    few = [design._replace(holds={n: True for n in range(5)}) for design in (EVERYWHERE,) * 2]
    assert judged(HIGHER, few).word == IN_OUR_SETTING
    few[1] = few[1]._replace(holds={n: True for n in range(6)})
    assert judged(HIGHER, few).word == REPRODUCED


def test_networks_that_are_too_few_to_judge_are_said_to_be():
    assert judged(networks([0.2] * 5), [EVERYWHERE]).word == TOO_FEW


def test_ours_is_corrected_for_the_number_of_claims():
    six = networks([0.2] * 6)
    assert judged(six, [EVERYWHERE]).word == REPRODUCED
    assert judged(six, [EVERYWHERE], claims=60).word == TOO_FEW


def test_a_limit_of_ours_is_shown_and_not_judged():
    limit = {"source": "ours", "why": "low has no number"}
    assert judged(HIGHER, [EVERYWHERE], limit=limit)[:2] == (NO_NUMBER, "low has no number")
    already = networks([0.2] * 20, untrained=0.1)
    assert judged(already, [EVERYWHERE], limit=limit).word == NO_NUMBER, "also if the null passes"


@pytest.mark.parametrize(
    "limit",
    [
        {"source": "printed", "why": "0, in table 1"},
        {"source": "null_model", "null_model": "equidistant", "why": "they hold no label"},
    ],
)
def test_a_printed_limit_and_that_of_a_null_model_are_judged(limit):
    assert judged(HIGHER, [EVERYWHERE], limit=limit).word == REPRODUCED


def test_a_claim_whose_control_passes_is_an_exact_fact():
    already = networks([0.2] * 20, untrained=0.1)
    assert control_of(claim_of(), already) == PASSES
    assert judged(already, [EVERYWHERE]).word == FACT
    assert judged(HIGHER, [EVERYWHERE], fact="it is so")[:2] == (FACT, "it is so")


def test_a_control_passes_by_the_same_sign_test_as_the_claim():
    """Untrained networks without a difference are above 0 in 11 of 20 cases."""
    before = [0.01] * 11 + [-0.01] * 9
    assert control_of(claim_of(), networks([0.2] * 20, untrained=before)) == FAILS


def test_a_control_passes_only_if_all_checks_do():
    both = {"first": {"activation": "tanh"}, "second": {"activation": "relu"}}
    of = {"measure": "target_alignment", "step": "last"}
    checks = [
        {"statistic": "difference", "options": {"of": of, **both}, "above": limit}
        for limit in (0, 0.15)
    ]
    already = networks([0.2] * 20, untrained=0.1)
    assert control_of(claim_of(checks=checks), already) == FAILS


@pytest.mark.parametrize(
    ("control", "found"),
    [
        (UNTRAINED, FAILS),
        ({"null_model": "no_change", "value": 0}, FAILS),
        ({"null_model": "linear"}, NOT_COMPUTED),
        ({"null_model": "linear", "rows": {"activation": "identity"}}, NOT_COMPUTED),
        ({"why": "compares two readouts"}, NO_CONTROL),
    ],
)
def test_a_control_is_the_same_check_on_the_null_model(control, found):
    assert control_of(claim_of(control=control), HIGHER) == found


def test_a_control_replaces_the_columns_in_every_selection():
    """After minus before training is no change on untrained networks."""
    step = {"first": {"step": "last"}, "second": {"step": 0}}
    of = {"measure": "target_alignment", "activation": "tanh"}
    rise = {"statistic": "difference", "options": {"of": of, **step}, "above": 0}
    assert control_of(claim_of(checks=[rise]), HIGHER) == FAILS
    low = {"statistic": "level", "options": {"of": of}, "below": 0}
    assert control_of(claim_of(checks=[low]), HIGHER) == PASSES, "the column is in no selection"


def test_without_its_control_or_its_networks_a_claim_is_not_judged():
    assert judged(HIGHER, [EVERYWHERE], control={"null_model": "linear"}).word == NOT_JUDGED
    later = judged(HIGHER, [EVERYWHERE], later="networks without noise")
    assert later[:2] == (NOT_JUDGED, "it needs networks without noise")


def test_a_claim_for_which_every_check_holds_by_definition_is_refused():
    with pytest.raises(ValueError, match="control: every check holds for 1 too"):
        claim_of(control={"null_model": "linear", "value": 1})
    assert claim_of(control={"null_model": "linear", "value": 1}, fact="it is so")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"limit": {"source": "null_model", "why": "x"}}, "`null_model` should be given"),
        ({"limit": SIGN | {"null_model": "linear"}}, "`null_model` should be given"),
        ({"control": {"rows": {"step": 0}}}, "without `null_model` it should have `why` alone"),
        ({"control": UNTRAINED | {"value": 0}}, "should have `rows` or `value`, found both"),
    ],
)
def test_a_limit_or_control_that_is_half_said_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        claim_of(**change)


# Published claims, judged again with other settings.


def tried(varies, outcomes):
    """Return a file of settings in which claim 1 has these outcomes."""
    settings = [{"steps": number} for number in range(len(outcomes))]
    job = {"varies": varies, "values": {"steps": [*range(len(outcomes))]}, "settings": settings}
    rows = [
        {"claim": "1", "says": "", "setting": number, "outcome": outcome}
        for number, outcome in enumerate(outcomes)
    ]
    found = summaries(pd.DataFrame(rows), settings, job["values"])
    return Tried({"job": job}, None, found)


def again(*files, varies=("choices", "length")):
    claim = claim_of(control={"null_model": "untrained"}, varies=[*varies])
    rows = pd.DataFrame([{"claim": "1", "ours": SUPPORTED, "control": NOT_COMPUTED}])
    found = with_verdicts(rows, ClaimsFile.model_construct(claims=[claim]), files).iloc[0]
    return found["claim_verdict"], found["why"], found["control"], found["holds_in"]


LEARNING = tried("untrained", ["does not hold"])
EITHER = [tried(kind, ["holds"] * 9 + ["not applicable"]) for kind in ("choices", "length")]
HELD = "9 of 9 choices, 9 of 9 lengths"


def test_a_control_on_untrained_networks_counts_where_it_is_computed():
    assert again(*EITHER)[:3] == (NOT_JUDGED, "its control is not computed", NOT_COMPUTED)
    assert again(LEARNING, *EITHER) == (REPRODUCED, None, FAILS, HELD)
    assert again(tried("untrained", ["holds"]), *EITHER)[0] == FACT
    assert again(tried("untrained", ["not judged"]), *EITHER)[0] == NOT_JUDGED


def test_a_claim_waits_for_all_settings_that_it_is_judged_in():
    word, why, _, held = again(LEARNING, EITHER[0])
    assert (word, held) == (IN_OUR_SETTING, "9 of 9 choices")
    assert why == f"{SUPPORTED}; other lengths are missing"
    apart = tried("choices", ["holds"] * 5 + ["does not hold"] * 5)
    assert again(LEARNING, apart)[0] == DEPENDS, "whatever the lengths say"
