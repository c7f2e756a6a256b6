"""The lists of packages agree: what the code asks for, what pip installs, what conda installs."""

import os
import re
import subprocess
import tomllib
from itertools import chain

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet


@pytest.fixture
def project(repository):
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def citation(repository):
    return yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))


def lines_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.fixture
def lock_of_runs(repository):
    return lines_of(repository / "envs/requirements.lock")


@pytest.fixture
def lock(repository, lock_of_runs):
    others = [lines_of(repository / f"envs/{name}.lock") for name in ("development", "docs")]
    return [*lock_of_runs, *chain.from_iterable(others)]


@pytest.fixture
def conda(repository):
    return yaml.safe_load((repository / "envs/environment.yaml").read_text(encoding="utf-8"))


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(lock):
    """Return the exact version of each package."""
    found = {}
    for requirement in map(Requirement, lock):
        (only,) = requirement.specifier
        assert only.operator == "==", f"{requirement} is no exact version"
        assert "*" not in only.version, f"{requirement} is no exact version"
        found[plain(requirement.name)] = only.version
    return found


def test_the_lock_pins_every_package_once(lock):
    assert len(pins(lock)) == len(lock)


def test_the_lock_holds_every_dependency_in_a_version_that_the_project_allows(project, lock):
    pinned = pins(lock)
    extras = project["optional-dependencies"].values()
    asked_for = [*project["dependencies"], *chain.from_iterable(extras)]
    for requirement in map(Requirement, asked_for):
        version = pinned.get(plain(requirement.name))
        assert version, f"requirements.lock lacks {requirement}: run `make lock`"
        assert requirement.specifier.contains(version), f"{requirement}, but {version} in the lock"


def test_a_run_installs_nothing_that_is_for_development(project, lock_of_runs):
    extras = project["optional-dependencies"]
    dev = {plain(Requirement(line).name) for line in extras["dev"]}
    # Snakemake and torch themselves need these.
    assert dev & pins(lock_of_runs).keys() == {"filelock", "jsonschema"}
    docs = {plain(Requirement(line).name) for line in extras["docs"]}
    assert not docs & pins(lock_of_runs).keys()
    needed = {plain(Requirement(line).name) for line in extras["workflow"]}
    assert needed <= pins(lock_of_runs).keys()


def test_make_lock_takes_every_extra(project, repository):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"--extra (\w+)", makefile)) == set(project["optional-dependencies"])


def test_the_build_backend_is_locked_too(repository, lock):
    """`make env` builds without isolation."""
    text = (repository / "pyproject.toml").read_text(encoding="utf-8")
    for requirement in map(Requirement, tomllib.loads(text)["build-system"]["requires"]):
        assert requirement.specifier.contains(pins(lock)[plain(requirement.name)])


def test_the_lock_has_no_package_of_a_gpu_vendor(lock):
    vendors = [name for name in pins(lock) if re.match("nvidia|cuda|triton|cudnn", name)]
    assert not vendors


def test_conda_installs_exactly_what_pip_installs(conda, lock_of_runs):
    (by_pip,) = (entry["pip"] for entry in conda["dependencies"] if isinstance(entry, dict))
    by_make = [line for line in lock_of_runs if not line.startswith(("pip=", "uv="))]
    assert by_pip == by_make, "environment.yaml is not made from requirements.lock: run `make lock`"


def test_make_and_conda_take_the_pythons_that_the_lock_is_tested_with(conda, repository, project):
    by_conda = [entry for entry in conda["dependencies"] if isinstance(entry, str)]
    (python,) = (Requirement(entry) for entry in by_conda if entry.startswith("python"))
    make = (repository / "envs/make_env.py").read_text(encoding="utf-8")
    check = r"\(3, (\d+)\) <= sys.version_info\[:2\] <= \(3, (\d+)\)"
    low, high = map(int, re.search(check, make).groups())
    by_make = list(range(low, high + 1))
    assert [minor for minor in range(30) if f"3.{minor}" in python.specifier] == by_make
    assert f"3.{low}" in SpecifierSet(project["requires-python"])


def test_the_package_has_one_version(project, citation, repository):
    import repatlas

    assert repatlas.__version__ == project["version"] == citation["version"]
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert released[0] == project["version"]


def test_the_notes_of_a_release_are_the_entries_of_its_version(repository, tmp_path):
    text = (repository / ".github/workflows/release.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    (program,) = (step["run"] for step in job["steps"] if "awk" in step.get("run", ""))
    entries = "## [Unreleased]\n\n- c\n\n## [0.2.0] - 2027-01-01\n\n- b\n\n## [0.1.0] - x\n\n- a\n"
    (tmp_path / "CHANGELOG.md").write_text(entries)

    def notes(tag):
        run = ["bash", "-e", "-c", program]
        done = subprocess.run(
            run, cwd=tmp_path, env={"GITHUB_REF_NAME": tag, "PATH": os.environ["PATH"]}
        )
        return done.returncode, (tmp_path / "notes.md").read_text().split()

    assert notes("v0.2.0") == (0, ["-", "b"])
    assert notes("v0.3.0") == (1, [])


def test_a_citation_describes_what_pip_installs(project, citation):
    assert citation["title"].startswith(f"{project['name']}: ")
    assert citation["abstract"] == project["description"]
