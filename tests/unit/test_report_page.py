"""The report page, from claims and origins made up by hand."""

import base64
import gzip
import io
import re
from datetime import UTC, datetime

import pandas as pd
import pytest
import yaml
from jinja2 import UndefinedError
from markupsafe import Markup
from PIL import Image
from selections import some

from repatlas.claims.ledger import Claim
from repatlas.claims.verdicts import CLAIMS_SCHEMA, NOT_JUDGED
from repatlas.config.config import read_config
from repatlas.config.study import figures_of
from repatlas.figures import captions as captions_of_figures
from repatlas.figures.captions import Caption
from repatlas.inference.contrasts import THRESHOLD
from repatlas.plan.captions import caption, facts
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan
from repatlas.report.forest import forest_row
from repatlas.report.origins import Origins, Stage
from repatlas.report.page import Shown, data_uri, report_page
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
FILES = {
    "it.pdf": data_uri(b"%PDF", "application/pdf"),
    "it.py": data_uri(b"draw()", "text/x-python"),
}


def _png():
    written = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(written, "PNG")
    return written.getvalue()


PNG = _png()


def claim(name, **more):
    about = {"id": name, "claim": f"Claim {name}.", "by": "paper", "where": "section 4"}
    about |= {
        "figure": "fig02",
        "statistic": "a difference",
        "contradicted_by": "none",
        "settings": [],
    }
    return Claim.model_validate(about | {"checks": []} | more)


def judged(name, verdicts):
    about = {"claim": name, "by": "paper", "says": "", "place": "", "figure": "fig02"}
    about |= {"left_out": 0, "seeds": 20, "agreeing": 19, "effect_size": 1.5}
    overall = next(
        (v for v in ("contradicted", "undecided", *verdicts) if v in verdicts), NOT_JUDGED
    )
    about |= {"claim_verdict": overall, "claim_corrected_verdict": overall}
    about |= {"claim_outcome": overall if verdicts else None}
    rows = [
        about
        | {"check": number, "statistic": f"check {number}", "expected": "> 0"}
        | {"value": 10.0 + number, "low": 1.0, "high": 20.0, "verdict": verdict}
        | {"p": 0.0123}
        for number, verdict in enumerate(verdicts)
    ]
    return rows or [about | {"not_judged": "the config does not draw fig02", "seeds": None}]


def table(verdicts):
    rows = [row for name, found in verdicts.items() for row in judged(name, found)]
    return pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names)


def made_up(**more):
    stages = [
        Stage("prepare", ["aaa"], False),
        Stage("train", ["bbb"], True),
        Stage("plot", ["ccc", "ddd"], False),
        Stage("judge", ["eee"], False),
    ]
    about = {"stages": stages, "networks": 1234, "devices": {"cpu": 1234}}
    about |= {"versions": [("torch", {"2.0": 1200, "2.1": 34})]}
    return Origins(**about | more)


def page(claims=None, verdicts=VERDICTS, figures=("fig02",), origins=None, preview=False, text=""):
    claims = claims or [claim(name) for name in verdicts]
    shown = [Shown(n, b"PNG", Markup(text), 40, f"{n} in words", FILES, {}) for n in figures]
    origins = origins or made_up()
    about = ("A title", Markup("<p>About.</p>"))
    rows = claim_rows(claims, table(verdicts))
    return report_page(*about, rows, shown, origins, "d1g35t", preview, WRITTEN)


def row(html, name):
    return re.search(rf'<tbody id="claim-{name}".*?</tbody>', html, re.S).group()


def test_each_claim_has_a_row_in_the_order_of_the_ledger():
    assert re.findall(r'<tbody id="claim-(\w+)"', page()) == list(VERDICTS)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("1", "supported"), ("2", "contradicted"), ("2b", "undecided"), ("3", "not judged")],
)
def test_a_verdict_is_a_word_and_a_mark_and_not_a_colour_alone(name, verdict):
    badge = rf'aria-hidden="true">{re.escape(MARKS[verdict])}</span> {verdict}<'
    found = row(page(), name).split("<details")[0]
    assert len(re.findall(badge, found)) == 1
    assert "the same" in found, "the corrected one"


def test_a_corrected_verdict_that_differs_is_shown_beside_the_verdict():
    found = table({"1": ["supported"]}).assign(claim_corrected_verdict="undecided")
    rows = claim_rows([claim("1")], found)
    html = report_page("", Markup(""), rows, [], made_up(), "", False, WRITTEN)
    assert "</span> undecided<" in row(html, "1") and "the same" not in row(html, "1")


