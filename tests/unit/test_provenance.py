"""The fingerprint of a stage changes with its code, wherever that is, and with nothing else."""

import ast
import json
import shutil
from itertools import product

import pytest

from repatlas.__main__ import STAGES
from repatlas.artifacts.provenance import (
    ROOT,
    closure_hash,
    figure_module,
    fingerprint,
    identity,
    module_hashes,
    modules,
    origin,
    versions,
)

TOY = {
    "__init__.py": '"""A toy package."""\n\nVERSION = 1\n',
    "stage.py": (
        "import toy.middle\n"
        "from toy import beside\n"
        "from toy.room.inner import helper\n"
        "import json\n\n\n"
        "def main():\n"
        "    return toy.middle.value() + beside.OFFSET + helper()\n"
    ),
    "middle.py": "from toy.far import FAR\n\n\ndef value():\n    return FAR\n",
    "far.py": "FAR = 1\n",
    "beside.py": "OFFSET = 2\n",
    "room/__init__.py": "DOORS = 1\n",
    "room/inner.py": "def helper():\n    return 3\n",
    "alone.py": "NOBODY = 0\n",
}


@pytest.fixture
def toy(tmp_path):
    for name, text in TOY.items():
        path = tmp_path / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "toy"


def stage_hash(toy):
    return closure_hash(module_hashes(toy, ["toy.stage"]))


@pytest.mark.parametrize(
    "same",
    [
        "# a comment\nFAR = 1  # another\n",
        "FAR   =   (\n    1\n)\n\n\n",
        '"""A docstring of the module."""\n\nFAR = 1\n',
        'FAR = 1\n"""A docstring of the attribute."""\n',
    ],
)
def test_comments_docstrings_and_layout_change_nothing(toy, same):
    before = stage_hash(toy)
    (toy / "far.py").write_text(same, encoding="utf-8")
    assert stage_hash(toy) == before


@pytest.mark.parametrize(
    "same",
    [
        'def helper():\n    """What it is for."""\n    return 3\n',
        'def helper():\n    """What it is for.\n\n    At length."""\n    # so\n    return 3\n',
    ],
)
def test_the_docstring_of_a_function_changes_nothing(toy, same):
    before = stage_hash(toy)
    (toy / "room/inner.py").write_text(same, encoding="utf-8")
    assert stage_hash(toy) == before


def test_the_docstring_of_a_class_or_its_attribute_changes_nothing(toy):
    bare = "class Thing:\n    size: int = 1\n\n    def grow(self):\n        return 2\n"
    described = (
        'class Thing:\n    """It grows."""\n\n    size: int = 1\n    """In metres."""\n\n'
        '    def grow(self):\n        """How."""\n        return 2\n'
    )
    (toy / "beside.py").write_text(bare, encoding="utf-8")
    before = stage_hash(toy)
    (toy / "beside.py").write_text(described, encoding="utf-8")
    assert stage_hash(toy) == before


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("stage.py", TOY["stage.py"].replace("+ helper()", "- helper()")),
        ("middle.py", TOY["middle.py"].replace("return FAR", "return -FAR")),
        ("far.py", "FAR = 1.0\n"),  # two imports away
        ("far.py", 'FAR = "1"\n'),
        ("beside.py", "OFFSET = 3\n"),  # from package import module
        ("room/inner.py", "def helper():\n    return 4\n"),  # from package.module import name
        ("room/inner.py", "def helper(x=1):\n    return 3\n"),
        ("room/__init__.py", "DOORS = 2\n"),  # executed on the way to room.inner
        ("__init__.py", "VERSION = 2\n"),
    ],
)
def test_an_edit_to_anything_that_is_imported_changes_the_hash(toy, module, text):
    before = stage_hash(toy)
    (toy / module).write_text(text, encoding="utf-8")
    assert stage_hash(toy) != before


@pytest.mark.parametrize("module", ["stage", "far", "room", "room.inner"])
def test_an_edit_changes_the_hash_of_the_edited_module_and_of_no_other(toy, module):
    before = module_hashes(toy, ["toy.stage"])
    path = toy.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    path.write_text(f"{path.read_text(encoding='utf-8')}\nEDIT = 1\n", encoding="utf-8")
    after = module_hashes(toy, ["toy.stage"])
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} == {f"toy.{module}"}


def test_hashes_are_those_of_what_is_imported_and_of_the_packages_on_the_way(toy):
    assert module_hashes(toy, ["toy.stage"]).keys() == {
        *("toy", "toy.stage", "toy.middle", "toy.far", "toy.beside", "toy.room", "toy.room.inner")
    }


