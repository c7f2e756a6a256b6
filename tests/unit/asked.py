"""A command of the user's, asked about these values as about a config of the folder."""

import json
from pathlib import Path


def config_of(values: dict) -> str:
    """Write the values as the config of this folder, and return its name."""
    assert not Path("pyproject.toml").exists(), "the config of the repository is not for tests"
    Path("config.yaml").write_text(json.dumps(values), encoding="utf-8")
    return "config.yaml"
