"""Figure 8 and the supplements S1 to S3, from a tiny config."""

import shutil
from pathlib import Path

import pytest

FIGURES = ("fig08", "figS1", "figS2", "figS3")


@pytest.fixture(scope="module")
def supplements(shared, make_project):
    """A project with all results. For reading only."""

    def make(folder):
        project = make_project(folder)
        shutil.copy(Path(__file__).parent / "supplements.yaml", project.config)
        project.run()

    return shared("supplements", make)


def test_every_figure_of_the_supplements_is_made_and_fresh(supplements):
    for figure in FIGURES:
        for suffix in ("pdf", "png"):
            assert (supplements.results / f"structure/figures/{figure}.{suffix}").exists()
    assert supplements.plan() == {}
    code, counts = supplements.verify()
    assert code == 0
    assert "0 stale, 0 damaged, 0 missing, 0 orphan" in counts


def test_the_figures_share_their_networks(supplements):
    [networks] = {
        line.split(":")[0]
        for log in supplements.results.glob("logs/train/clusters/unstructured-*/seed-0.log")
        for line in log.read_text().splitlines()
        if "networks of seed" in line
    }
    # Three readouts, one of them Figure 1's, another the standard of S2; five inputs; simplified.
    assert networks.split()[0] == str(2 * (3 + 5 + 1))


def test_the_tables_say_what_their_networks_differ_in(supplements):
    def kinds(figure, *columns):
        table = supplements.table(figure)
        table = table[table["seed"].notna()]
        return set(table[list(columns)].itertuples(index=False, name=None))

    assert kinds("fig08", "readout") == {("binary",), ("normal",), ("trained",)}
    uncentred = {"normal", "symmetric", "positive", "rectified", "raw"}
    assert kinds("figS1", "distribution", "centred") == {
        ("normal", True),
        *((distribution, False) for distribution in uncentred),
    }
    assert kinds("figS2", "readout", "errors") == {("binary", "equal"), ("trained", "output")}
    assert kinds("figS3", "clusters", "targets") == {(4, 1), (8, 3)}


def test_the_preview_has_every_table_from_networks_that_are_there(supplements, tmp_path):
    project = supplements.clone(tmp_path / "project")
    project.run("--config", "preview=true", "--until", "tabulate")
    assert project.trained_specs() == []
    for figure in FIGURES:
        assert (project.results / f"preview/structure/tables/{figure}.parquet").exists()
    project.remove()
