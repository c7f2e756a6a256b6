"""The conda recipe describes the package that pyproject.toml describes."""

import tomllib

import pytest
import yaml


@pytest.fixture
def recipe(repository):
    return yaml.safe_load((repository / "envs/conda/recipe.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def pyproject(repository):
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


def spaced(requirements):
    return [each.replace(">=", " >=") for each in requirements]


def test_the_recipe_has_the_name_version_and_licence_of_the_package(recipe, pyproject):
    project = pyproject["project"]
    assert recipe["package"] == {"name": project["name"], "version": project["version"]}
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["license_file"] == project["license-files"]


def test_the_recipe_installs_what_the_measures_and_the_command_need(recipe, pyproject):
    project = pyproject["project"]
    python = f"python {project['requires-python']}"
    needed = [*project["dependencies"], *project["optional-dependencies"]["own"]]
    assert recipe["requirements"]["run"] == [python, *spaced(needed)]
    builders = spaced(pyproject["build-system"]["requires"])
    assert recipe["requirements"]["host"] == [python, "pip", *builders]


def test_the_recipe_has_the_command_of_the_package(recipe, pyproject):
    commands = [f"{name} = {call}" for name, call in pyproject["project"]["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands
