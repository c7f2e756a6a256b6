"""The code of a result changes with what it is computed from, and with nothing else."""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

from repatlas import named
from repatlas.record import Refused
from repatlas.workflow import code

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
    "beside.json": "[1]",
    "room/__init__.py": "DOORS = 1\n",
    "room/inner.py": "def helper():\n    from .late import LATE\n\n    return LATE\n",
    "room/late.py": "LATE = 3\n",
    "alone.py": "NOBODY = 0\n",
}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Write a package whose modules import one another, from which results are computed."""
    folder = tmp_path / "toy"
    write(folder, TOY)
    monkeypatch.setattr(code, "ROOT", tmp_path)
    monkeypatch.setattr(code, "PACKAGE", "toy")
    monkeypatch.setattr(code, "set_folder_of_machine_code", lambda: None)
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield folder
    forget()
    for name in [name for name in sys.modules if name.split(".")[0] == "toy"]:
        del sys.modules[name]


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")


def forget():
    """Let this process read code again, as the next one does."""
    for function in (code.fingerprint, code.digests, code._path, code._module):
        function.cache_clear()


def fingerprint(*modules):
    forget()
    return code.fingerprint(*modules or ("stage",))


@pytest.mark.parametrize(
    "files",
    [
        {"far.py": "# a comment\nFAR = 1  # another\n"},
        {"far.py": "FAR   =   (\n    1\n)\n\n\n"},
        {"far.py": '"""A docstring of the module."""\n\nFAR = 1\n"""And of an attribute."""\n'},
        {
            "room/inner.py": TOY["room/inner.py"].replace(
                "():", '():\n    """What for."""\n    # so'
            )
        },
        {"alone.py": "NOBODY = 1\n", "new.py": "import toy.stage\n"},
    ],
)
def test_comments_docstrings_layout_and_what_nobody_imports_change_nothing(toy, files):
    before = fingerprint()
    write(toy, files)
    assert fingerprint() == before


@pytest.mark.parametrize(
    "files",
    [
        {"stage.py": TOY["stage.py"].replace("+ helper()", "- helper()")},
        {"middle.py": TOY["middle.py"].replace("return FAR", "return -FAR")},
        {"far.py": "FAR = 1.0\n"},  # two imports away
        {"far.py": 'FAR = "1"\n'},
        {"far.py": None, "far/__init__.py": "FAR = 2\n"},
        {"beside.py": "OFFSET = 3\n"},  # from package import module
        {"beside.json": "[2]"},  # its numbers
        {"room/inner.py": TOY["room/inner.py"].replace("helper()", "helper(x=1)")},
        {"room/late.py": "LATE = 4\n"},  # a relative import in a function
        {"room/__init__.py": "DOORS = 2\n"},  # importing inner executes it
        {"__init__.py": "VERSION = 2\n"},
    ],
    ids=lambda files: " ".join(files),
)
def test_an_edit_of_anything_that_is_imported_changes_the_code(toy, files):
    before = fingerprint()
    write(toy, files)
    assert fingerprint() != before


def test_two_measures_that_exchange_their_names_change_the_code(toy):
    """Rows of each would otherwise have the other's name."""
    before = fingerprint("far", "alone")
    write(toy, {"far.py": TOY["alone.py"], "alone.py": TOY["far.py"]})
    assert fingerprint("far", "alone") != before


def test_the_code_is_the_same_wherever_the_package_lies(toy, tmp_path, monkeypatch):
    before = fingerprint()
    shutil.copytree(toy, tmp_path / "elsewhere/toy")
    monkeypatch.setattr(code, "ROOT", tmp_path / "elsewhere")
    assert fingerprint() == before


def test_what_stores_results_is_no_part_of_their_code():
    names = code.digests("experiments.clusters.train", "own.similarities")
    assert names
    assert not [name for name in names if ".artifacts" in name or ".workflow" in name]


# While a job runs.


