"""Panels of networks on images: bars with standard errors over initialisations (Figure 4C)."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.style import Style, activation_name, activations, say
from repatlas.plots.words import listed, why_nothing

MEASURES = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
    "accuracy": "Test accuracy",
}
DATA_SETS = {
    "digits": "Digits",
    "cifar10": "CIFAR-10",
    "stl10": "STL-10",
    "fashion_mnist": "Fashion-MNIST",
}
ARCHITECTURES = {"small_cnn": "CNN", "resnet18": "ResNet-18"}
CHANCE = {"ccgp": 0.5, "accuracy": 0.2}


NO_IMAGES = "The config names no images"


def draw_images(part: Any, rows: pd.DataFrame, style: Style) -> None:
    """A panel for each measure, a pair of bars for each architecture and data set."""
    if not len(rows):
        ax = part.subplots()
        ax.set_axis_off()
        say(ax, NO_IMAGES)
        return
    shown = not_diverged(last_epoch(rows[rows["contrast"].isna()]))
    names, bars = activations(rows), cells(rows)
    axes = part.subplots(1, len(MEASURES))
    for ax, (measure, title) in zip(axes, MEASURES.items(), strict=True):
        of_measure = shown[shown["measure"] == measure]
        for number, activation in enumerate(names):
            of_activation = of_measure[of_measure["activation"] == activation]
            means, errors = zip(*(mean_and_error(of_activation, *c) for c in bars), strict=True)
            places = np.arange(len(bars)) + (number - (len(names) - 1) / 2) * 0.8 / len(names)
            ax.bar(
                places,
                means,
                yerr=errors,
                width=0.8 / len(names),
                color=style.colours[activation],
                label=activation_name(activation),
                error_kw={"elinewidth": 0.6},
            )
        if not of_measure["value"].notna().any():
            say(ax, why_nothing(rows))
        if measure in CHANCE:
            ax.axhline(CHANCE[measure], color="0.3", linewidth=0.6, linestyle=":")
        labels = [f"{ARCHITECTURES[a]},\n{DATA_SETS[d]}" for d, a in bars]
        ax.set_xticks(range(len(bars)), labels, rotation=60, ha="right", rotation_mode="anchor")
        lowest = np.nanmin([0, *(bar.get_height() for bar in ax.patches)])
        ax.set(title=title, ylim=(1.05 * lowest, 1.05))
    # Bars leave no room inside.
    part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower right", ncols=len(names))


def last_epoch(rows: pd.DataFrame) -> pd.DataFrame:
    last = rows.groupby(["dataset", "architecture"])["step"].transform("max")
    return rows[rows["step"] == last]


def mean_and_error(rows: pd.DataFrame, data_set: str, architecture: str) -> tuple[float, float]:
    """Mean and standard error over seeds; a seed's value is its mean over pairings of classes."""
    cell = rows[(rows["dataset"] == data_set) & (rows["architecture"] == architecture)]
    refuse_pooling(cell, ["seed", "pairing"])
    values = cell.groupby("seed")["value"].mean()
    return values.mean(), values.std() / np.sqrt(len(values))


def cells(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Data set and architecture of each bar."""
    return [
        (data_set, architecture)
        for data_set in DATA_SETS
        for architecture in ARCHITECTURES
        if ((rows["dataset"] == data_set) & (rows["architecture"] == architecture)).any()
    ]


def image_note(rows: pd.DataFrame) -> str:
    """What the bars are, and of how many images."""
    if not len(rows):
        return f"C: {NO_IMAGES[0].lower()}{NO_IMAGES[1:]}."
    return (
        f"C: {initialisations(rows, 'standard error')}; last hidden layer, held-out "
        f"images; dotted: chance. {sizes(rows)}."
    )


def initialisations(rows: pd.DataFrame, spread: str) -> str:
    """Over how many initialisations the mean and this measure of their spread are, with which pairs
    of classes, in words."""
    numbers = not_diverged(rows).groupby(["dataset", "architecture"])["seed"].nunique()
    found = sorted(numbers.unique())
    if not found:
        return "no network is left"
    if found == [1]:
        text = f"values of 1 initialisation, so no {spread}"
    else:
        text = f"mean and {spread} over {listed(found, 'or')} initialisations"
    pairings = sorted(rows["pairing"].dropna().unique())
    if len(pairings) > 1:
        return f"{text}, each a mean over fixed and random pairs of classes"
    return f"{text}, {pairings[0]} pairs of classes"


def sizes(rows: pd.DataFrame) -> str:
    """How many training images there are, and of how many they are a subset."""
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