def test_which_module_has_which_hash_matters(toy):
    (toy / "far.py").write_text("FAR = 2\n", encoding="utf-8")
    (toy / "beside.py").write_text("FAR = 3\n", encoding="utf-8")
    before = stage_hash(toy)
    (toy / "far.py").write_text("FAR = 3\n", encoding="utf-8")
    (toy / "beside.py").write_text("FAR = 2\n", encoding="utf-8")
    assert stage_hash(toy) != before


def test_every_edit_gives_a_hash_of_its_own(toy):
    hashes = set()
    for far, offset in product((1, 2), (1, 2)):
        (toy / "far.py").write_text(f"FAR = {far}\n", encoding="utf-8")
        (toy / "beside.py").write_text(f"OFFSET = {offset}\n", encoding="utf-8")
        hashes.add(stage_hash(toy))
    assert len(hashes) == 4


def test_an_edit_to_what_is_not_imported_changes_nothing(toy):
    before = stage_hash(toy)
    (toy / "alone.py").write_text("NOBODY = 1\n", encoding="utf-8")
    (toy / "new.py").write_text("import toy.stage\n", encoding="utf-8")
    assert stage_hash(toy) == before


def test_an_import_inside_a_function_counts(toy):
    (toy / "far.py").write_text(
        "FAR = 1\n\n\ndef f():\n    from toy.alone import NOBODY\n", encoding="utf-8"
    )
    before = stage_hash(toy)
    (toy / "alone.py").write_text("NOBODY = 1\n", encoding="utf-8")
    assert stage_hash(toy) != before


def test_modules_that_import_each_other_have_a_hash(toy):
    (toy / "far.py").write_text("import toy.middle\n\nFAR = 1\n", encoding="utf-8")
    assert len(stage_hash(toy)) == 12


def test_the_hash_does_not_depend_on_where_the_package_lies(toy, tmp_path):
    before = stage_hash(toy)
    elsewhere = tmp_path / "elsewhere" / "toy"
    elsewhere.parent.mkdir()
    toy.rename(elsewhere)
    assert stage_hash(elsewhere) == before


# What the stages of this package rest on.


def imported_by(module):
    """The modules of the package that a module imports, directly or not, read independently of
    repatlas.artifacts.provenance."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        base = ROOT.parent.joinpath(*name.split("."))
        path = next(
            (path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()),
            None,
        )
        if name in found or path is None:
            continue
        found.add(name)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
            waiting += [name for name in names if name.startswith("repatlas")]
    return found


@pytest.mark.parametrize(
    ("stage", "foreign"),
    [
        (
            "make_tasks",
            (
                "repatlas.experiments.clusters.engine",
                "repatlas.geometry",
                "repatlas.measures.of_clusters",
            ),
        ),
        (
            "train",
            ("repatlas.geometry", "repatlas.measures.of_clusters", "repatlas.representation"),
        ),
        ("measure", ("repatlas.experiments.clusters.engine", "repatlas.tables")),
        (
            "tabulate",
            ("repatlas.experiments.clusters.engine", "repatlas.geometry", "repatlas.figures"),
        ),
        ("plot", ("repatlas.experiments.clusters.engine", "repatlas.geometry", "repatlas.tables")),
    ],
)
def test_a_stage_does_not_rest_on_what_is_none_of_its_business(stage, foreign):
    rests_on = imported_by(f"repatlas.stages.{stage}")
    everywhere = (
        "repatlas.config.config",
        "repatlas.plan",
        "repatlas.experiments.clusters.reference",
    )
    if stage != "plot":
        everywhere += ("repatlas.figures",)
    for module in (*foreign, *everywhere):
        assert not {name for name in rests_on if name == module or name.startswith(f"{module}.")}


@pytest.mark.parametrize(
    ("stage", "needed"),
    [
        ("make_tasks", "repatlas.experiments.clusters.tasks.separable"),
        ("train", "repatlas.experiments.clusters.engine"),
        ("train", "repatlas.streams"),
        ("train", "repatlas.networks.activations"),
        ("measure", "repatlas.geometry.svm"),
        ("measure", "repatlas.representation"),
        ("plot", "repatlas.plots.style"),
    ],
)
def test_a_stage_rests_on_what_its_results_come_from(stage, needed):
    assert needed in imported_by(f"repatlas.stages.{stage}")


def every_module():
    return sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("stage", ["train"])
def test_an_edit_changes_the_fingerprint_of_the_stages_that_rest_on_it_and_no_other(
    stage, tmp_path
):
    copy = tmp_path / "repatlas"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = closure_hash(module_hashes(copy, [f"repatlas.stages.{stage}"]))
    changing = set()
    for path in every_module():
        module = path.relative_to(ROOT.parent).with_suffix("")
        original = path.read_text(encoding="utf-8")
        (tmp_path / module).with_suffix(".py").write_text(f"{original}\nEDIT = 1\n")
        if closure_hash(module_hashes(copy, [f"repatlas.stages.{stage}"])) != before:
            changing.add(".".join(module.parts).removesuffix(".__init__"))
        (tmp_path / module).with_suffix(".py").write_text(original)
    packages = {name.rpartition(".")[0] for name in imported_by(f"repatlas.stages.{stage}")} - {""}
    assert changing == imported_by(f"repatlas.stages.{stage}") | packages
    assert changing == modules(stage).keys()


def test_modules_are_named_in_full_where_they_are_imported():
    """The fingerprint doesn't follow relative imports."""
    for path in every_module():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}:{node.lineno}"


