"""The fingerprint of a stage changes with its code, wherever that is, and with nothing else."""

import ast
import json
from itertools import product

import pytest

from repatlas.artifacts.provenance import (
    ROOT,
    Package,
    code,
    code_of,
    identity,
    versions,
)
from repatlas.config.config import read_config
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import job_of, stated
from repatlas.plan.plan import Plan

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
    return Package(toy).fingerprint("toy.stage")


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
        ("room/__init__.py", "DOORS = 2\n"),  # importing inner executes it
        ("__init__.py", "VERSION = 2\n"),
    ],
)
def test_an_edit_to_anything_that_is_imported_changes_the_hash(toy, module, text):
    before = stage_hash(toy)
    (toy / module).write_text(text, encoding="utf-8")
    assert stage_hash(toy) != before


@pytest.mark.parametrize("module", ["stage", "far", "room", "room.inner"])
def test_an_edit_changes_the_hash_of_the_edited_module_and_of_no_other(toy, module):
    before = Package(toy).hashes("toy.stage")
    path = toy.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    path.write_text(f"{path.read_text(encoding='utf-8')}\nEDIT = 1\n", encoding="utf-8")
    after = Package(toy).hashes("toy.stage")
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} == {f"toy.{module}"}


def test_hashes_are_those_of_what_is_imported_and_of_the_packages_on_the_way(toy):
    assert Package(toy).hashes("toy.stage").keys() == {
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


MOVED = {
    "a module into another folder": {
        "far.py": None,
        "hall/__init__.py": "",
        "hall/elsewhere.py": TOY["far.py"],
        "middle.py": TOY["middle.py"].replace("toy.far", "toy.hall.elsewhere"),
    },
    "a module out of its folder": {
        "beside.py": None,
        "new/deep/offset.py": TOY["beside.py"],
        "new/__init__.py": '"""A folder that does nothing."""\n',
        "new/deep/__init__.py": "",
        "stage.py": TOY["stage.py"].replace(
            "from toy import beside", "from toy.new.deep import offset as beside"
        ),
    },
    "imports into another order": {
        "stage.py": TOY["stage.py"].replace(
            "import toy.middle\nfrom toy import beside\n",
            "from toy import beside\nimport toy.middle\n",
        )
    },
    "the stage itself": {"stage.py": None, "stages/stage.py": TOY["stage.py"]},
}


def change(toy, files):
    for name, text in files.items():
        path = toy / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("what", MOVED)
def test_the_path_of_a_module_changes_nothing(toy, what):
    before = stage_hash(toy)
    change(toy, MOVED[what])
    stage = "toy.stages.stage" if what == "the stage itself" else "toy.stage"
    assert Package(toy).fingerprint(stage) == before


@pytest.mark.parametrize(
    ("module", "text"),
    [
        # A name from another module.
        ("middle.py", "from toy.alone import NOBODY as FAR\n\n\ndef value():\n    return FAR\n"),
        ("far.py", "FAR = 1\nNEAR = 2\n"),
        ("middle.py", "from toy.beside import OFFSET as FAR\n\n\ndef value():\n    return FAR\n"),
        # The package on the way to a module does something.
        ("far.py", "from toy.room.inner import helper\n\nFAR = 1\n"),
    ],
)
def test_an_import_of_something_else_changes_the_hash(toy, module, text):
    before = stage_hash(toy)
    change(toy, {module: text})
    assert stage_hash(toy) != before


def test_another_name_of_the_same_module_changes_the_hash(toy):
    two = {"far.py": "FAR = 1\nNEAR = 2\n"}
    change(toy, two)
    before = stage_hash(toy)
    change(toy, {"middle.py": TOY["middle.py"].replace("import FAR", "import NEAR as FAR")})
    assert stage_hash(toy) != before


def test_a_module_that_moves_into_a_package_that_does_something_changes_the_hash(toy):
    change(toy, {"busy/__init__.py": "import random\n\nrandom.seed(1)\n"})
    before = stage_hash(toy)
    change(
        toy,
        {
            "far.py": None,
            "busy/far.py": TOY["far.py"],
            "middle.py": TOY["middle.py"].replace("toy.far", "toy.busy.far"),
        },
    )
    assert stage_hash(toy) != before


def test_two_modules_that_exchange_their_names_change_the_hash(toy):
    """Rows of two measures would otherwise have each other's names."""
    before = Package(toy).fingerprint("toy.far", "toy.alone")
    change(toy, {"far.py": TOY["alone.py"], "alone.py": TOY["far.py"]})
    assert Package(toy).fingerprint("toy.far", "toy.alone") != before


def test_two_imports_that_exchange_their_modules_change_the_hash(toy):
    text = "from toy.far import VALUE as one\nfrom toy.beside import VALUE as other\n"
    change(toy, {"stage.py": text, "far.py": "VALUE = 1\n", "beside.py": "VALUE = 2\n"})
    before = stage_hash(toy)
    change(
        toy, {"stage.py": text.replace("far", "_").replace("beside", "far").replace("_", "beside")}
    )
    assert stage_hash(toy) != before


def test_two_functions_that_exchange_the_modules_they_import_change_the_hash(toy):
    text = (
        "def one():\n    from toy.far import VALUE\n\n    return VALUE\n\n\n"
        "def other():\n    from toy.beside import VALUE\n\n    return VALUE\n"
    )
    change(toy, {"stage.py": text, "far.py": "VALUE = 1\n", "beside.py": "VALUE = 2\n"})
    before = stage_hash(toy)
    change(
        toy, {"stage.py": text.replace("far", "_").replace("beside", "far").replace("_", "beside")}
    )
    assert stage_hash(toy) != before


def test_the_hash_does_not_depend_on_where_the_package_lies(toy, tmp_path):
    before = stage_hash(toy)
    elsewhere = tmp_path / "elsewhere" / "toy"
    elsewhere.parent.mkdir()
    toy.rename(elsewhere)
    assert stage_hash(elsewhere) == before


# These tests ask how modules of this package are found; test_code_by_name.py lists the modules.


def every_module():
    return sorted(ROOT.rglob("*.py"))


def test_modules_are_named_in_full_where_they_are_imported():
    """The fingerprint doesn't follow relative imports."""
    for path in every_module():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}:{node.lineno}"


