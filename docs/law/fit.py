"""Fit the law of activation functions, and predict functions that were not in the fit.

python docs/law/fit.py METRICS      METRICS: the folder `metrics` of a run of config/law.yaml

Side effects: writes activation_law.json of the package, and predictions.csv next to this file. It
reads networks of the sweep `explored` only. It prints R^2 of ten-fold cross-validation over
functions.
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from repatlas.dynamics import activation_law as law
from repatlas.experiments.drawn.spec import Grid
from repatlas.networks.activation import activation
from repatlas.networks.drawn import shape

ROOT = Path(__file__).parents[2]
HELD_OUT = range(800, 1000)
NAMED = ("gelu", "silu", "mish", "elu", "softplus", "swish", "hard_tanh")
MEASURES = {name: "samples" if name == "ccgp" else "centres" for name in law.RANGES}
FOLDS = 10
SEEDS = 3
"""The law was fitted to seeds 0 to 2 of the explored functions, and fixed before the test. Seeds 3
to 9 came later (afterwards.py)."""


def medians(metrics: Path, name: str, seeds: int | None = None) -> pd.DataFrame:
    """Return the median over seeds of each measure of a sweep: a row for each function, a column
    for each measure at each separability. seeds: the number of seeds, all if None."""
    text = (ROOT / "config/law.yaml").read_text(encoding="utf-8")
    sweep = yaml.safe_load(text)["sweeps"][name]
    grid = Grid(**{key: sweep[key] for key in Grid.model_fields if key in sweep})
    specs = {spec.key: spec for spec in grid.specs()}
    rows = pd.concat(pd.read_parquet(path) for path in sorted(metrics.rglob("*.parquet")))
    rows = rows[rows["run"].isin(specs) & (rows["step"] == max(grid.steps))]
    rows = rows[rows["measure"].map(MEASURES) == rows["variant"]]
    if seeds is not None:
        rows = rows[rows["seed"] < seeds]
    rows["function"] = [specs[run].network.function for run in rows["run"]]
    rows["of"] = [
        f"{measure} at {specs[run].task.delta:g}"
        for measure, run in zip(rows["measure"], rows["run"], strict=True)
    ]
    return rows.pivot_table(index="function", columns="of", values="value", aggfunc="median")


def explained(found: np.ndarray, predicted: np.ndarray) -> float:
    """Return R^2, the part of the variance over functions that a prediction explains."""
    return 1 - ((found - predicted) ** 2).sum() / ((found - found.mean()) ** 2).sum()


def cross_validated(found: np.ndarray, values: pd.DataFrame) -> pd.Series:
    """Return R^2 of each column, for functions that were left out of the fit."""
    fold = np.random.default_rng(0).permutation(len(found)) % FOLDS
    predicted = values.copy()
    for number in range(FOLDS):
        inside, outside = fold != number, fold == number
        numbers = law.fit(found[inside], {name: y[inside].to_numpy() for name, y in values.items()})
        for name in values:
            measure, delta = name.split(" at ")
            predicted.loc[outside, name] = law.predict(
                found[outside], measure, float(delta), numbers
            )
    return pd.Series({name: explained(values[name], predicted[name]) for name in values})


def main() -> None:
    values = medians(Path(sys.argv[1]), "explored", SEEDS)
    found = np.array([law.properties(shape(n).value, shape(n).slope) for n in values.index])
    print(cross_validated(found, values).round(3).to_string())
    numbers = law.fit(found, {name: y.to_numpy() for name, y in values.items()})
    law.NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")

    functions = {str(number): shape(number) for number in HELD_OUT}
    functions |= {name: activation(name) for name in NAMED}
    inside = np.array([law.properties(each.value, each.slope) for each in functions.values()])
    predicted = {}
    for name in values:
        measure, delta = name.split(" at ")
        predicted[name] = law.predict(inside, measure, float(delta), numbers)
    with (Path(__file__).parent / "predictions.csv").open("w", encoding="utf-8", newline="") as to:
        table = csv.writer(to, lineterminator="\n")
        table.writerow(["function", *law.PROPERTIES, *predicted])
        for i, name in enumerate(functions):
            numbers_of = [*inside[i], *(column[i] for column in predicted.values())]
            table.writerow([name, *(f"{x:.4f}" for x in numbers_of)])


if __name__ == "__main__":
    main()
