"""Code has the same fingerprint in every Python that the project allows."""

import ast
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from repatlas.artifacts.provenance import ROOT, code, code_of, tree_text

ALLOWED = ("3.11", "3.12", "3.13", "3.14")
MODULES = ("stages.train", "experiments.clusters.train", "experiments.images.train")
MODULES += ("stages.measure", "measures.ccgp", "networks.activations.tanh", "stages.judge")
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from repatlas.artifacts.provenance import code, code_of, tree_text
import ast
modules = sys.argv[2].split()
print(json.dumps({
    "python": sys.version_info[:2],
    "fingerprints": {module: code(module) for module in modules},
    "modules": code_of(*modules),
    "text": tree_text(ast.parse(sys.stdin.read())),
}))
"""
CODE = r'''
import numpy as np
from pathlib import Path as P, PurePath

@decorated(1, key=None)
class Some(Base, metaclass=Meta):
    number: int = -1
    text = u"\u00e9" "\U0001fae8" if False else """two
lines"""

    async def method(self, a, /, b=1.5, *rest, c, d: "x" = ..., **more) -> None:
        global g
        with open(a) as f, b:
            yield {**more, a: [*rest], **{}}
        lambda x, *, y=2j: (x := y)
        print(f"a{a!r:>{b}}b{{}}" "c" f"{c=}{d:}{a + 1:{b}.{c}f}" rf"\d{a}", f"", f"{'x'}", sep="")
        del a[1:2, ...], b.c
        try:
            assert a < b <= c is not None, "why"
        except* (ValueError, TypeError) as error:
            raise error from None
        match a:
            case {"k": [1, *_], **others} | Some(x=None) if others:
                return
            case _:
                pass
'''


def pythons():
    """Return the Pythons that are on the path or belong to pyenv, by version."""
    names = [shutil.which(f"python{version}") for version in ALLOWED]
    names += map(str, Path("~/.pyenv/versions").expanduser().glob("*/bin/python"))
    found = {}
    for name in filter(None, names):
        asked = subprocess.run([name, "--version"], capture_output=True, text=True)
        if version := re.match(r"Python (\d+\.\d+)", asked.stdout):
            found.setdefault(version[1], name)
    return found


@pytest.mark.parametrize("version", ALLOWED)
def test_another_python_has_the_same_fingerprints(version):
    if version not in (found := pythons()):
        pytest.skip(f"found no Python {version}, but {sorted(found)}")
    ended = subprocess.run(
        [found[version], "-S", "-c", PROGRAM, str(ROOT.parent), " ".join(MODULES)],
        input=CODE,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
    )
    assert ended.returncode == 0, ended.stderr
    other = json.loads(ended.stdout)
    assert ".".join(map(str, other["python"])) == version
    assert other["text"] == tree_text(ast.parse(CODE))
    assert other["modules"] == code_of(*MODULES)
    assert other["fingerprints"] == {module: code(module) for module in MODULES}


def test_the_text_of_a_tree_is_what_it_has_been():
    """Results carry its hash: whoever changes it makes all of them stale."""
    code = 'def f(x, *, y=None) -> int:\n    return f"{x:>3}b" "c" if x else -1j\n'
    assert tree_text(ast.parse(code)) == (
        "Module(body=[FunctionDef(args=arguments(args=[arg(arg='x')], kw_defaults=[Constant()],"
        " kwonlyargs=[arg(arg='y')]), body=[Return(value=IfExp(body=JoinedStr(values=["
        "FormattedValue(conversion=-1, format_spec=JoinedStr(values=[Constant(value='>3')]),"
        " value=Name(ctx=Load(), id='x')), Constant(value='bc')]), orelse=UnaryOp(op=USub(),"
        " operand=Constant(value=1j)), test=Name(ctx=Load(), id='x')))], name='f',"
        " returns=Name(ctx=Load(), id='int'))])"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(None)", "f()"),
        ("f(a=None)", "f(a=0)"),
        ("[None]", "[]"),
        ("f'{x}'", "f'{x!r}'"),
        ("f'{x}{y}'", "f'{x} {y}'"),
        ("f'a{x}'", "f'{x}a'"),
        ("x: int", "x: int = None"),
        ("def f(): pass", "async def f(): pass"),
        ("def f(a, /): pass", "def f(a): pass"),
        ("return 1", "return"),
        ("{**a}", "{a: a}"),
        ("'1'", "1"),
        ("b'1'", "'1'"),
        ("1", "1.0"),
        ("a[1:]", "a[:1]"),
        ("a[1::]", "a[::1]"),
    ],
)
def test_other_code_has_another_text(one, other):
    assert tree_text(ast.parse(one)) != tree_text(ast.parse(other))