@pytest.mark.parametrize(
    "text", ["LATE = 4\n", "LATE = (\n", "LATE = '\0'\n", None], ids=["edited", "cut", "0", "gone"]
)
def test_code_that_was_edited_cut_or_removed_stops_the_job(toy, text):
    declared = code.Declared("stage")
    declared.check()
    write(toy, {"room/late.py": text})
    with pytest.raises(Refused, match=r"^toy.room.late: the code changed while this job was runn"):
        declared.check()
    write(toy, {"room/late.py": f"{TOY['room/late.py']}# There and back, with a comment.\n"})
    declared.check()


def test_a_module_that_is_loaded_by_name_is_refused(toy):
    write(toy, {"stage.py": "def main():\n    return __import__('toy.' + 'alone')\n"})
    forget()
    declared = code.Declared("stage")
    sys.modules["toy.stage"].main()
    with pytest.raises(Refused, match=r"^toy.alone: was loaded by name, so results would not know"):
        declared.check()


def test_a_helper_of_the_user_s_elsewhere_is_refused_too(toy, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/my_helper.py").write_text("FACTOR = 1\n")
    monkeypatch.syspath_prepend(tmp_path / "mine")
    write(toy, {"stage.py": "def main():\n    import my_helper\n"})
    forget()
    declared = code.Declared("stage")
    sys.modules["toy.stage"].main()
    with pytest.raises(Refused, match=r"^my_helper: was loaded by name"):
        declared.check()
    del sys.modules["my_helper"]


def test_a_module_that_the_result_at_work_does_not_declare_is_not_loaded():
    with named.only(code.digests("measures.ccgp")):
        assert named.named("measures", "ccgp").rows
        with pytest.raises(Refused, match=r"repatlas.measures.kernel: is loaded by name, and the"):
            named.named("measures", "kernel")
    assert named.named("measures", "kernel").rows


# On other machines.

PROGRAM = """
import json, sys, types
sys.path.insert(0, sys.argv[1])
# No other package need be installed there.
sys.modules["repatlas.record"] = types.SimpleNamespace(Refused=ValueError)
from repatlas.workflow.code import _parse, fingerprint
modules = sys.argv[2].split()
print(json.dumps([*map(fingerprint, modules), _parse(sys.stdin.buffer.read())]))
"""
MODULES = ("experiments.clusters.train", "experiments.images.train", "measures.ccgp")
MODULES += ("networks.activations.tanh", "claims.judging", "studies.structure.fig02")
EXAMPLE = r'''
from pathlib import Path as P, PurePath

@decorated(1, key=None)
class Some(Base, metaclass=Meta):
    text = u"\u00e9" "\U0001fae8" if False else """two
lines"""

    async def method(self, a, /, b=1.5, *rest, c, d: "x" = ..., **more) -> None:
        with open(a) as f, b:
            yield {**more, a: [*rest], **{}}
        lambda x, *, y=2j: (x := y)
        print(f"a{a!r:>{b}}b{{}}" "c" f"{c=}{d:}{a + 1:{b}.{c}f}" rf"\d{a}", f"", f"{'x'}", sep="")
        del a[1:2, ...], b.c
        match a:
            case {"k": [1, *_], **others} | Some(x=None) if others:
                return
'''


def other_pythons():
    """Return the Pythons on the path, or of pyenv, that the project allows, by version."""
    found = {}
    names = [shutil.which(f"python3.{number}") for number in range(11, 15)]
    for name in chain(names, Path("~/.pyenv/versions").expanduser().glob("*/bin/python")):
        asked = name and subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        if asked and (version := re.match(r"Python (3\.1[1-4])", asked)):
            found.setdefault(version[1], str(name))
    return found


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_another_python_finds_the_same_code(version):
    """Nothing is trained again because Python is newer."""
    if version not in (found := other_pythons()):
        pytest.skip(f"found no Python {version}, but {sorted(found)}")
    ended = subprocess.run(
        [found[version], "-S", "-c", PROGRAM, str(code.ROOT), " ".join(MODULES)],
        input=EXAMPLE,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
    )
    assert ended.returncode == 0, ended.stderr
    ours = [*map(code.fingerprint, MODULES), code._parse(EXAMPLE.encode())]
    assert json.loads(ended.stdout) == ours
