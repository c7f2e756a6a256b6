"""The measures need numpy and scipy alone."""

import subprocess
import sys

MEASURED = """
import numpy as np
from repatlas import geometry as g
x, signs, table = np.eye(4) + np.arange(4.0), [1, 1, -1, -1], [[0, 0], [0, 1], [1, 0], [1, 1]]
draw = x, [0, 1, 2, 3]
print(g.alignment_of_kernels(g.centred_kernel(x), g.centred_kernel(x)),
      g.kernel_alignment(np.tile(x, (50, 1)), np.tile(x, (50, 1))),
      g.participation_ratio(g.centred_kernel(x)), g.participation_ratio_of_features(x),
      g.parallelism_score(x, table, 0), g.matched_parallelism_score(x, signs),
      g.ccgp(*draw, table, 0), g.matched_ccgp(*draw, signs), g.decoding_accuracy(draw, draw, signs))
"""

BLOCKED = """
import sys

class Blocked:
    allowed = {"numpy", "scipy", "repatlas", *sys.stdlib_module_names}

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        # The standard library's own names have one for each platform besides.
        if top not in self.allowed and not top.startswith("_sysconfigdata"):
            raise ImportError(name + " is blocked", name=name)

sys.meta_path.insert(0, Blocked())
"""


def python(script):
    return subprocess.run(
        [sys.executable, "-c", script], text=True, capture_output=True, check=True
    ).stdout


def test_importing_the_measures_loads_nothing_of_the_workflow():
    loaded = python("import repatlas.geometry, sys; print(*sys.modules)").split()
    top = {name.partition(".")[0] for name in loaded}
    assert not top & {"pandas", "torch", "pydantic", "pyarrow", "sklearn", "snakemake", "numba"}


def test_every_measure_works_where_nothing_else_is_installed():
    assert len(python(BLOCKED + MEASURED).split()) == 9


def test_the_block_blocks():
    assert (
        python(BLOCKED + "try:\n    import pandas\nexcept ImportError:\n    print('no')") == "no\n"
    )
