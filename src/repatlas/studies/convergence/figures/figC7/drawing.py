"""Figure C7: generalising and memorising networks, and what is memorised how fast."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.intervals import FEWEST
from repatlas.pairs.floor import FLOOR
from repatlas.plots.spread import numbers_of
from repatlas.plots.style import GREY, Style, counted, finish, letter, say, small_type
from repatlas.studies.convergence.parts import deviations, ends_of, with_deviations
from repatlas.studies.convergence.rows.distances import TYPICAL, UNTRAINED
from repatlas.studies.convergence.rows.networks import LEARNED


class Kind(NamedTuple):
    name: str
    colour: str
    marker: str


KINDS = {
    ("original", True): Kind("Generalising", "#6F3FA0", "o"),
    ("permuted", True): Kind("Memorising", "0.35", "s"),
    ("original", False): Kind("One of each", "black", "^"),
}
"""By the labels of the first network of a pair, and whether the second has the same."""
PANELS = [
    ("pwcca", "both", "train", "PWCCA, training images"),
    ("pwcca", "both", "test", "PWCCA, test images"),
    ("alignment", "debiased", "train", "Debiased alignment, training images"),
]
"""Panel A, and the panels of B; the table has more similarities, and all images together."""
TRUE = (("original", 0.0), ("true labels", "black", "-", ""))
"""Pixels and the share of random labels, with name, colour, line and marker."""
OF_PIXELS = {
    ("shuffled", 0.0): ("shuffled pixels", "0.3", (0, (6, 1.5)), ""),
    ("random", 0.0): ("random pixels", "0.55", (0, (2, 1)), ""),
    ("gaussian", 0.0): ("Gaussian pixels", "0.5", (0, (1, 1)), ""),
}
NOTHING = {
    "slowdown": "No seed fitted both these and true labels",
    "test_error": "No network fitted its images",
}
"""Why a panel has no dot, by measure."""
BESIDE = {"shuffled": 1.3, "random": 1.55, "gaussian": 1.8}
"""Positions of networks whose pixels are changed, to the right of the axis of random labels."""
NAMES = {"gaussian": "Gaussian"}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    corrupted = table["measure"].eq("loss").any()
    heights = [1.35, 1.0] if corrupted else [1.35]
    figure = Figure(figsize=(style.width, 0.42 * sum(heights) * style.width))
    top, *bottom = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    left, right = top.subfigures(1, 2, width_ratios=[1.35, 1])
    letter(left, "A")
    letter(right, "B")
    axes = [left.subplots(), *right.subplots(2, 1, sharex=True)]
    means = with_deviations(table[table["contrast"] == TYPICAL], _compared(table))
    for ax, (measure, variant, items, title) in zip(axes, PANELS, strict=True):
        rows = means[(means["measure"] == measure) & (means["items"] == items)]
        _draw_distances(ax, rows, variant)
        ax.set_title(title)
    axes[0].set_ylabel("Distance (1 \N{MINUS SIGN} similarity)")
    axes[1].tick_params(axis="x", labelbottom=False)
    for ax in axes[::2]:
        ax.set_xlabel("Layer")
    handles = axes[0].get_legend_handles_labels()
    if handles[0]:
        top.legend(*handles, loc="outside lower center", ncols=5, handlelength=1.8)

    for part in bottom:
        _draw_corrupted(part, table)
    note = _note(table)
    finish(figure, table, style, f"{note} {_note_of_corrupted(table)}" if corrupted else note)
    return figure


def _draw_corrupted(bottom: Any, table: pd.DataFrame) -> None:
    parts = bottom.subfigures(1, 3, width_ratios=[1.15, 1, 1])
    for part, mark in zip(parts, "CDE", strict=True):
        letter(part, mark)
    _draw_losses(parts[0], table)
    _draw_beside(
        parts[1].subplots(), table, "slowdown", "Passes to fit, over\nthose of true labels"
    )
    ax = parts[2].subplots()
    _draw_beside(ax, table, "test_error", "Test error when fitted")
    ax.axhline(0.9, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    ax.annotate("chance", (0.02, 0.9), xycoords=ax.get_yaxis_transform(), xytext=(0, 2),
                textcoords="offset points", color=GREY, size=small_type(), ha="left",
                va="bottom")  # fmt: skip


def _draw_distances(ax: Any, rows: pd.DataFrame, variant: str) -> None:
    """Draw the distance of two networks by layer, with its standard deviation over pairs.

    Guides are the distance before training, when labels make no difference, and the noise floor of
    generalising networks.
    """
    rows = rows[rows["reduction"].isin(["", "pooled"])]
    shown = rows[rows["variant"] == variant]
    if shown.empty:
        say(ax, "Not measured")
        return
    for (labels, same), kind in KINDS.items():
        own = _rows_of_type(shown, labels, same)
        trained = own[own["step"] > UNTRAINED].sort_values("layer")
        ax.errorbar(trained["layer"], trained["value"], trained["sd"], color=kind.colour,
                    marker=kind.marker, markersize=3, elinewidth=0.7, label=kind.name)  # fmt: skip
    before = _rows_of_type(shown, "original", True)
    before = before[before["step"] == UNTRAINED].sort_values("layer")
    ax.plot(before["layer"], before["value"], color=GREY, linewidth=0.8, linestyle=(0, (3, 1.5)),
            label="untrained")  # fmt: skip
    floors = _rows_of_type(rows[rows["variant"] == f"{variant}{FLOOR}"], "original", True)
    floors = floors[floors["step"] > UNTRAINED].sort_values("layer")
    ax.plot(floors["layer"], floors["value"], color=GREY, linewidth=0.8, linestyle=":",
            label="other items (floor)")  # fmt: skip
    named = shown.drop_duplicates("layer").sort_values("layer")
    names = [name.removeprefix("hidden").replace("conv", "c") for name in named["layer_name"]]
    ax.set_xticks(named["layer"], names)
    ax.set_ylim(0, max(1.0, *ax.get_ylim()))


def _rows_of_type(rows: pd.DataFrame, labels: str, same: bool) -> pd.DataFrame:
    return rows[(rows["labels"] == labels) & ((rows["run"] == rows["other_run"]) == same)]


def _conditions(rows: pd.DataFrame) -> pd.Series:
    """Return pixels and the share of random labels of each row."""
    share = rows["corrupted"].astype(float).where(rows["labels"] == "random", 0.0)
    return pd.Series(list(zip(rows["pixels"], share, strict=True)), rows.index)


def _looks(shares: list[float]) -> dict[tuple[str, float], tuple]:
    """Return name, colour, line and marker by pixels and the share of random labels. Only the
    largest share has a look, as in the paper's figure."""
    looks = dict([TRUE])
    for share in shares[-1:]:
        name = "random labels" if share == 1 else f"{100 * share:.3g} % random labels"
        looks["original", share] = (name, "#6F3FA0", "-", "o")
    return looks | OF_PIXELS


