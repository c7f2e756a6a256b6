"""What limits the law: other regressions, after the test, on the same functions.

python docs/law/afterwards.py METRICS      METRICS: the folder `metrics` of a run of config/law.yaml

Prints R^2 over functions 800 to 999 of regressions that were fitted to functions 0 to 799, all to
ten seeds. None of these regressions was fixed before the test, except the law.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from fit import explained, medians
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from repatlas.dynamics import activation_law as law
from repatlas.networks.drawn import dials, shape

IN_LOGARITHMS = [0, 4, 5, 7]
"""Dials that are drawn uniformly in their logarithm."""


def smooth(inputs: int) -> object:
    """Return a Gaussian process with a length for each input."""
    kernel = ConstantKernel() * RBF(np.ones(inputs), (0.01, 1000)) + WhiteKernel(0.1)
    return make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True))


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    metrics = Path(sys.argv[1])
    values = [medians(metrics, sweep) for sweep in ("explored", "held_out")]
    three, eight = [], []
    for table in values:
        functions = [shape(number) for number in table.index]
        three.append(np.array([law.properties(each.value, each.slope) for each in functions]))
        drawn = np.array([dials(number) for number in table.index])
        drawn[:, IN_LOGARITHMS] = np.log(drawn[:, IN_LOGARITHMS])
        eight.append(drawn)
    all_ = [np.hstack(both) for both in zip(three, eight, strict=True)]
    forest = ExtraTreesRegressor(300, min_samples_leaf=2, random_state=0)
    numbers = law.fit(three[0], {name: y.to_numpy() for name, y in values[0].items()})
    rows = {}
    for name in values[0]:
        measure, delta = name.split(" at ")
        y, truth = (table[name].to_numpy() for table in values)
        rows[name] = {
            "law": explained(truth, law.predict(three[1], measure, float(delta))),
            "law, ten seeds": explained(
                truth, law.predict(three[1], measure, float(delta), numbers)
            ),
            "smooth, three properties": explained(
                truth, smooth(3).fit(three[0], y).predict(three[1])
            ),
            "smooth, eight dials": explained(truth, smooth(8).fit(eight[0], y).predict(eight[1])),
            "forest, eight dials": explained(truth, forest.fit(eight[0], y).predict(eight[1])),
            "smooth, all eleven": explained(truth, smooth(11).fit(all_[0], y).predict(all_[1])),
        }
    print(pd.DataFrame(rows).T.round(3).to_string())


if __name__ == "__main__":
    main()
