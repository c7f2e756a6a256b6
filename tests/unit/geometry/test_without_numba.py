"""Only the first fit asks for numba, and where it is missing or must not compile, numpy fits."""

import subprocess
import sys


def test_without_numba_the_plain_source_runs():
    script = (
        "import sys; sys.modules['numba'] = None; from repatlas.geometry import newton, svm;"
        "print(svm.linear_svm([[2.0], [-2.0]], [1, -1]).weights);"
        "assert svm._minimise() is newton.minimise"
    )
    assert python(script) == "[0.47058824]"


def test_where_numba_must_not_compile_the_plain_source_runs(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    script = (
        "from repatlas.geometry import newton, svm;"
        "print(svm.linear_svm([[2.0], [-2.0]], [1, -1]).weights);"
        "assert svm._minimise() is newton.minimise"
    )
    assert python(script) == "[0.47058824]"


def test_numba_is_imported_by_the_first_fit_and_not_before():
    script = (
        "import repatlas.geometry, sys; print('numba' in sys.modules, 'llvmlite' in sys.modules)"
    )
    assert python(script) == "False False"


def python(script):
    return subprocess.check_output([sys.executable, "-c", script], text=True).strip()
