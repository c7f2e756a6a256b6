"""Numbers and sentences of the report page."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from repatlas.report.words import (
    certainty,
    described,
    in_all,
    interval,
    number,
    verdict_sentence,
)


def row(verdict, name="1", by="paper", corrected=None):
    about = SimpleNamespace(id=name, claim=f"Claim {name}.", by=by)
    main = SimpleNamespace(statistic="level: c", number="the share", expected="< 0.5", value=0.75,
                           low=0.7, high=0.8, seeds=20.0)  # fmt: skip
    return SimpleNamespace(about=about, verdict=verdict, corrected=corrected or verdict,
                           main=main, not_judged="it is a preview")  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (-0.5, 2, "\N{MINUS SIGN}0.5 to 2"),
        (0.99991, 0.99998, "0.99991 to 0.99998"),
        (1, 1, "1 to 1"),
    ],
)
def test_an_interval_tells_its_ends_apart(low, high, shown):
    assert interval(low, high) == shown


def test_a_number_has_a_minus_sign():
    assert number(-0.12345) == "\N{MINUS SIGN}0.123"


@pytest.mark.parametrize(
    ("statistic", "low", "shown"),
    [
        ("median", 0.1, "95 % interval 0.1 to 0.2"),
        ("median", np.nan, "no interval (n = 3)"),
        ("exact: slope", np.nan, "exact: no networks behind it"),
    ],
)
def test_a_check_without_an_interval_says_why(statistic, low, shown):
    check = SimpleNamespace(statistic=statistic, low=low, high=0.2, seeds=3.0)
    assert certainty(check) == shown


def test_the_claims_are_counted_in_three_sentences():
    rows = [
        row("supported", corrected="undecided"),
        row("supported"),
        row("contradicted"),
        row("judged on other settings"),
        row("exact fact"),
        row("supported", by="ours"),
    ]
    assert in_all(rows) == [
        "Of the paper's 4 claims 2 are supported, 1 contradicted and 1 judged on other settings"
        " only.",
        "Corrected for their number, 1 is supported, 1 contradicted, 1 undecided and 1 judged on"
        " other settings only.",
        "Of our own 1 claims 1 is supported.",
    ]


@pytest.mark.parametrize(
    ("verdicts", "sentence"),
    [
        ([], ""),
        (["supported"], "The one claim tested on this figure is supported."),
        (["supported"] * 3, "All 3 claims tested on this figure are supported."),
        (["too few networks"] * 2, "Too few networks to judge the 2 claims tested on this figure."),
        (["not judged"], "Not judged: the 1 claim tested on this figure (it is a preview)."),
        (
            ["supported", "contradicted"],
            "Of the 2 claims tested on this figure 1 is supported and 1 contradicted."
            " Not confirmed: (1) Claim 1. We find the share: 0.75 (95 % interval 0.7 to 0.8, 20"
            " networks); we read the claim as less than 0.5.",
        ),
        (["exact fact"], "The one claim tested on this figure is exact by construction."),
        (
            ["judged on other settings"] * 2,
            "All 2 claims tested on this figure are judged on other settings only.",
        ),
    ],
)
def test_a_figures_claims_are_a_sentence(verdicts, sentence):
    assert verdict_sentence([row(v, str(n)) for n, v in enumerate(verdicts)]) == sentence


def table(**columns):
    rows = pd.DataFrame({"run": "a1", **columns})
    return rows.assign(**{n: None for n in ("contrast", "step") if n not in rows})


def test_a_figure_is_described_from_one_end_of_its_axis_to_the_other():
    deltas, kinds = [0.0, 1.0] * 2, ["tanh"] * 2 + ["relu"] * 2
    values = [0.27, 0.984, 0.561, 1e-17]
    rows = table(measure="target_alignment", activation=kinds, delta=deltas, value=values)
    assert described("fig02", rows) == (
        "Figure 2. Medians over networks."
        " Target alignment from δ 0 to 1: tanh 0.27 to 0.98, ReLU 0.56 to 0."
    )


def test_values_before_the_end_of_training_and_differences_are_not_described():
    steps, values = [0, 0, 5, 5, 5], [9, 9, 0.5, 0.75, 9]
    deltas, contrasts = [0.0, 1.0, 0.0, 1.0, 1.0], [None] * 4 + ["tanh - relu"]
    rows = table(measure="ccgp", step=steps, delta=deltas, value=values, contrast=contrasts)
    assert described("fig03", rows).endswith("CCGP from δ 0 to 1: 0.5 to 0.75.")


def test_of_a_figure_without_networks_no_median_over_networks_is_told():
    rows = table(measure="ccgp", variant=["variable 1", "variable 2"], value=[0.6, 0.7], run=None)
    assert described("fig09", rows) == "Figure 9. The caption says what each panel shows."


def test_an_alignment_of_inputs_and_outputs_has_its_name():
    rows = table(measure="target_alignment", alignment=[0.0, 1.0], value=[0.25, 0.5])
    assert "from input-output alignment 0 to 1: 0.25 to 0.5." in described("fig04", rows)


def test_a_figure_of_no_numbers_leads_to_its_caption():
    assert described("fig09", table(measure=[], value=[])).endswith(
        "The caption says what each panel shows."
    )


def test_a_figure_is_described_by_what_it_says_and_draws_and_not_by_numbers_without_a_scale():
    rows = table(measure="centroid", value=[-1.5e307, -199.0])
    said = described("figS4", rows, "Clusters recover the gates.", "Gates from clusters.")
    assert said.startswith("Figure S4. Clusters recover the gates. Gates from clusters. ")
    assert "307" not in said


def test_a_figure_of_ones_own_representations_is_told_by_medians_and_ranges():
    table = pd.DataFrame(
        {
            "representation": ["first", "second", "third", "first"],
            "layer": ["a", "b", "c", "a"],
            "measure": ["ccgp", "ccgp", "ccgp", "ccgp"],
            "value": [0.5, 0.75, 1.0, 0.1],
            "draw": [np.nan, np.nan, np.nan, 3.0],
        }
    )
    assert "CCGP: 0.75, median of 3 values between 0.5 and 1." in described("nulls", table)
