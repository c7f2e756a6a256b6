"""Every figure, from tiny configs: it is made, stays as it is, and has a preview."""

import pytest
import yaml

# These networks are trained, and these figures drawn, in one process by
# tests/unit/structure/test_drawn_texts.py.
pytestmark = pytest.mark.slow

every_config = pytest.mark.parametrize("name", ["aligned", "supplements"])


def figures_of(project):
    return yaml.safe_load(project.config.read_text())["figures"]


@every_config
def test_every_figure_is_made_and_fresh(results_of, name):
    project = results_of(name)
    for figure in figures_of(project):
        for suffix in ("pdf", "png"):
            assert (project.results / f"structure/figures/{figure}.{suffix}").exists()
    assert project.plan() == {}
    code, counts = project.verify()
    assert code == 0
    assert "0 damaged, 0 missing, 0 orphan" in counts


@every_config
def test_the_preview_has_every_table_from_networks_that_are_there(results_of, name, tmp_path):
    project = results_of(name).clone(tmp_path / "project")
    project.run("--config", "preview=true", "--until", "tabulate")
    assert project.trained_specs() == []
    for figure in figures_of(project):
        assert (project.results / f"preview/structure/tables/{figure}.parquet").exists()
    project.remove()