def test_every_verdict_has_a_mark_of_its_own_and_a_colour():
    html = page()
    assert len(set(MARKS.values())) == len(MARKS) == 8
    for verdict in MARKS:
        assert f".{verdict.replace(' ', '-')} {{ color:" in html


def test_the_number_of_a_claim_is_that_of_the_check_that_decides():
    """Claim 2's second check contradicts it."""
    assert "<b>11</b>" in row(page(), "2").split("<details")[0]
    assert 'data-value="11.0"' in row(page(), "2")


def test_a_row_has_its_interval_its_n_and_all_its_checks():
    found = row(page(), "2")
    assert "1 to 20" in found and "expected &gt; 0" in found
    assert re.search(r'data-name="n">20<', found)
    assert found.count("<li>") == 2
    assert "2 checks: a difference" in found
    assert "19 of them on the expected side" in found


def test_a_claim_that_was_not_judged_has_no_number_and_says_why():
    found = row(page(), "3")
    assert 'data-value=""' in found and "Not judged: the config does not draw fig02" in found
    assert "nan" not in found


def test_a_claim_leads_to_its_figure_where_that_is_drawn():
    assert '<a href="#fig02">Figure 2</a>' in row(page(), "1")
    elsewhere = [claim("1", figure="figS4")]
    found = row(page(elsewhere, {"1": ["supported"]}), "1")
    assert "Figure S4, not drawn" in found and "href" not in found


def test_every_link_leads_to_something_on_the_page():
    html = page()
    named = set(re.findall(r'\bid="([^"]+)"', html))
    links = set(re.findall(r'href="([^"]*)"', html)) - set(FILES.values())
    assert links and some({link.removeprefix("#") for link in links}) <= named


def test_whatever_the_ledger_says_is_text():
    bad = '<script>alert("&")</script>'
    fields = ("claim", "where", "statistic", "contradicted_by")
    html = page([claim("1", **dict.fromkeys(fields, bad))], {"1": ["supported"]})
    assert "<script>alert" not in html
    assert html.count("&lt;script&gt;alert(&#34;&amp;&#34;)&lt;/script&gt;") >= len(fields)


def test_the_page_forbids_itself_the_network():
    assert "default-src 'none'; img-src data:;" in page()
    assert not re.search(r"(src|href)=\"(https?:)?//", page())


def test_it_says_where_the_results_come_from():
    html = page()
    assert "from 1,234 networks" in html
    assert "torch 2.0 (1,200 networks), 2.1 (34 networks)" in html
    assert "<code>ccc</code> <code>ddd</code>" in html
    assert html.count("older code, whose results the config accepts") == 1, "train"
    assert "d1g35t" in html and "2024-05-07 12:30 UTC" in html


def test_a_preview_is_said_to_be_one():
    assert "not to be cited as results" in page(preview=True)
    assert "not to be cited as results" not in page()


def test_the_first_screen_has_counts_sentences_and_what_is_contradicted():
    html = page()
    found = html[html.index('<section id="found"') : html.index('<section id="claims"')]
    assert 'aria-label="1 supported, 1 contradicted, 1 undecided, 1 not judged"' in found
    assert "Of the paper&#39;s 4 claims 1 is supported, 1 contradicted" in found
    titles = re.findall(r"<summary>(.*?): (\d)</summary>", found)
    assert titles == [("Not confirmed", "1"), ("Not decided", "1")]
    assert re.findall(r'<li><a href="#claim-(\w+)">', found) == ["2", "2b"]
    assert "Claim 2. We find check 1: 11 (95 % interval 1 to 20, 20 networks)" in found


def test_a_preview_has_no_counts_and_contradicts_nothing():
    assert '<section id="found"' not in page(preview=True)


def test_figures_come_first_and_the_figure_of_all_claims_is_in_their_table_and_a_file():
    html = page(figures=("fig00", "fig02"))
    assert '<figure id="fig00"' not in html
    places = ['<section id="figures"', '<figure id="fig02"', '<section id="claims"', "as figures:"]
    found = [html.index(place) for place in places]
    assert found == sorted(found)
    assert 'download="it.pdf">it.pdf</a>' in html[found[-1] :]


