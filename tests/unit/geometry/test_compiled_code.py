"""Machine code computes what its source does. Damaged machine code (a power cut, a bad disk) and
code of an earlier version of the compiler is compiled again, and never run."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from test_svm import problem

from repatlas.compiling.machine_code import machine_code
from repatlas.geometry import compiled, newton
from repatlas.geometry.svm import SHORT

numba = pytest.importorskip("numba")


minimise = cache(compiled.compiled_minimise)


@pytest.mark.parametrize("search", [0.0, SHORT])
@pytest.mark.parametrize(("m", "n"), [(30, 200), (100, 100), (400, 20)])
@pytest.mark.parametrize("kind", ["overlapping", "constant features"])
def test_compiled_and_plain_agree(kind, m, n, search):
    x, y = problem(kind, m, n)
    arguments = (x, y.astype(float), 1.0, y @ x / np.vdot(x, x), np.empty((0, 0)), 1e-16, search)
    (machine, converged), (plain, plain_converged) = (
        each(*arguments) for each in (minimise(), newton.minimise)
    )
    assert converged and plain_converged
    assert np.linalg.norm(machine - plain) < 1e-12 * np.linalg.norm(plain)


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGE = {
    "empty": lambda content: b"",
    "cut": lambda content: content[:-100],
    "with a flipped bit": flipped,
}


def fit():
    x = np.array([[1.0, 1.0], [-1.0, 1.0], [2.0, 1.0]])
    y = np.array([1.0, -1.0, 1.0])
    weights, done = compiled.compiled_minimise()(x, y, 1.0, x.T @ y, np.zeros((0, 0)), 1e-12, 0.0)
    return weights, done


def twice(x):
    return 2 * x


def doubled():
    return machine_code(twice, numba.int64(numba.int64))(21), True


def hits_of_twice():
    return machine_code(twice, numba.int64(numba.int64)).stats.cache_hits


def hits_of_minimise():
    return compiled.compiled_minimise().stats.cache_hits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "hits", "kind", "damage"),
    [
        *((doubled, hits_of_twice, kind, damage) for kind in ("nbi", "nbc") for damage in DAMAGE),
        (fit, hits_of_minimise, "nbc", "with a flipped bit"),
    ],
)
def test_damaged_code_is_compiled_again(tmp_path, monkeypatch, run, hits, kind, damage):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    found, done = run()
    assert done
    [path] = tmp_path.rglob(f"*.{kind}")
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[damage](whole))
    again, done = run()
    assert done
    assert np.array_equal(again, found)
    assert hits(), "what is whole again is loaded"


@pytest.mark.slow
def test_code_made_by_another_version_is_made_again(tmp_path, monkeypatch):
    """numba looks for changes in newton.py alone; part of the machine code is from compiled.py."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    weights, _ = fit()
    edited = tmp_path / "compiled.py"
    edited.write_text(Path(compiled.__file__).read_text() + "# edited\n")
    monkeypatch.setattr(compiled, "__file__", str(edited))
    again = compiled.compiled_minimise()
    assert not again.stats.cache_hits
    assert np.array_equal(fit()[0], weights)


def applied(function, x):
    return function(x)


def test_a_function_that_gets_a_function_is_compiled_once(tmp_path, monkeypatch):
    """Left to itself, numba compiles it again for each function that it gets, and keeps no code."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    kind = numba.int64(numba.int64)
    made = machine_code(applied, numba.int64(numba.types.FunctionType(kind), numba.int64))
    assert made(machine_code(twice, kind), 21) == 42
    assert len(made.signatures) == 1