def _draw_losses(part: Any, table: pd.DataFrame) -> None:
    ax = part.subplots()
    rows = table[(table["measure"] == "loss") & (table["contrast"] == "mean")]
    of = _conditions(rows)
    shares = sorted({share for _, share in of if share > 0})
    for key, (name, colour, line, marker) in _looks(shares).items():
        curve = rows[of == key].sort_values("step")
        curve = curve[curve["step"] > 0]
        if len(curve):
            ax.plot(curve["step"], curve["value"], color=colour, linestyle=line, label=name,
                    marker=marker, markersize=2.5, markevery=0.12)  # fmt: skip
    if rows.empty:
        say(ax, "Not measured")
        return
    ax.set(xscale="log", yscale="log", xlabel="Training step", ylabel="Training loss")
    part.legend(loc="outside lower center", ncols=2, handlelength=1.6, columnspacing=0.8)


def _draw_beside(ax: Any, table: pd.DataFrame, measure: str, label: str) -> None:
    """Draw the median over networks by the share of random labels and, to the right, for changed
    pixels.

    FEWEST or more networks have bars from the smallest to the largest value.
    """
    rows = table[table["measure"] == measure]
    defined = rows[np.isfinite(rows["value"].astype(float))]
    if defined.empty:
        say(ax, NOTHING[measure] if len(rows) else "Not measured")
        return
    place = defined["at"].fillna(defined["pixels"].map(BESIDE)).astype(float)
    found = defined.groupby(place)["value"].agg(["median", "min", "max", "count"])
    ends = found[["min", "max"]].where(found["count"] >= FEWEST)
    of_labels = found[found.index <= 1]
    ax.plot(of_labels.index, of_labels["median"], color="black")
    ax.errorbar(found.index, found["median"],
                [found["median"] - ends["min"], ends["max"] - found["median"]],
                fmt="o", color="black", markersize=3, elinewidth=0.8)  # fmt: skip
    ticks = [*found.index]
    names = {at: NAMES.get(pixels, pixels) for pixels, at in BESIDE.items()}
    ax.set_xticks(ticks, [names.get(at, f"{100 * at:.3g} %") for at in ticks], rotation=90)
    ax.set(ylabel=label, xlabel="Random labels; pixels")
    ax.set_ylim(bottom=0)


def _note_of_corrupted(table: pd.DataFrame) -> str:
    """Return the sentence about the panels of networks whose images or labels are changed."""
    rows = table[table["measure"].isin(NOTHING)]
    numbers = numbers_of(rows[np.isfinite(rows["value"].astype(float))], ["run", "measure"])
    most = int(numbers.max()) if len(numbers) else 0
    if most < FEWEST:
        return f"D, E: medians, no range: {counted(most)}, {FEWEST} needed."
    return "D, E: median, smallest and largest over networks."


def _compared(table: pd.DataFrame) -> pd.DataFrame:
    """Return the last rows of the networks whose pairs are shown."""
    ends = ends_of(table)
    return ends[ends["corrupted"].isna() & (ends["value"] >= LEARNED)]


def _note(table: pd.DataFrame) -> str:
    accuracies = table[(table["measure"] == "accuracy") & table["corrupted"].isna()]
    pairs = accuracies[accuracies["images"].notna()]
    parts = [
        f"A, B: median over pairs of networks of different seeds, {deviations(_compared(table))}."
    ]
    for labels, name in (("original", "generalising"), ("permuted", "memorising")):
        own = pairs[(pairs["labels"] == labels) & (pairs["depth"] == table["depth"].max())]
        of = {v: own.loc[own["variant"] == v, "value"] for v in ("training", "test")}
        if len(of["training"]):
            lost = int((of["training"] < LEARNED).sum())
            tested = f", test accuracy {of['test'].median():.2f}" if len(of["test"]) else ""
            parts.append(
                f"{name.capitalize()} networks: {len(of['training'])}, least training accuracy "
                f"{of['training'].min():.3f}"
                f"{tested}"
                f"{f'; left out below {LEARNED}: {lost}' if lost else ''}."
            )
    return " ".join(parts)
