"""A study is added as docs/develop/extending.md describes: with its folder and its config. No
existing file knows its name, and no existing result is computed again."""

import pandas as pd
import pytest
import yaml

FIGURE = """
from repatlas.figures.figure import Figure
from repatlas.figures.role import Role
from repatlas.plots.style import page

FIGURE = Figure(
    "Alignment with the targets over training.",
    {"sweep": Role("Any networks.", {"alignment"}, over_steps=True)},
)
CAPTION = "Alignment of {{ kind(facts.sweep) }}, {{ n(facts.sweep.seeds) }}."


def tabulate(rows, step):
    found = rows["sweep"]
    return found[found["measure"] == "target_alignment"]


def draw(table, style):
    figure = page(style, 2)
    ax = figure.subplots()
    for name, rows in table.groupby("activation"):
        ax.plot(*zip(*rows.groupby("step")["value"].mean().items(), strict=True), label=name)
    return figure
"""
CLAIMS = """
claims:
  - id: "1"
    claim: Training aligns tanh networks with the targets.
    by: ours
    where: nowhere
    figure: curve
    settings: []
    limit: {source: sign, why: it is above 0}
    control: {null_model: untrained, rows: {step: 0}}
    statistic: the alignment after training
    contradicted_by: one of 0
    checks:
      - statistic: level
        options: {of: {measure: target_alignment, variant: centres, activation: tanh, step: last}}
        above: 0.0
"""
FILES = {
    "__init__.py": '"""A second study."""\n',
    "curve.py": FIGURE,
    "claims.yaml": CLAIMS,
}
SHARED = ("decoders", "style")


@pytest.fixture
def in_two_files(project):
    """Write the one study of a project to a file, which its config names."""
    values = yaml.safe_load(project.config.read_text())
    study = {name: value for name, value in values.items() if name not in SHARED}
    (project.folder / "config").mkdir(exist_ok=True)
    (project.folder / "config/structure.yaml").write_text(yaml.safe_dump(study))
    name_studies(project, {name: values[name] for name in SHARED}, "structure")
    return project


def name_studies(project, values, *names):
    project.config.write_text(yaml.safe_dump(values | {"studies": list(names)}))


def test_where_a_study_is_written_means_nothing(in_two_files):
    assert in_two_files.plan() == {}


@pytest.mark.slow
def test_a_study_is_a_folder_and_its_config(in_two_files):
    project = in_two_files
    for name, text in FILES.items():
        path = project.folder / "src/repatlas/studies/second" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert project.plan() == {}, "nothing that there is was made by it"

    structure = yaml.safe_load((project.folder / "config/structure.yaml").read_text())
    second = {
        "study": "second",
        "sweeps": {"mine": structure["sweeps"]["unstructured"]},
        "figures": {"curve": {"sweep": "mine"}},
    }
    (project.folder / "config/second.yaml").write_text(yaml.safe_dump(second))
    values = yaml.safe_load(project.config.read_text())
    name_studies(project, values, "structure", "second")
    # The second study has the networks of the first.
    networks = {"prepare": 1, "train": 1, "measure": 1}
    assert project.plan() == networks | {"plot": 1, "judge": 1}
    assert project.plan("structure") == {}
    said = project.run("second")
    assert "Draw second curve" in said
    assert project.trained_specs() == []
    table = pd.read_parquet(project.results / "second/tables/curve.parquet")
    assert set(table["activation"]) == {"tanh", "relu"}
    claims = pd.read_parquet(project.results / "second/claims/claims.parquet")
    assert list(claims["claim_verdict"]) == ["too few networks"]
    assert project.verify()[0] == 0
    assert project.plan() == {}

    assert "nothing is missing" in project.ask("why", "--figure", "second/curve").stdout
    page = "results/second/report.html"
    project.run(page)
    text = (project.folder / page).read_text()
    assert "Alignment of ReLU or tanh networks of width 8, n = 2 networks" in " ".join(text.split())
