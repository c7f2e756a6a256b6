"""The figures of tasks with a chosen alignment and of deep networks, from a tiny config."""

import pytest
import yaml

# These networks are trained, and these figures drawn, in one process by
# tests/unit/structure/test_drawn_texts.py.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def aligned(results_of):
    return results_of("aligned")


def test_networks_that_two_figures_need_are_trained_once(aligned):
    [networks] = {
        line.split()[0]
        for log in aligned.results.glob("logs/train/clusters/*-k3-l1-*/seed-0.log")
        for line in log.read_text().splitlines()
        if "networks of seed" in line
    }
    # 4 lines, 4 dots, 26 that include the 4 lines, 4 trained to convergence, 2 parities.
    assert networks == str(4 + 26 + 4 + 2)


def test_one_more_draw_trains_the_networks_of_that_draw_alone(aligned, tmp_path):
    project = aligned.clone(tmp_path / "project")
    values = yaml.safe_load(project.config.read_text())
    values["sweeps"]["dots"]["task"]["geometry"] = [0, 1, 2]
    project.config.write_text(yaml.safe_dump(values))
    project.run()
    trained = project.trained_specs()
    assert {spec["task"]["geometry"] for spec in trained} == {2}
    assert len(trained) == 2 * 2
    project.remove()


def test_networks_that_converged_say_so_in_the_table(aligned):
    table = aligned.table("fig05")
    assert table["converged_step"].notna().any()
    assert set(table.loc[table["depth"] == 2, "layer"].dropna()) == {1, 2}
    assert set(table["participation_ratio"].round(6)) == {2.0, 4.0}
