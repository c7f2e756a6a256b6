"""Figure C6: which layers tell which classes."""

import numpy as np
import pandas as pd

from repatlas.studies.convergence.columns import SETTINGS
from repatlas.studies.convergence.rows.hidden import hidden_layers
from repatlas.studies.convergence.rows.networks import accuracies, learned

NETWORK = ["run", "seed", "step", *SETTINGS]
PAIRS = 3
"""Pairs of classes that count as similar: those whose logits correlate most."""
NAMED = {"fashion_mnist": [(0, 6), (7, 9)], "cifar10": [(1, 9), (3, 5)]}
"""Similar classes of data sets whose class names are known: T-shirt and shirt, sneaker and ankle
boot; automobile and truck, cat and dog."""
DISTINCT = {"fashion_mnist": 1}
"""A class that is like no other: trousers."""
SIMILAR, OTHER = "similar", "other"


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    narrow = rows["narrow"]
    whole = learned(narrow)
    # Logits are linear in the last hidden layer, so R is 1 there except for rounding.
    between = (whole["layer"] > 0) & (whole["layer"] < hidden_layers(whole))
    curves = whole[(whole["measure"] == "class_correlation") & between]
    logits = whole[whole["measure"] == "logit_correlation"]
    parts = [accuracies(narrow), curves, mean_curves(curves)]
    for data_set, own in curves.groupby("data_set"):
        of_data_set = logits[logits["data_set"] == data_set]
        parts += [
            curve_differences(own, of_data_set, data_set),
            similar_rows(of_data_set, data_set),
            distinct(own, data_set),
        ]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def mean_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over classes at each layer, for each network."""
    by = [*NETWORK, "layer", "variant"]
    found = curves.groupby(by, dropna=False, sort=False)["value"].mean().reset_index()
    return found.assign(measure="mean_class_correlation")


def most_similar(logits: pd.DataFrame, data_set: str) -> list[tuple[int, int]]:
    """Return the pairs of similar classes.

    They are the pairs that have names, or else the pairs whose logits correlate most in these
    networks, on average.
    """
    if data_set in NAMED:
        return NAMED[data_set]
    means = logits.groupby(["cluster", "other_cluster"])["value"].mean()
    best = means.sort_values(ascending=False, kind="stable").index[:PAIRS]
    return [(int(a), int(b)) for a, b in best]


def curve_differences(curves: pd.DataFrame, logits: pd.DataFrame, data_set: str) -> pd.DataFrame:
    """Return the mean difference of the correlations of similar and of other pairs, for each
    network.

    The mean is over layers and pairs of classes.

    The first half of the networks chooses similar pairs for the second half, and the second for the
    first. So no network is judged by pairs that it chose.
    """
    seeds = sorted(curves["seed"].unique())
    halves = set(seeds[: len(seeds) // 2]), set(seeds[len(seeds) // 2 :])
    found = []
    for own, others in (halves, halves[::-1]):
        chosen = logits[logits["seed"].isin(others)]
        if chosen.empty and data_set not in NAMED:
            continue
        similar = most_similar(chosen, data_set)
        of_half = curves[curves["seed"].isin(own)]
        for _, network in of_half.groupby(["run", "seed"]):
            table = network.pivot_table(index="cluster", columns="layer", values="value")
            values = table.to_numpy(float)
            distance = np.abs(values[:, None] - values[None]).mean(axis=2)
            first, second = np.triu_indices(len(values), 1)
            labels = table.index.to_numpy(int)
            pairs = zip(labels[first].tolist(), labels[second].tolist(), strict=True)
            is_similar = np.array([pair in similar for pair in pairs])
            about = network.iloc[0][NETWORK].to_dict() | {"measure": "curve_difference"}
            kinds = {SIMILAR: is_similar, OTHER: ~is_similar}
            found += [
                about | {"variant": name, "value": float(distance[first, second][kind].mean())}
                for name, kind in kinds.items()
            ]
    return pd.DataFrame(found)


def similar_rows(logits: pd.DataFrame, data_set: str) -> pd.DataFrame:
    """Return the similar pairs by all networks, with the mean correlation of their logits, for the
    drawing."""
    means = logits.groupby(["cluster", "other_cluster"])["value"].mean()
    return pd.DataFrame(
        {"measure": "similar_pair", "variant": "all networks", "data_set": data_set,
         "cluster": a, "other_cluster": b, "value": means.get((a, b)), "contrast": "mean"}
        for a, b in most_similar(logits, data_set)
    )  # fmt: skip


def distinct(curves: pd.DataFrame, data_set: str) -> pd.DataFrame:
    """Return the correlation of the distinct class at the first layer minus the mean of the others.

    There is a value for each network, and none for data sets without a class that is known to be
    distinct.
    """
    if data_set not in DISTINCT:
        return curves[:0]
    first = curves[curves["layer"] == curves["layer"].min()]
    is_distinct = first["cluster"] == DISTINCT[data_set]
    own = first[is_distinct]
    others = first[~is_distinct].groupby(["run", "seed"])["value"].mean()
    rest = pd.MultiIndex.from_frame(own[["run", "seed"]]).map(others)
    return own.assign(measure="distinct_class", value=own["value"].to_numpy() - rest.to_numpy())
