"""A foreign environment changes nothing: same config, same bytes."""

import os
import sys

import pytest

FOLDERS = ("tasks", "metrics", "structure/tables", "structure/figures", "structure/claims")
ODD = "ünï 文 qu'o\"te $HOME a$(touch injected)b"
"""A folder's name with other alphabets, and with what a shell takes for its own."""


def a_notebooks_terminal(folder):
    """Write a user's settings, and return the environment variables of Jupyter's terminal."""
    folder.mkdir()
    (folder / "matplotlibrc").write_text("axes.facecolor: yellow\nlines.linewidth: 5\n")
    return {
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MATPLOTLIBRC": str(folder / "matplotlibrc"),
        "LC_ALL": "tr_TR.UTF-8",
        "TZ": "Asia/Kolkata",
        "OMP_NUM_THREADS": "7",
        "PYTHONWARNINGS": "error::DeprecationWarning",
        "PYTHONHASHSEED": "7",
        "PYTHONOPTIMIZE": "1",
        "HOME": str(folder),
    }


def a_bare_service(folder):
    """Return an environment without a home, a locale, or the right to be read by others."""
    return {
        "HOME": None,
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "ascii",
        "PYTHONOPTIMIZE": "2",
        "PYTHONPATH": None,
    }


def another_users_environment(folder):
    """Write and link an active environment, first on the path, and a home without a cache."""
    folder.mkdir()
    (folder / "numpy.py").write_text("raise ImportError('of another environment')\n")
    (folder / "python").write_text("#!/bin/sh\necho of another environment; exit 9\n")
    (folder / "python").chmod(0o755)
    (folder / "snakemake").symlink_to("python")
    (folder / ".cache").touch()
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder),
        "VIRTUAL_ENV": str(folder),
        "CONDA_PREFIX": str(folder),
        "HOME": str(folder),
    }


def small(config):
    """Reduce a config to one figure of one sweep."""
    config["sweeps"] = {"noise": config["sweeps"]["noise"]}
    config["figures"] = {"fig03": config["figures"]["fig03"]}


@pytest.fixture(scope="module")
def usual(shared, make_project):
    """What the tests' own environment makes."""

    def make(folder):
        project = make_project(folder)
        project.edit_config(small)
        project.run()

    return shared("usual", make).contents(*FOLDERS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "surroundings",
    [
        a_notebooks_terminal,
        a_bare_service,
        another_users_environment,
    ],
)
def test_the_results_are_the_same_bytes(usual, make_project, tmp_path, surroundings):
    (tmp_path / ODD).mkdir()
    project = make_project(tmp_path / ODD / "project")
    project.edit_config(small)
    for name, value in surroundings(tmp_path / "elsewhere").items():
        if value is None:
            project.environment.pop(name, None)
        else:
            project.environment[name] = value
    before = os.umask(0o077)
    try:
        said = project.make("figures", f"VENV={sys.prefix}", "ARGS=--cores 2")
    finally:
        os.umask(before)
    assert said.returncode == 0, said.stdout
    assert project.contents(*FOLDERS) == usual
    assert not list(tmp_path.rglob("injected"))
    project.remove()
