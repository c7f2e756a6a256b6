"""write_report: the page of a folder with Figure 3 alone, and what the files say of themselves."""

import json
from types import SimpleNamespace

import pytest

from repatlas.config.config import read_config
from repatlas.operations.freshness import job_of
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan
from repatlas.report import write as write_report
from repatlas.report.origins import origins


@pytest.fixture
def plan(one_figure_values):
    return Plan(read_config(one_figure_values))


@pytest.fixture
def write(results, repository, one_figure_values):
    def write(values=one_figure_values):
        plan = Plan(read_config(values))
        page = results / "structure/report.html"
        files = ["--claims", str(results / "structure/claims/claims.parquet")]
        job = [
            "--job",
            plan.report_job("structure").text,
            "--config",
            json.dumps(values),
            "--output",
            str(page),
        ]
        write_report.main([*job, *files])
        return page.read_text(encoding="utf-8")

    return write


def test_the_page_holds_the_figure_the_claims_and_their_origins(write, plan):
    page = write()
    assert page.count("<figure ") == page.count('src="data:image/png;base64,') == 1
    assert "that of n = 1 network" in page
    assert f"from {len(plan.networks(Product('structure', 'fig03')))} networks" in page


def test_what_the_files_say_is_counted(results, plan):
    found = origins(plan, "structure")
    assert [stage.name for stage in found.stages] == [
        "prepare", "train", "measure", "tabulate", "plot", "judge",
        "plot_claims"]  # fmt: skip
    assert not any(stage.accepted for stage in found.stages)
    assert found.devices == {"cpu": found.networks}
    assert sum(dict(found.versions)["torch"].values()) == found.networks


def test_code_that_is_not_that_of_now_is_said_to_be_accepted(results, plan, monkeypatch):
    """The networks were made by other code, which the config accepts."""

    def with_other_code(wanted):
        job = job_of(wanted)
        now = "edited" if wanted.stage == "train" else job.with_code({}).code
        return SimpleNamespace(with_code=lambda accepted: SimpleNamespace(code=now))

    monkeypatch.setattr("repatlas.report.origins.job_of", with_other_code)
    accepted = {s.name: s.accepted for s in origins(plan, "structure").stages}
    assert accepted == {name: name == "train" for name in accepted}