def test_no_module_is_loaded_by_a_name_that_the_fingerprint_does_not_know():
    """Only these load a module by name: the command its stage, and two stages their figure's."""
    allowed = {
        "__main__.py": ["f'repatlas.stages.{chosen.stage}'"],
        "stages/tabulate.py": ["figure_module('tabulate', job['figure'])"],
        "stages/plot.py": ["figure_module('plot', job['figure'])"],
    }
    found = {}
    for path in every_module():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in {
                "import_module",
                "__import__",
                "exec",
                "eval",
                "spec_from_file_location",
                "run_module",
                "run_path",
            }:
                if not node.args:  # the `eval` of a torch module
                    continue
                loaded = ", ".join(map(ast.unparse, node.args))
                found.setdefault(str(path.relative_to(ROOT)), []).append(loaded)
    assert found == allowed


@pytest.mark.parametrize("stage", ["tabulate", "plot"])
@pytest.mark.parametrize("figure", ["fig01", "fig02", "fig03"])
def test_the_fingerprint_of_a_figure_holds_the_module_of_the_figure(stage, figure):
    both = module_hashes(ROOT, [f"repatlas.stages.{stage}", figure_module(stage, figure)])
    assert modules(stage, figure) == both
    assert figure_module(stage, figure) in both
    assert fingerprint(stage, figure) == closure_hash(both)
    assert fingerprint(stage, figure) != fingerprint(stage)


def test_every_stage_and_figure_has_a_fingerprint_of_its_own():
    prints = [fingerprint(stage) for stage in STAGES]
    prints += [fingerprint("plot", figure) for figure in ("fig01", "fig02", "fig03")]
    assert len(set(prints)) == len(prints)


# Identities of files.


def test_an_identity_changes_with_the_job():
    assert identity('{"seed": 0}') == identity('{"seed": 0}')
    assert identity('{"seed": 0}') != identity('{"seed": 1}')


def test_an_identity_changes_with_any_of_its_inputs():
    identities = {identity("job", inputs) for inputs in ([], ["a"], ["b"], ["a", "b"], ["a", "a"])}
    assert len(identities) == 5


def test_the_order_of_inputs_has_no_meaning():
    assert identity("job", ["a", "b", "c"]) == identity("job", ["c", "a", "b"])


@pytest.mark.parametrize(
    ("stage", "job"), [("train", {"seed": 0}), ("plot", {"figure": "fig02", "step": 5})]
)
def test_the_origin_of_a_file_is_its_job_its_identity_and_its_code(stage, job):
    text = json.dumps(job)
    assert origin(text, stage, ["a", "b"]) == {
        "job": job,
        "identity": identity(text, ["a", "b"]),
        "modules": modules(stage, job.get("figure")),
        "versions": versions(),
    }


def test_the_packages_that_arithmetic_rests_on_are_recorded():
    import numpy
    import torch

    found = versions()
    assert found["numpy"] == numpy.__version__
    assert found["torch"].split("+")[0] == torch.__version__.split("+")[0]


def test_a_package_that_is_not_installed_is_recorded_as_none(monkeypatch):
    monkeypatch.setattr(
        "repatlas.artifacts.provenance.RECORDED_PACKAGES", ("numpy", "no-such-package")
    )
    assert versions().keys() == {"numpy", "no-such-package"}
    assert versions()["no-such-package"] is None
