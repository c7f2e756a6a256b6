"""The key `each` lists the grids of a sweep, which have the rest in common."""

import pytest
from changed_configs import checkpoints

from repatlas.config.config import ConfigError, read_config
from repatlas.workflow.plan import Plan


def test_each_entry_is_a_grid_with_the_rest_in_common(small_values):
    noise = small_values["sweeps"]["noise"]
    task = noise.pop("task")
    first, second = ({"task": task | {"delta": delta}} for delta in ([0.0, 0.5], [1.0]))
    several = noise | {"each": [first, second]}
    apart = small_values["sweeps"] | {"one": noise | first, "two": noise | second}
    del apart["noise"], small_values["figures"]["fig03"]
    together = small_values["sweeps"] | {"noise": several}
    found, wanted = (
        checkpoints(Plan(read_config(small_values | {"sweeps": sweeps})))
        for sweeps in (together, apart)
    )
    assert found == wanted


def test_a_mistake_in_an_entry_is_named_by_its_number(config_values):
    config_values["sweeps"]["lines"]["each"][2]["task"]["clusters"] = 7
    with pytest.raises(ConfigError, match=r"sweeps.lines.each\[2\].task.clusters.*: found 7, allo"):
        read_config(config_values)


@pytest.mark.parametrize("each", [[], 3, [1], {}])
def test_each_is_a_list_of_keys_with_values(config_values, each):
    config_values["sweeps"]["lines"]["each"] = each
    with pytest.raises(ConfigError, match=r"sweeps.lines.* each: allowed: a list of keys"):
        read_config(config_values)
