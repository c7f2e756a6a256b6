"""The report page, from claims made up by hand."""

import re
from datetime import UTC, datetime

import pandas as pd
import pytest
import yaml
from jinja2 import UndefinedError
from markupsafe import Markup
from selections import some

from repatlas.claims.claims_file import Claim
from repatlas.claims.verdicts import CLAIMS_SCHEMA, NOT_JUDGED
from repatlas.config.config import read_config
from repatlas.inference.contrasts import THRESHOLD
from repatlas.report.captions import caption, facts, filled_in
from repatlas.report.page import Shown, report_page
from repatlas.report.rows import MARKS, claim_rows
from repatlas.report.words import figure_name
from repatlas.report.write import in_html

WRITTEN = datetime(2024, 5, 7, 12, 30, tzinfo=UTC)
VERDICTS = {
    "1": ["supported"],
    "2": ["supported", "contradicted"],
    "2b": ["undecided"],
    "3": [],
}
WORDS = {
    "supported": "reproduced",
    "contradicted": "not reproduced",
    "undecided": "depends",
    NOT_JUDGED: NOT_JUDGED,
}
FIGURE = Shown(
    "fig02", "It says so.", b"PNG", b"PNG", Markup("<p>Words.</p>"), 1234, "fig02.parquet"
)


def claim(name, **more):
    about = {"id": name, "claim": f"Claim {name}.", "by": "paper", "where": "paper, section 4"}
    about |= {"figure": "fig02", "statistic": "", "contradicted_by": "none", "settings": []}
    return Claim.model_validate(about | {"checks": []} | more)


def judged(name, verdicts):
    about = {"claim": name, "by": "paper", "says": "", "place": "", "figure": "fig02"}
    about |= {"left_out": 0, "seeds": 20, "agreeing": 19, "effect_size": 1.5}
    overall = next(
        (v for v in ("contradicted", "undecided", *verdicts) if v in verdicts), NOT_JUDGED
    )
    about |= {"claim_verdict": WORDS[overall], "ours": overall if verdicts else None}
    about |= {"why": overall, "control": "fails", "holds_in": "3 of 4 settings"}
    rows = [
        about
        | {"check": number, "statistic": f"check {number}", "expected": "> 0"}
        | {"value": 10.0 + number, "low": 1.0, "high": 20.0, "verdict": verdict}
        | {"p": 0.0123}
        for number, verdict in enumerate(verdicts)
    ]
    return rows or [about | {"why": "the config does not draw fig02", "seeds": None}]


def table(verdicts):
    rows = [row for name, found in verdicts.items() for row in judged(name, found)]
    return pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names)


def page(claims=None, verdicts=VERDICTS, preview=False):
    claims = claims or [claim(name) for name in verdicts]
    rows = claim_rows(claims, table(verdicts))
    about = Markup("<p>About.</p>")
    return report_page("A title", about, rows, ["Counts."], [FIGURE], "d1g35t", preview, WRITTEN)


def row(html, name):
    return re.search(rf'<tr id="claim-{name}".*?</tr>', html, re.S).group()


def test_each_claim_has_a_row_with_its_verdict_in_the_order_of_the_claims_file():
    html = page()
    assert re.findall(r'<tr id="claim-(\w+)"', html) == list(VERDICTS)
    for name, verdict in zip(VERDICTS, WORDS.values(), strict=True):
        assert f">{MARKS[verdict]} {verdict}<" in row(html, name)
    assert len(set(MARKS.values())) == len(MARKS), "not a colour alone"
    assert "<td>paper, section 4</td>" in row(html, "1")


def test_the_number_of_a_claim_is_that_of_the_check_that_decides():
    """Claim 2's second check contradicts it."""
    assert "check 1: 11 (1 to 20, 20 networks)" in row(page(), "2")


def test_beside_a_verdict_stand_its_reason_its_control_and_in_how_many_settings_it_holds():
    assert "the config does not draw fig02" in row(page(), "3") and "nan" not in row(page(), "3")
    assert "control: fails" in row(page(), "1")
    assert "holds in 3 of 4 settings" in row(page(), "1")


def test_whatever_the_claims_file_says_is_text():
    bad = '<script>alert("&")</script>'
    html = page([claim("1", claim=bad, where=bad)], {"1": ["supported"]})
    assert "<script>" not in html
    assert html.count("&lt;script&gt;alert(&#34;&amp;&#34;)&lt;/script&gt;") >= 2


def test_a_preview_is_said_to_be_one():
    assert "not to be cited as results" in page(preview=True)
    assert "not to be cited as results" not in page()


def test_a_figure_has_what_it_says_its_caption_its_networks_and_what_became_of_its_claims():
    html = page()
    assert "<h2>Figure 2. It says so.</h2>" in html and "<p>Words.</p>" in html
    assert "1,234 networks. The numbers: <code>fig02.parquet</code>" in html
    assert "Claims: 1 reproduced, 1 depends, 1 not reproduced, 1 not judged." in html


def test_each_panel_has_its_own_line_in_a_caption():
    said = in_html("Does it rise? A: the mean. B, C: see A: there. D: no networks.")
    assert said.split("<br>") == [
        "<p>Does it rise?",
        "A: the mean.",
        "B, C: see A: there.",
        "D: no networks.</p>\n",
    ]


@pytest.fixture
def captions(config_values):
    config = read_config(config_values)
    figures = config.studies["structure"].figures
    return {name: in_html(caption(config, "structure", name)) for name in figures}


def test_every_figure_has_a_caption_that_states_how_many_networks_and_what_the_bars_are(captions):
    for name, html in captions.items():
        assert html.startswith(f"<p><strong>{figure_name(name)}"), name
        assert re.search(r"n = \d+|[Nn]o\s+networks", html), name
        assert re.search(r"standard deviation|interval|single networks|[Nn]o error bars", html), (
            name
        )


def test_captions_follow_the_config(config_values):
    config_values["sweeps"]["unstructured"]["seeds"] = 7
    said = in_html(caption(read_config(config_values), "structure", "fig01"))
    assert "single networks (thin), n = 7 networks" in said


REFERENCE = re.compile(
    r"Figures? S?\d+[A-E]?|section [\d.]+|x[1-4]\b|CIFAR-10|STL-10|ResNet-18|ReLU[+-][\d.]+"
)
FIXED = {"95", "45", "0", "1", "2", str(THRESHOLD)}
"""Numbers of intervals and angles; delta of XOR and of equidistant clusters; variables of Figure 9;
the threshold of target alignment."""


@pytest.mark.parametrize("config", ["tiny", "aligned", "supplements", "images"])
def test_a_caption_states_no_number_that_is_not_in_the_config(repository, config):
    values = yaml.safe_load((repository / f"tests/workflow/{config}.yaml").read_text())
    config = read_config(values)
    for name in config.studies["structure"].figures:
        found = facts(config, "structure", name)
        html = in_html(caption(config, "structure", name))
        html = REFERENCE.sub("", re.sub("<[^>]*>|&[^;]*;", " ", html))
        known = FIXED | set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"\.0\b", "", str(found))))
        known |= {str(width // 8) for width in found.get("groups", {}).get("width", [])}
        assert some(set(re.findall(r"\d+(?:\.\d+)?", html))) <= known, name


def test_a_caption_that_states_an_unknown_fact_is_refused():
    with pytest.raises(UndefinedError):
        filled_in("{{ facts.sweep.widht }}", "fig01", {"sweep": {"width": [1]}})
