"""What a job that measures a user's arrays says."""

from stages import groups_of, make_metrics

from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan


def test_what_has_no_interval_is_said_once_for_each_variable(arrays, values, capsys):
    plan = Plan(read_config(values | {"measures": ["ccgp"]}))
    make_metrics(plan, groups_of(plan)[0].place)
    lines = [line for line in capsys.readouterr().err.splitlines() if "has no interval" in line]
    assert [line.split(", ")[0] for line in lines] == [
        f"network seed=0 layer={layer}: ccgp of {variable}"
        for layer in ("conv", "fc")
        for variable in ("side", "colour")
    ]
