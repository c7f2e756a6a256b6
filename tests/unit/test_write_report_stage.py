"""write_report: the page of a folder with Figure 3 alone."""

from stages import make

from repatlas.claims.claims_file import read_claims
from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan


def test_the_page_holds_the_figure_with_its_networks_and_the_claims(results, one_figure_values):
    plan = Plan(read_config(one_figure_values))
    html = make(plan, "structure/report.html").read_text(encoding="utf-8")
    assert html.count("<figure ") == 1
    assert html.count('src="data:image/png;base64,') == 2, "small, and whole"
    assert "that of n = 1 network" in html and "18 networks." in html
    about = [claim for claim in read_claims("structure").claims if claim.figure == "fig03"]
    assert html.count('<tr id="claim-') == len(about)