def drawn_row(verdict, **more):
    [found] = claim_rows([claim("1")], table({"1": [verdict]}).assign(**more))
    return str(forest_row(found))


def test_a_claim_is_drawn_on_the_side_of_its_limit_that_was_found():
    place = re.compile(r'cx="([\d.]+)"')
    [right] = place.findall(drawn_row("supported"))
    [left] = place.findall(drawn_row("undecided", value=-0.5, low=-2.0, high=1.0))
    assert float(left) < 60 < float(right)
    assert 'class="cross"' in drawn_row("contradicted", value=-5.0, low=-6.0, high=-4.0)


@pytest.mark.parametrize("far", [1e9, float("inf")])
def test_a_claim_beyond_the_scale_is_an_arrow(far):
    ends = {"value": 5.0, "low": 5.0, "high": 5.0 if far == float("inf") else 5.0 + 1e-9}
    assert "<circle" not in drawn_row("supported", **ends)


def test_a_claim_without_an_interval_is_not_drawn():
    assert drawn_row("too few networks", low=float("nan"), high=float("nan")) == ""


def saying(finding, **more):
    return Shown("fig02", PNG, Markup(""), 40, "", FILES, {}, finding, "What is drawn.", **more)


def page_of(figures, lead=""):
    rows = claim_rows([claim("1")], table({"1": ["supported"]}), {"1": "holds in 3 of 4 settings"})
    return report_page("", Markup(""), rows, figures, made_up(), "", False, WRITTEN, lead)


def test_the_heading_of_a_figure_is_what_it_says_or_else_what_it_draws():
    assert '<h3 id="title-fig02">Figure 2. It says so.</h3>' in page_of([saying("It says so.")])
    assert '<h3 id="title-fig02">Figure 2. What is drawn.</h3>' in page_of([saying("")])


def test_the_first_screen_has_the_picture_and_the_sentence_of_one_figure():
    html = page_of([saying("It says so.")], "fig02")
    lead = html[html.index('class="lead"') : html.index('<section id="figures"')]
    assert "<span>It says so.</span>" in lead and 'src="data:image/png' in lead
    assert 'class="lead"' not in page_of([saying("")], "fig02")


def test_the_data_of_a_figure_are_in_the_page():
    data = gzip.compress(b"x,value\n1,2\n", mtime=0)
    [link] = re.findall(
        r'href="data:application/gzip;base64,([^"]*)" download="fig02.csv.gz"',
        page_of([saying("", data=data)]),
    )
    assert gzip.decompress(base64.b64decode(link)) == b"x,value\n1,2\n"
    assert "csv.gz" not in page_of([saying("")])


def test_a_verdict_says_in_how_many_settings_of_a_multiverse_the_claim_holds():
    assert "holds in 3 of 4 settings" in row(page_of([]), "1")
    assert "settings</span>" not in row(page(), "1")


def test_a_table_that_is_too_long_for_the_page_is_named():
    html = page_of([saying("", table="results/structure/tables/fig02.parquet")])
    assert "too long for this page: results/structure/tables/fig02.parquet" in html


def test_a_figure_says_what_became_of_its_claims_and_leads_to_its_files():
    html = page()
    assert 'alt="fig02 in words"' in html
    for name, uri in some(FILES.items()):
        assert f'<a href="{uri}" download="{name}">{name}</a>' in html
    assert "Of the 4 claims tested on this figure 1 is supported" in html
    assert "Not confirmed: (2) Claim 2. We find check 1: 11" in html


def test_a_contradicted_claim_stands_at_its_panel_in_the_figure_and_no_other_does():
    claims = [claim("1", panels=["A"]), claim("2", panels=["B"])]
    shown = Shown("fig02", b"PNG", Markup(""), 40, "", FILES, {"A": [[0, 0]], "B": [[0.5, 0.25]]})
    rows = claim_rows(claims, table({"1": ["supported"], "2": ["contradicted"]}))
    html = report_page("", Markup(""), rows, [shown], made_up(), "", False, WRITTEN)
    [marks] = re.findall(r'<span class="marks" style="([^"]*)">(.*?)</span>\s*</div>', html, re.S)
    assert marks[0] == "left: min(50.00%, 100% - 4em); top: 25.00%"
    assert '<a href="#claim-2" title="contradicted: Claim 2.">' in marks[1]
    assert "Panel B: contradicted claim" in marks[1] and MARKS["contradicted"] in marks[1]
    assert "claim-1" not in marks[1]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("fig00", "Figure 0"),
        ("fig01", "Figure 1"),
        ("fig10", "Figure 10"),
        ("figS4", "Figure S4"),
        ("over_layers", "over layers"),
    ],
)
def test_a_figure_is_called_as_in_the_paper(name, shown):
    assert figure_name(name) == shown


