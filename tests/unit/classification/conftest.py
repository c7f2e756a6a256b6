"""A small study of networks that name digits."""

import pytest

from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan


@pytest.fixture
def plan_of():
    def plan(*sweeps):
        named = {f"sweep{number}": each for number, each in enumerate(sweeps)}
        return Plan(read_config({"sweeps": named}))

    return plan
