"""Figure 1: what the law predicts, and what networks learn."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.dynamics.activation_law import PROPERTIES, RANGES, predict, properties
from repatlas.networks.activation import activation
from repatlas.networks.drawn import shape
from repatlas.streams import stream

VARIANTS = {name: "samples" if name == "ccgp" else "centres" for name in RANGES}
"""What each measure is computed on."""
FUNCTION = ["function", "activation"]
GROUP = ["functions", "delta", "noise_variance", "step", "measure"]
DRAWS = 10_000
"""Bootstrap samples of functions."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    both = pd.concat([rows["drawn"], rows["named"]], ignore_index=True)
    both = both[both["step"] == step]
    of_law = both[both["measure"].map(VARIANTS) == both["variant"]]
    accuracy = both[(both["measure"] == "accuracy") & (both["variant"] == "test")]
    lost = both[both["variant"] == "diverged"]
    found = _with_predictions(of_law)
    over = [
        _over_functions(dict(zip(GROUP, key, strict=True)), group)
        for key, group in found.groupby(GROUP)
    ]
    return pd.concat([found, accuracy, lost, *over], ignore_index=True)


def _with_predictions(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the properties of their functions, and what the law predicts."""
    functions = rows[FUNCTION].drop_duplicates().reset_index(drop=True)
    known = [
        shape(int(each.function)) if pd.isna(each.activation) else activation(each.activation)
        for each in functions.itertuples()
    ]
    values = np.array([properties(each.value, each.slope) for each in known])
    values = values.reshape(-1, len(PROPERTIES))
    functions[list(PROPERTIES)] = values
    rows = rows.merge(functions, on=FUNCTION).assign(predicted=np.nan)
    for (measure, delta), group in rows.groupby(["measure", "delta"]):
        found = group[list(PROPERTIES)].to_numpy()
        rows.loc[group.index, "predicted"] = predict(found, measure, delta)
    return rows


def _over_functions(key: dict[str, Any], rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows about all functions together, for one measure at one separability.

    "explained" is R^2 of each seed, and "explained by seeds" is R^2 where the median of the other
    seeds is the prediction, a ceiling. "explained of medians" is R^2 of the median over seeds, with
    an interval over functions.
    """
    name = rows["activation"].fillna(rows["function"].astype("string"))
    table = rows.assign(name=name).pivot_table(index="name", columns="seed", values="value")
    predicted = rows.assign(name=name).groupby("name")["predicted"].first()[table.index].to_numpy()
    values = table.to_numpy()  # (functions, seeds)
    common = {each: key[each] for each in GROUP if each != "measure"} | {"variant": key["measure"]}
    # Claims count rows with a run: the networks of a seed together have this name as theirs.
    of_seed = common | {"run": f"{key['functions']} at {key['delta']:g}"}
    made = []
    for column, seed in enumerate(table.columns):
        one = values[:, [column]]
        made.append(of_seed | {"measure": "explained", "seed": seed,
                              "value": float(_explained(one, predicted[:, None])[0])})  # fmt: skip
        others = np.delete(values, column, axis=1)
        if others.shape[1]:
            median = np.median(others, axis=1)[:, None]
            made.append(of_seed | {"measure": "explained by seeds", "seed": seed,
                                  "value": float(_explained(one, median)[0])})  # fmt: skip
    medians = np.median(values, axis=1)
    chosen = stream(0, "functions").integers(len(medians), size=(len(medians), DRAWS))
    drawn = _explained(medians[chosen], predicted[chosen])
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    r2 = float(_explained(medians[:, None], predicted[:, None])[0])
    made.append(common | {"measure": "explained of medians", "value": r2, "low": low, "high": high})
    return pd.DataFrame(made)


def _explained(found: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return R^2 over functions (n,): columns (functions, n) are separate."""
    error = ((found - predicted) ** 2).sum(axis=0)
    total = ((found - found.mean(axis=0)) ** 2).sum(axis=0)
    return 1 - np.divide(error, total, out=np.full(len(error), np.nan), where=total > 0)
