"""What pip installs draws figures in an empty folder, from the user's config."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from packages import Installed, wheel_of, without_python_path

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    return Installed(wheel_of(ROOT, folder), folder, "workflow")


@pytest.fixture(scope="module")
def empty(installed):
    """Write a config with one figure into an empty folder."""
    folder = installed.folder / "empty"
    folder.mkdir()
    values = yaml.safe_load(Path(__file__).with_name("tiny.yaml").read_text())
    values["sweeps"] = {"noise": values["sweeps"]["noise"]}
    values["figures"] = {"fig03": values["figures"]["fig03"]}
    (folder / "mine.yaml").write_text(yaml.safe_dump(values))
    return folder


def typed(installed, folder, *words):
    environment = without_python_path() | {"PATH": os.defpath, "HOME": str(folder)}
    return subprocess.run(
        [installed.python.with_name("repatlas"), *words],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def test_its_command_draws_a_figure_and_knows_it_again(installed, empty):
    said = typed(installed, empty, "preview", "mine.yaml", "--cores", "2")
    assert said.returncode == 0, said.stdout
    figures = empty / "results/own/mine/preview/structure/figures"
    assert (figures / "fig03.pdf").read_bytes().startswith(b"%PDF-")
    said = typed(installed, empty, "verify", "mine.yaml", "--preview")
    assert said.returncode == 0, said.stdout
    assert " fresh, 0 damaged, 0 missing, 0 orphan" in said.stdout


def test_another_config_is_refused_in_its_sentence(installed, empty):
    (empty / "wrong.yaml").write_text("sweepz: {}\n")
    said = typed(installed, empty, "figures", "wrong.yaml", "--", "--quiet", "all")
    assert said.returncode != 0
    assert "wrong.yaml: unknown key 'sweepz'" in said.stdout
