"""The layers of a torch model are recorded by a command, and then measured like any arrays."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from repatlas.command.record import main
from repatlas.config.config import ConfigError, read_config
from repatlas.record import Refused

MODEL = """
import torch

NAMES = [f"image {n}" for n in range(10)]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.stem, self.body, self.head = (torch.nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        return self.head(self.body(self.stem(x)).relu())


def build():
    return Net(), [torch.eye(4).repeat(3, 1)[:10]], NAMES
"""
VALUES = {
    "study": "own",
    "representations": {
        "net": {"model": "recorded_model:build", "layers": ["stem", "body"], "measures": []}
    },
    "compare": [{"between": ["net", "net"], "measures": ["alignment"], "permutations": 19}],
    "figures": {"pairs": {"of": "net-net"}},
}


@pytest.fixture
def config(monkeypatch):
    Path("recorded_model.py").write_text(MODEL)
    Path("mine.yaml").write_text(yaml.safe_dump(VALUES))
    monkeypatch.syspath_prepend(".")
    yield Path("mine.yaml")


def test_what_is_not_recorded_names_the_command_and_what_is_comes_in_the_order_of_the_model(
    config, capsys
):
    with pytest.raises(
        ConfigError, match=r"not recorded yet in data/recorded/net-\w+; first run: "
    ):
        read_config(VALUES, "mine.yaml")
    main([str(config)])
    assert "net: recorded 2 layers of 10 items in data/recorded/net-" in capsys.readouterr().out
    [sweep] = read_config(VALUES, "mine.yaml").studies["own"].sweeps["net"]
    assert [spec.columns["layer"] for spec in sweep.specs()] == ["stem", "body"]
    main([str(config)])
    assert "net: is recorded already" in capsys.readouterr().out


def test_another_model_is_recorded_anew(config):
    main([str(config)])
    Path("recorded_model.py").write_text(MODEL.replace("manual_seed(0)", "manual_seed(1)"))
    with pytest.raises(ConfigError, match="not recorded yet"):
        read_config(VALUES, "mine.yaml")


def test_another_function_of_the_same_module_is_another_model(config):
    main([str(config)])
    other = VALUES["representations"]["net"] | {"model": "recorded_model:trained"}
    with pytest.raises(ConfigError, match="not recorded yet"):
        read_config(VALUES | {"representations": {"net": other}}, "mine.yaml")


def test_files_beside_the_data_are_not_imported_by_accident(config):
    for name in ("random", "numpy", "pandas", "safetensors"):
        Path(f"{name}.py").write_text("raise SystemExit('imported')")
    program = [sys.executable, "-m", "repatlas", "record", str(config)]
    made = subprocess.run(program, capture_output=True, text=True)
    assert "net: recorded 2 layers" in made.stdout, made.stderr


def test_a_layer_that_is_not_there_leaves_nothing_behind(config):
    values = VALUES | {
        "representations": {"net": VALUES["representations"]["net"] | {"layers": ["tail"]}}
    }
    config.write_text(yaml.safe_dump(values))
    with pytest.raises(Refused, match="layers: no module matches 'tail'; the model has 'stem'"):
        main([str(config)])
    assert list(Path("data/recorded").iterdir()) == []


def test_a_config_without_a_model_is_refused(config):
    config.write_text(yaml.safe_dump({"study": "own", "representations": {}}))
    with pytest.raises(Refused, match=r"mine\.yaml: found no model"):
        main([str(config)])
