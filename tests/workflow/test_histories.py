"""After a sequence of edits a project has the results that the last config has in a new folder.

Each network was trained once, and nothing is left to do.
"""

import random
import shutil

import pytest

ALL = ("structure/tables", "structure/figures")


def one_figure(values):
    values["sweeps"] = {"noise": values["sweeps"]["noise"]}
    values["figures"] = {"fig03": values["figures"]["fig03"]}


def with_deltas(*deltas):
    def edit(values):
        values["sweeps"]["noise"]["task"]["delta"] = list(deltas)

    return edit


def with_seeds(number):
    def edit(values):
        values["sweeps"]["noise"]["seeds"] = number

    return edit


EDITS = {
    "one more delta": with_deltas(0.0, 0.5, 1.0),
    "one delta less": with_deltas(0.0, 1.0),
    "one more seed": with_seeds(2),
    "one seed less": with_seeds(1),
}


def history(number):
    """Return both additions in any order, both taken back, and one that comes again."""
    chance = random.Random(number)
    there, back = [*EDITS][0::2], [*EDITS][1::2]
    chance.shuffle(there)
    chance.shuffle(back)
    return [*there, *back, there[0]]


def networks_trained(project):
    return [tuple(row) for row in project.trained().itertuples(index=False)]


@pytest.mark.slow
@pytest.mark.parametrize("number", [0])
def test_a_history_of_edits_ends_as_its_last_config_alone(number, fresh, make_project, tmp_path):
    fresh.edit_config(one_figure)
    fresh.run()
    trained = networks_trained(fresh)
    *before, last = history(number)
    for edit in before:
        print(edit)
        fresh.edit_config(EDITS[edit])
        fresh.run("--until", "tabulate")
        trained += networks_trained(fresh)
    fresh.edit_config(EDITS[last])
    fresh.run()
    trained += networks_trained(fresh)
    assert len(trained) == len(set(trained)), "a network was trained twice"
    assert fresh.plan() == {}
    new = make_project(tmp_path / "new")
    shutil.copy(fresh.config, new.config)
    new.run()
    assert set(networks_trained(new)) <= set(trained)
    assert fresh.contents(*ALL) == new.contents(*ALL)
    new.remove()
