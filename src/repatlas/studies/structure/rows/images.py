"""What figures show of networks on images (Figure 4C and its supplement)."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds


def drawn_measures(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all measures except participation ratios, which no figure draws."""
    return rows[~rows["measure"].str.endswith("participation_ratio")]


def bar_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of Figure 4C, before and after training, for the last layer.

    Differences between the activations are there, too.
    """
    shown = last_layer(drawn_measures(rows))
    return pd.concat([shown, effects(shown)], ignore_index=True)


def effects(rows: pd.DataFrame) -> pd.DataFrame:
    """Return tanh - ReLU for each architecture and data set, with its interval over seeds. The
    value of a seed is its mean over pairings of classes."""
    by = ["dataset", "architecture", "images", "published", "test_images", "test_published"]
    by += ["clusters", "targets", "depth", "step", "measure", "variant", "layer"]
    refuse_mixed_kinds(not_diverged(rows), [*by, "activation", "pairing"])
    values = not_diverged(rows).groupby([*by, "activation", "seed"], dropna=False)["value"]
    of_seed = values.agg(lambda each: each.mean(skipna=False)).reset_index()
    return median_rows(tanh_minus_relu(of_seed, by), by).assign(contrast=TANH_RELU)


def last_layer(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are about the last layer, and the rows that are about no layer."""
    last = rows.groupby(["dataset", "architecture"])["layer"].transform("max")
    return rows[rows["layer"].isna() | (rows["layer"] == last)]