def test_one_place_alone_loads_modules_by_name():
    """Only the command may load its stage, and only named.py may load other modules."""
    allowed = {
        "__main__.py": ["f'repatlas.{COMMANDS[name]}'"],
        "named.py": ["f'{ROOT.name}.{module_of(package, name)}'"],
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


def test_the_order_in_which_modules_are_named_has_no_meaning():
    assert code("stages.plot", "stages.train") == code("stages.train", "stages.plot")


def test_what_stores_results_is_no_part_of_their_code():
    assert not [name for name in code_of("stages.train") if ".artifacts" in name]


# Identities of files.


def test_an_identity_changes_with_the_job():
    assert identity('{"seed": 0}') == identity('{"seed": 0}')
    assert identity('{"seed": 0}') != identity('{"seed": 1}')


def test_an_identity_changes_with_any_of_its_inputs():
    identities = {identity("job", inputs) for inputs in ([], ["a"], ["b"], ["a", "b"], ["a", "a"])}
    assert len(identities) == 5


def test_the_order_of_inputs_has_no_meaning():
    assert identity("job", ["a", "b", "c"]) == identity("job", ["c", "a", "b"])


def test_a_file_says_its_job_its_identity_and_its_code(results, one_figure_values):
    for path, wanted in expected_files(Plan(read_config(one_figure_values))).items():
        header = stated(path, wanted.stage)
        assert header["job"] == json.loads(wanted.job)
        assert header["identity"] == wanted.identity
        assert header["modules"] == code_of(*sorted({*job_of(wanted).modules()}))
        assert header["versions"] == versions()


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