@pytest.fixture
def captions(config_values):
    plan = Plan(read_config(config_values))
    return {figure.name: in_html(caption(plan, figure)) for figure in plan.figures}


def test_every_figure_has_a_caption_that_states_how_many_networks_and_what_the_bars_are(captions):
    for name, html in captions.items():
        assert html.startswith(f"<p><strong>{figure_name(name)}"), name
        assert re.search(r"n = \d+|[Nn]o networks", html), name
        assert re.search(r"standard deviation|interval|single networks|[Nn]o error bars", html), (
            name
        )


def test_captions_follow_the_config(config_values):
    config_values["sweeps"]["unstructured"]["seeds"] = 7
    plan = Plan(read_config(config_values))
    assert "single networks (thin), n = 7 networks" in in_html(
        caption(plan, Product("structure", "fig01"))
    )


REFERENCE = re.compile(
    r"Figures? S?\d+[A-E]?|section [\d.]+|x[1-4]\b|CIFAR-10|STL-10|ResNet-18|ReLU[+-][\d.]+"
)
FIXED = {"95", "45", "0", "1", "2", str(THRESHOLD)}
"""Numbers of intervals and angles; delta of XOR and of equidistant clusters; variables of Figure 9;
the threshold of target alignment."""


@pytest.mark.parametrize("config", ["tiny", "aligned", "supplements", "images"])
def test_a_caption_states_no_number_that_is_not_in_the_config(repository, config):
    values = yaml.safe_load((repository / f"tests/workflow/{config}.yaml").read_text())
    plan = Plan(read_config(values))
    for name in plan.figures:
        found, html = facts(plan, name), in_html(caption(plan, name))
        html = REFERENCE.sub("", re.sub("<[^>]*>|&[^;]*;", " ", html))
        known = FIXED | set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"\.0\b", "", str(found))))
        known |= {str(width // 8) for width in found.get("groups", {}).get("width", [])}
        assert some(set(re.findall(r"\d+(?:\.\d+)?", html))) <= known, name


def test_a_figure_without_a_caption_says_where_one_is_to_be_written():
    assert "figS99</strong> has no caption yet: write <span" in in_html(
        Caption("structure", "figS99", "figS99", {})
    )


def test_every_figure_has_a_table_a_drawing_and_a_caption(repository):
    study = repository / "src/repatlas/studies/structure"
    for name in figures_of("structure"):
        for file in (
            f"figures/{name}/table.py",
            f"figures/{name}/drawing.py",
            f"figures/{name}/caption.rst",
        ):
            assert (study / file).exists(), f"{name}: write {file}"


def test_other_words_in_a_caption_are_no_other_job(config_values):
    """Snakemake compares what a param shows of itself."""
    figure = Product("structure", "fig01")
    made = caption(Plan(read_config(config_values)), figure)
    assert repr(made) == repr(made.facts)


def test_a_caption_uses_the_right_number_and_states_no_deviation_of_one_network(repository):
    values = yaml.safe_load((repository / "tests/workflow/tiny.yaml").read_text())
    for sweep in values["sweeps"].values():
        sweep["seeds"] = 1
    plan = Plan(read_config(values))
    for name in plan.figures:
        html = in_html(caption(plan, name))
        assert "1 networks" not in html
        assert "deviation over" not in html


@pytest.fixture
def write_caption(tmp_path, monkeypatch):
    """Return a function that writes a caption's text to a file and reads it as a Caption."""
    monkeypatch.setattr(captions_of_figures, "STUDIES", tmp_path)

    def write(text, facts):
        path = tmp_path / "mine/figures/fig01/caption.rst"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return Caption("mine", "fig01", "fig01", facts)

    return write


def test_a_caption_that_states_an_unknown_fact_is_refused(write_caption):
    with pytest.raises(UndefinedError):
        str(write_caption("{{ facts.sweep.widht }}", {"sweep": {"width": [1]}}))


def test_a_mistake_in_a_caption_does_not_reach_the_reader(write_caption):
    with pytest.raises(Exception, match="Inline strong start-string"):
        in_html(write_caption("**never ended", {}))
