"""The figure of all claims, from claims made up by hand."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from repatlas.claims.ledger import read_ledger
from repatlas.claims.summary import ORDER
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.config.config import read_config
from repatlas.plan.captions import caption_of_claims
from repatlas.plan.contents import CLAIMS_OF_PAGE
from repatlas.plan.plan import Plan
from repatlas.plots.forest import END, LOOKS, WIDTH, draw_forest
from repatlas.plots.style import Style, applied, settle
from repatlas.stages.plot_claims import found_by, note, statements

ABOUT = {"by": "paper", "place": "section 4", "figure": "fig02", "seeds": 20, "left_out": 0}
CHECKS = [
    # claim, verdict, corrected, statistic, expected, value, low, high
    ("1", "supported", "undecided", "level: a", "> 0.5", 0.9, 0.8, 1.2),
    ("1", "supported", "undecided", "level: b", "> 0", 0.02, 0.01, 0.03),
    ("2", "contradicted", "contradicted", "level: c", "< 0.05", 0.25, 0.15, 0.35),
    ("3", "undecided", "undecided", "level: d", "> 0", 0.001, -0.01, 0.01),
    ("4", "too few networks", "too few networks", "level: e", "> 0", 0.7, np.nan, np.nan),
    ("5", "supported", "supported", "exact: f", "< 1e-10", 1e-16, np.nan, np.nan),
    ("6", "supported", "supported", "level: g", "> 0.95", 1.0, 1.0, 1.0),
    ("7", "supported", "supported", "crossing: h", "> 1", np.inf, 3.0, np.inf),
]


@pytest.fixture
def found():
    rows = [
        ABOUT
        | {"claim": claim, "says": f"Claim {claim} in so many words that it takes two lines."}
        | {"claim_verdict": verdict, "claim_corrected_verdict": corrected, "verdict": verdict}
        | {"claim_outcome": verdict}
        | {"check": 0, "statistic": statistic, "expected": expected}
        | {"value": value, "low": low, "high": high}
        for claim, verdict, corrected, statistic, expected, value, low, high in CHECKS
    ]
    last = {"claim": "8b", "by": "ours", "says": "Nobody judged this.", "seeds": None}
    last |= {"claim_verdict": "not judged", "claim_corrected_verdict": "not judged"}
    rows.append(ABOUT | last)
    return pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names)


def drawn(claims, width=5.5, size=7.0):
    style = Style({}, width, size, preview=False)
    with applied(style):
        figure = draw_forest(claims, style, note(claims))
        settle(figure)
        figure.draw_without_rendering()  # labels of axes have their places then
    return figure


def texts_of(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def marks_of(figure, axes):
    """Return the shape and the position of the marks of each row, without ticks and lines."""
    return [
        (line.get_marker(), float(line.get_xdata()[0]))
        for line in figure.axes[axes].lines
        if len(line.get_xdata()) == 1 and line.get_marker() not in ("|", "None")
    ]


def test_a_check_lies_as_many_half_lengths_of_its_interval_from_its_limit(found):
    checks = list(found.itertuples())
    assert found_by(checks[0]) == pytest.approx((0.4 / 0.2, 0.3 / 0.2, 0.7 / 0.2))
    # Expected below 0.05: what is above lies on the other side.
    assert found_by(checks[2]) == pytest.approx((-0.2 / 0.1, -0.3 / 0.1, -0.1 / 0.1))


def test_what_has_no_interval_has_no_place_and_what_varies_not_at_all_is_at_the_end(found):
    claims = {claim.name: claim for claim in statements(found)}
    assert [claims[name].main for name in ("4", "5", "8b")] == [None] * 3
    assert claims["6"].main.beyond == claims["7"].main.beyond == np.inf
    at_the_limit = next(found[found["claim"] == "6"].assign(expected="> 1").itertuples())
    assert found_by(at_the_limit).beyond == 0


def test_a_bar_crosses_the_limit_for_what_its_interval_does_not_decide(found):
    for claim in statements(found):
        if claim.main:
            assert (claim.main.low <= 0 <= claim.main.high) == (claim.verdict == "undecided")


def test_each_verdict_has_a_mark_of_its_own_shape_alone_and_corrected(found):
    assert set(LOOKS) == set(ORDER)
    looks = {(look["marker"], look.get("markerfacecolor")) for look in LOOKS.values()}
    assert len(looks) == len(ORDER)
    marks = marks_of(drawn(statements(found)), axes=0)
    claims = statements(found)
    wanted = [LOOKS[v]["marker"] for claim in claims for v in (claim.verdict, claim.corrected)]
    assert [shape for shape, _ in marks] == wanted
    places = [place for _, place in marks]
    assert len(set(places[::2])) == len(set(places[1::2])) == 1
    assert places[0] < places[1]


def test_on_the_scale_are_the_claims_with_an_interval(found):
    marks = marks_of(drawn(statements(found)), axes=1)
    assert [shape for shape, _ in marks] == ["o", "X", "o", ">", ">"]
    assert [place for _, place in marks] == pytest.approx([2, -2, 0.1, END, END])


def test_numbers_stand_beside_and_say_why_there_is_no_interval(found):
    texts = texts_of(drawn(statements(found)))
    minus = "\N{MINUS SIGN}"
    assert "0.25 (0.15, 0.35)" in texts
    assert f"0.001 ({minus}0.01, 0.01)" in texts
    assert "0.7 (n = 20)" in texts
    assert "0 (exact)" in texts and "< 10⁻¹⁰" in texts
    assert "\N{INFINITY} (3, \N{INFINITY})" in texts


def test_the_name_of_a_number_keeps_its_hyphens_and_has_symbols(found):
    [first, *_] = statements(found.assign(number="inter-class part, delta of 1, infinite"))
    assert first.number == "inter-class part, δ of 1, infinite"


def test_a_number_that_two_digits_do_not_tell_from_1_has_more(found):
    there = found[found["claim"] == "2"].assign(value=0.9971, low=0.99704, high=1.0)
    assert [claim.value for claim in statements(there)] == ["0.997 (0.997, 1)"]


def test_the_note_explains_grey_where_a_claim_is_our_own(found):
    claims = statements(found)
    assert [claim.name for claim in claims if claim.quiet] == ["8b"]
    assert "Grey: our own." in note(claims)
    assert "Grey" not in note(claims[:1])


def test_a_claim_that_does_not_count_shows_its_number_under_a_mark_of_its_own(found):
    there = found[found["claim"] == "2"].assign(claim_verdict="judged on other settings")
    [claim] = statements(there)
    assert (claim.verdict, claim.value) == ("judged on other settings", "0.25 (0.15, 0.35)")
    assert "1 judged on other settings" in texts_of(drawn([claim]))


def test_the_key_counts_the_verdicts_and_has_no_others(found):
    texts = texts_of(drawn(statements(found[found["claim"].isin(["1", "2"])])))
    assert {"1 supported", "1 contradicted", "0 undecided"} <= set(texts)
    assert not [text for text in texts if "not judged" in text]


def test_under_a_value_is_what_it_is(found):
    named = found.assign(number="target alignment, tanh minus ReLU")
    assert "target alignment, tanh minus ReLU" in texts_of(drawn(statements(named)[:1]))


@pytest.mark.parametrize("size", [7.0, 12.0])
def test_no_text_lies_on_another_or_beyond_the_edge(found, size):
    figure = drawn(statements(found), size=size, width=3)
    assert figure.get_figwidth() >= WIDTH * (size - 1) / 72 - 1e-9
    renderer = figure.canvas.get_renderer()
    boxes = [
        (text.get_text(), text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_text() and text.get_visible()
    ]
    for name, box in boxes:
        assert box.x0 >= 0 and box.y0 >= 0, name
        assert box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1, name
    for number, (name, box) in enumerate(boxes):
        for other, beside in boxes[number + 1 :]:
            apart = box.x1 <= beside.x0 or beside.x1 <= box.x0
            apart |= box.y1 <= beside.y0 + 1 or beside.y1 <= box.y0 + 1
            assert apart, (name, other)


def test_pages_hold_all_computed_claims_of_a_whole_config_once_in_order(config_values):
    plan = Plan(read_config(config_values))
    pages = plan.overviews("structure")
    assert [page.name for page in pages] == ["fig00", "fig00b", "fig00c", "fig00d", "fig00e"]
    shown = [claim for page in pages for claim in page.claims]
    assert shown == [claim.id for claim in read_ledger("structure").claims if not claim.later]
    sizes = [len(page.claims) for page in pages]
    assert max(sizes) <= CLAIMS_OF_PAGE and max(sizes) - min(sizes) <= 1


def test_a_preview_which_judges_no_claim_has_no_figure_of_claims(config_values):
    preview = Plan(read_config(config_values | {"preview": True}))
    assert preview.judged == ["structure"]
    assert preview.overviews("structure") == []


def test_the_caption_of_a_page_names_its_first_and_its_last_claim(config_values):
    plan = Plan(read_config(config_values))
    for page in plan.overviews("structure"):
        facts = caption_of_claims(plan, "structure", page.name).facts
        assert facts["first"] == page.claims[0] != page.claims[-1] == facts["last"]


def test_claims_about_figures_that_a_config_does_not_draw_are_on_no_page(config_values):
    del config_values["figures"]["fig03"]
    plan = Plan(read_config(config_values))
    claims = read_ledger("structure").claims
    shown = [claim for page in plan.overviews("structure") for claim in page.claims]
    wanted = [claim for claim in claims if claim.figure != "fig03" and not claim.later]
    assert shown == [claim.id for claim in wanted] != []


@pytest.mark.parametrize("study", ["structure", "gating", "convergence"])
def test_each_page_of_a_study_fits_a_page_of_a_paper(repository, study):
    found = pd.read_parquet(repository / "docs" / study / "claims.parquet")
    claims = statements(found)
    for page in np.array_split(np.arange(len(claims)), -(-len(claims) // CLAIMS_OF_PAGE)):
        figure = drawn([claims[row] for row in page])
        assert figure.get_figheight() <= 7.5, "of 9 inches, with a caption"


def test_a_config_leaves_the_name_of_the_figure_of_claims_alone(config_values):
    config_values["figures"]["fig00b"] = config_values["figures"]["fig03"] | {"draw": "fig03"}
    with pytest.raises(Exception, match="figures: found fig00b, which is the name of"):
        read_config(config_values)
