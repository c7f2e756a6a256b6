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


def test_measure_of_few_fits_compiles_nothing_and_of_more_fits_does():
    script = (
        "import sys, numpy as np; from repatlas.geometry import svm;"
        "from repatlas.own import measure;"
        "x = np.random.default_rng(0).standard_normal((40, 5)); y = np.tile([0, 1], 20);"
        "fit = lambda: measure(x, y, 'trials', measures=['decoding'], draws=1);"
        "first = fit().value[0]; few = 'numba' in sys.modules;"
        "svm.FEW = 3; second = fit().value[0];"
        "print(few, 'numba' in sys.modules, first == second)"
    )
    assert python(script) == "False True True"


def python(script):
    return subprocess.check_output([sys.executable, "-c", script], text=True).strip()
