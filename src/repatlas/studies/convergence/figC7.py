"""Figure C7: generalising and memorising networks, and what is memorised how fast."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.experiments.classification.columns import COLUMNS
from repatlas.figures.figure import Alike, Figure, Finding, Pairs
from repatlas.figures.fits import at_most
from repatlas.figures.role import Role, legend, networks
from repatlas.inference.intervals import FEWEST
from repatlas.pairs.floor import FLOOR
from repatlas.plots.marks import draw_line, guide
from repatlas.plots.palette import BLACK, DARK, GREY, LIGHT, PURPLE
from repatlas.plots.spread import numbers_of, with_ends
from repatlas.plots.style import Style, counted, finish, letter, page, say
from repatlas.record import refuse
from repatlas.studies.convergence.parts import deviations, ends_of, with_deviations
from repatlas.studies.convergence.roles import EITHER
from repatlas.studies.convergence.rows.distances import (
    TYPICAL,
    UNTRAINED,
    distances,
    is_floor,
    learned_pairs,
    seed_rows,
    typical,
)
from repatlas.studies.convergence.rows.ends import last_accuracies
from repatlas.studies.convergence.rows.networks import LEARNED, learned, means

ORIGINAL = {"task.labels": ("original",), "task.pixels": ("original",)}
DISTANCES = frozenset({"together"})


def _one_change(where: str, sweeps: dict) -> None:
    """Refuse networks whose labels and pixels are changed, which have no place on the axis."""
    found = networks(sweeps)
    for each in found:
        if each["task.labels"] == "random" and each["task.pixels"] != "original":
            refuse(
                f"{where}: found task.labels random with task.pixels {each['task.pixels']},"
                " allowed: random labels or changed pixels, which the figure shows apart"
            )


FIGURE = Figure(
    "Networks that generalise and networks that memorise: how far they are from one another, and"
    " how corrupted labels and pixels are learned.",
    {
        "generalising": Role(
            "The sweep of networks that learn images with their labels.",
            {"accuracy"},
            EITHER | ORIGINAL,
            shown={},
        ),
        "memorising": Role(
            "The sweep of those that learn the same images with the labels in another order.",
            {"accuracy"},
            EITHER | {"task.labels": ("permuted",), "task.pixels": ("original",)},
            shown={},
        ),
        "corrupted": Role(
            "The sweep of those whose labels are partly random, or whose pixels are changed.",
            {"accuracy", "learning_curves", "loss"},
            EITHER | {"task.labels": ("original", "random")},
            shown=legend("task.labels", "task.corrupted", "task.pixels"),
            fits=(
                at_most({"task.corrupted": 6}),
                _one_change,
            ),
            optional=True,
        ),
    },
    comparisons={
        "among_generalising": Pairs("The comparison of generalising networks.", DISTANCES),
        "among_memorising": Pairs("The comparison of memorising networks.", DISTANCES),
        "between_both": Pairs(
            "The comparison of generalising networks with memorising ones.", DISTANCES
        ),
    },
    alike=(Alike("memorising", "generalising", ("network", "training", "task.images", "steps")),),
    finding=Finding(
        "Networks that generalise end more alike than networks that memorise.",
        {"C14": SUPPORTED},
    ),
)
CAPTION = """**Figure C7: generalising and memorising** (Morcos et al. 2018, section 3.1; Zhang et
al. 2017, section 2.1). A: the PWCCA distance of two networks that learned the same {{
listed(facts.generalising.images) }} images, by layer{{ " (c: convolution, averaged over its
positions)" if facts.generalising.kind == ["small_cnn"] }}, on these images. Both learned their
labels, both learned the same permutation of the labels, or there is one of each kind. Shown are the
median over pairs, and the standard deviation where there are networks enough ({{
n(facts.generalising.seeds) }} of each kind; {{ activations(facts.generalising) }}, width {{
listed(facts.generalising.width) }}). Where the figure has digits, each pair has its own draw of
images and permutation. Dashed: before training, when labels make no difference. Dotted: the noise
floor, the images of one network in random order. Layers with many units are similar by chance on
few images: unrelated ones are as far as the dotted line, and not 1. B: on test images; and by
debiased alignment, on the training images. The table has SVCCA of 8 directions, unweighted CCA, and
all images together, too. {% if facts.corrupted %} C: training loss, mean over networks, of {{
kind(facts.corrupted) }}, with true labels, with the largest share of random ones, or with changed
pixels. D: passes over the images until all are named right, divided by the passes of the network of
the same seed with true labels. E: the error on test images then. A network that never names all has
no dot. {% endif %} Networks that name less than 99 % of their training images at the end are left
out. {{ lost }}"""

KEYS = ("among_generalising", "among_memorising", "between_both")
NETWORK = ["run", "seed", *COLUMNS]
POINTS = 60
"""Passes at which curves are drawn, as even in their logarithm as whole numbers allow."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    both = pd.concat([rows["generalising"], rows["memorising"]])
    found = [last_accuracies(both)]
    if "corrupted" in rows:
        corrupted = rows["corrupted"]
        found += [last_accuracies(corrupted), *passes_to_fit(learned(corrupted)),
                  loss_curves(corrupted)]  # fmt: skip
    for key in KEYS:
        # Whatever is enough of other images: only who knows these by heart has memorised them.
        pairs = learned_pairs(distances(rows[key]), both, LEARNED)
        found += [seed_rows(pairs[~is_floor(pairs)]), typical(pairs)]
    return pd.concat([part for part in found if len(part)], ignore_index=True)


def passes_to_fit(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Return when each network fits its images.

    "fitted" is the pass after which it first names all its training images as it should, infinite
    if it never does. "slowdown" is this pass divided by the pass of the network of the same seed
    with published labels and pixels. "test_error" is the error after this pass, nan if there is
    none. `at` is the share of random labels, nan if pixels are changed.
    """
    networks = rows[NETWORK].drop_duplicates()
    fitted = rows[rows["measure"] == "fitted"]
    tests = rows[(rows["measure"] == "accuracy_curve") & (rows["variant"] == "test")]
    tests = tests.rename(columns={"value": "accuracy"})
    found = networks.merge(
        fitted[["run", "seed", "step", "value"]], on=["run", "seed"], how="left"
    ).merge(tests[["run", "seed", "step", "accuracy"]], on=["run", "seed", "step"], how="left")
    found["value"] = found["value"].fillna(np.inf)
    share = found["corrupted"].astype(float).where(found["labels"] == "random", 0.0)
    found["at"] = share.where(found["pixels"] == "original")
    usual = found[found["at"] == 0].set_index("seed")["value"]
    with np.errstate(invalid="ignore"):
        slower = found["value"] / found["seed"].map(usual).astype(float)
    error = 1 - found["accuracy"]
    found = found.drop(columns=["accuracy", "step"])
    return [
        found.assign(measure="fitted", variant="training"),
        found.assign(measure="slowdown", variant="passes", value=slower),
        found.assign(measure="test_error", variant="fitted", value=error),
    ]


def loss_curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the training loss, as the mean over networks, at some of the ends of passes."""
    curves = rows[(rows["measure"] == "loss") & (rows["variant"] == "")]
    steps = np.sort(curves["step"].unique())
    if not len(steps):
        return curves
    places = np.unique(np.geomspace(1, len(steps), POINTS).round().astype(int)) - 1
    drawn = curves[curves["step"].isin(steps[places])]
    return means(drawn, ["step", "measure", "variant"])


class Kind(NamedTuple):
    name: str
    colour: str
    marker: str


KINDS = {
    ("original", True): Kind("Generalising", PURPLE, "o"),
    ("permuted", True): Kind("Memorising", DARK, "s"),
    ("original", False): Kind("One of each", BLACK, "^"),
}
"""By the labels of the first network of a pair, and whether the second has the same."""
PANELS = [
    ("pwcca", "both", "train", "PWCCA, training images"),
    ("pwcca", "both", "test", "PWCCA, test images"),
    ("alignment", "debiased", "train", "Debiased alignment, training images"),
]
"""Panel A, and the panels of B; the table has more similarities, and all images together."""
TRUE = (("original", 0.0), ("true labels", BLACK, "-", ""))
"""Pixels and the share of random labels, with name, colour, line and marker."""
OF_PIXELS = {
    ("shuffled", 0.0): ("shuffled pixels", DARK, (0, (6, 1.5)), ""),
    ("random", 0.0): ("random pixels", LIGHT, (0, (2, 1)), ""),
    ("gaussian", 0.0): ("Gaussian pixels", GREY, (0, (1, 1)), ""),
}
NOTHING = {
    "slowdown": "No seed fitted both these and true labels",
    "test_error": "No network fitted its images",
}
"""Why a panel has no dot, by measure."""
BESIDE = {"shuffled": 1.3, "random": 1.55, "gaussian": 1.8}
"""Positions of networks whose pixels are changed, to the right of the axis of random labels."""
NAMES = {"gaussian": "Gaussian"}


def draw(table: pd.DataFrame, style: Style) -> Any:
    corrupted = table["measure"].eq("loss").any()
    heights = [1.35, 1.0] if corrupted else [1.35]
    figure = page(style, 0.42 * sum(heights) * style.width)
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
    guide(ax, 0.9, "chance")


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
        draw_line(ax, with_ends(trained), "layer", bars=0.7, color=kind.colour, marker=kind.marker,
              markersize=3, label=kind.name)  # fmt: skip
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
        looks["original", share] = (name, PURPLE, "-", "o")
    return looks | OF_PIXELS


def _draw_losses(part: Any, table: pd.DataFrame) -> None:
    ax = part.subplots()
    rows = table[(table["measure"] == "loss") & (table["contrast"] == "mean")]
    of = _conditions(rows)
    shares = sorted({share for _, share in of if share > 0})
    for key, (name, colour, line, marker) in _looks(shares).items():
        own = rows[of == key].sort_values("step")
        own = own[own["step"] > 0]
        if len(own):
            ax.plot(own["step"], own["value"], color=colour, linestyle=line, label=name,
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
    groups = defined.groupby(place.rename("place"))["value"]
    found = groups.agg(value="median", low="min", high="max", number="count").reset_index()
    ends = found[["low", "high"]].where(found["number"] >= FEWEST)
    draw_line(ax, found[found["place"] <= 1].drop(columns=["low", "high"]), "place", color=BLACK)
    draw_line(
        ax,
        found.assign(**ends),
        "place",
        bars=0.8,
        color=BLACK,
        linestyle="none",
        marker="o",
        markersize=3,
    )
    ticks = [*found["place"]]
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
