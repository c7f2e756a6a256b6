"""What figures of networks on images say of them (Figures 4C and S6)."""

import pandas as pd

from repatlas.inference.pooling import not_diverged
from repatlas.plots.spread import describe_sd
from repatlas.plots.words import listed

DATA_SETS = {
    "digits": "Digits",
    "cifar10": "CIFAR-10",
    "stl10": "STL-10",
    "fashion_mnist": "Fashion-MNIST",
}
PAPERS = ("cifar10", "stl10")
"""The data sets that the paper has."""
ARCHITECTURES = {"small_cnn": "CNN", "resnet18": "ResNet-18"}
NO_IMAGES = "The config names no images"


def name_of(data_set: str, rows: pd.DataFrame) -> str:
    """Return the name of a data set for a panel. It states if the data set is not the paper's, or
    only a part of it."""
    own = rows[rows["dataset"] == data_set]
    if data_set not in PAPERS:
        return f"{DATA_SETS[data_set]}, not the paper's"
    is_part = bool((own["images"] < own["published"]).any())
    return DATA_SETS[data_set] + ", a subset" * is_part


def last_epoch(rows: pd.DataFrame) -> pd.DataFrame:
    last = rows.groupby(["dataset", "architecture"])["step"].transform("max")
    return rows[rows["step"] == last]


def cells(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of data set and architecture that the rows have."""
    return [
        (data_set, architecture)
        for data_set in DATA_SETS
        for architecture in ARCHITECTURES
        if ((rows["dataset"] == data_set) & (rows["architecture"] == architecture)).any()
    ]


def number_of_networks(rows: pd.DataFrame, with_sd: bool = False) -> str:
    """Return the number of networks of each kind in words, with the pairs of classes.

    If with_sd, it is the number that the mean and its standard deviation are over.
    """
    numbers = not_diverged(rows).groupby(["dataset", "architecture"])["seed"].nunique()
    found = sorted(numbers.unique())
    if not found:
        return "no network is left"
    if found == [1]:
        text = "values of 1 network" + ", so no SD" * with_sd
    elif with_sd:
        text = f"mean over {listed(found, 'or')} networks, {describe_sd(numbers)}"
    else:
        text = f"{listed(found, 'or')} networks of each kind"
    pairings = sorted(rows["pairing"].dropna().unique())
    if len(pairings) > 1:
        return f"{text}, each a mean over fixed and random pairs of classes"
    return f"{text}, {pairings[0]} pairs of classes"


def sizes(rows: pd.DataFrame) -> str:
    """Return the number of training images in words, and the number that they are a subset of."""
    counts = ["images", "published", "test_images", "test_published"]
    each = rows[["dataset", *counts]].drop_duplicates().sort_values("dataset")
    parts = []
    for _, size in each.iterrows():
        text = f"{DATA_SETS[size['dataset']]}, {int(size['images']):,} training images"
        if size["images"] < size["published"]:
            text += f" (subset of {int(size['published']):,})"
        if size["test_images"] < size["test_published"]:
            text += f", {int(size['test_images']):,} held out"
            text += f" (subset of {int(size['test_published']):,})"
        parts.append(text)
    return "; ".join(parts)
