"""Figure C8: wide and narrow networks."""

from typing import Any

import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.pairs.floor import FLOOR
from repatlas.plots.marks import GUIDE, add_key, draw_line, look_of, looks_of, set_plain_log
from repatlas.plots.palette import GREY
from repatlas.plots.spread import with_ends
from repatlas.plots.style import Style, activations, finish, letter, page, say, small_type
from repatlas.studies.convergence.parts import deviations, ends_of, with_deviations
from repatlas.studies.convergence.roles import EITHER
from repatlas.studies.convergence.rows.distances import (
    TYPICAL,
    UNTRAINED,
    distances,
    is_floor,
    seed_rows,
    typical,
)
from repatlas.studies.convergence.rows.ends import last_accuracies
from repatlas.studies.convergence.rows.hidden import hidden_layers

FIGURE = Figure(
    "Wide and narrow networks: how far networks of one width are from one another.",
    {
        "widths": Role(
            "The sweep of networks of several widths.",
            {"accuracy"},
            EITHER,
            shown=legend(ACTIVATION) | axis("network.width"),
        ),
    },
    comparisons={
        "among_widths": Pairs(
            "The comparison of the networks of each width.",
            frozenset({"together", "subsets"}),
        ),
    },
    finding=Finding(
        "By PWCCA last layers of wider ReLU networks are more alike; before training they are,"
        " too.",
        {"C17": SUPPORTED, "C17b": CONTRADICTED},
    ),
)
"""The figure shows all networks, also networks that have not learned their images."""
CAPTION = """**Figure C8: wide and narrow** (Morcos et al. 2018, section 3.2). A: the PWCCA distance
of two typical networks of one width, by layer, trained (solid) and before training (dashed). The
noise floor has the images of one network in random order (grey, dotted). Standard deviations are
over all pairs, where there are networks enough ({{ n(facts.widths.seeds | reject("equalto", 0) |
list) }} of each width; {{ hidden(facts.widths) }}, on all images of {{
listed(facts.widths.data_set) }}{{ "; of convolutions the items are positions, at most 5,000" if
facts.widths.kind == ["small_cnn"] }}). Canonical correlations of unrelated layers grow with their
width, so wide networks are similar without training. B: the distance at the last hidden layer
divided by the distance of the same pair before training, also of 8 random units of each network.
The table has 8 leading directions and debiased alignment, too. C: the distance of each network to
the networks of its width against its test accuracy. All networks are shown, whatever their
accuracy. {{ lost }}"""

RATIO = ", trained / untrained"
"""Ends the variant of a ratio of distances."""
PAIR = [
    "run",
    "seed",
    "other_run",
    "other_seed",
    "layer",
    "items",
    "reduction",
    "measure",
    "variant",
]
"""The columns that identify a row, except the step."""
BY_ACCURACY = ", by test accuracy"
"""Ends the variant of rows whose `at` is the test accuracy of the seed's network."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    accuracies = last_accuracies(rows["widths"])
    found = distances(rows["among_widths"])
    pairs = found[~is_floor(found)]
    ratios = trained_over_untrained(pairs)
    seeds = seed_rows(pairs)
    parts = [accuracies, seeds, typical(found), seed_rows(ratios), typical(ratios),
             by_accuracy(seeds, accuracies)]  # fmt: skip
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def trained_over_untrained(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows after step 0, with each pair's distance divided by its distance at step 0.

    The floor of canonical correlations grows with the width, and both distances include it.
    """
    before = pairs[pairs["step"] == UNTRAINED].set_index(PAIR)["value"]
    after = pairs[pairs["step"] > UNTRAINED]
    ratio = after["value"] / after.set_index(PAIR).index.map(before)
    return after.assign(value=ratio, variant=after["variant"] + RATIO).dropna(subset="value")


def by_accuracy(seeds: pd.DataFrame, accuracies: pd.DataFrame) -> pd.DataFrame:
    """Return PWCCA distances of seeds at the last hidden layer after training.

    `at` is the test accuracy of their network.
    """
    chosen = (seeds["measure"] == "pwcca") & (seeds["step"] > UNTRAINED)
    own = seeds[chosen & (seeds["layer"] == hidden_layers(seeds))]
    tests = accuracies[accuracies["variant"] == "test"]
    tests = tests[["run", "seed", "value"]].rename(columns={"value": "accuracy"})
    found = own.merge(tests, on=["run", "seed"])
    named = found.assign(at=found["accuracy"], variant=found["variant"] + BY_ACCURACY)
    return named.drop(columns="accuracy")


RATIOS = {
    ("pwcca", "both"): "PWCCA",
    ("subsets", "pwcca"): "PWCCA, 8 units",
}
"""The panels of B, which claims are about; the table has SVCCA and debiased alignment, too."""

KINDS = {"trained": "-", "untrained": (0, (3, 1.5)), "floor": ":"}
"""The dashes of the curves of A."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    ends = ends_of(table)
    table = with_deviations(table, ends)
    figure = page(style, 0.86 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.3, 1])
    means = table[table["contrast"] == TYPICAL]
    letter(top, "A")
    pwcca = means[(means["measure"] == "pwcca") & means["reduction"].isin(["", "spatial"])]
    layers = sorted(pwcca["layer"].dropna().unique())
    axes = top.subplots(1, max(len(layers), 1), sharey=True, squeeze=False)[0]
    for ax, layer in zip(axes, layers, strict=False):
        _draw_widths(ax, pwcca[pwcca["layer"] == layer], style)
        ax.set(title=f"Layer {layer:.0f}", xlabel="Width", ylim=(0, 1))
    axes[0].set_ylabel("PWCCA distance")
    if not layers:
        say(axes[0], "Not measured")

    left, right = bottom.subfigures(1, 2, width_ratios=[1.7, 1])
    letter(left, "B")
    last = max(layers, default=0)
    panels = left.subplots(1, len(RATIOS), sharey=True)
    for ax, ((measure, variant), title) in zip(panels, RATIOS.items(), strict=True):
        rows = means[(means["measure"] == measure) & (means["variant"] == variant + RATIO)]
        _draw_ratios(ax, rows[rows["layer"] == last], style)
        ax.set(title=title, xlabel="Width")
    panels[0].annotate("as untrained", (0.02, 1), xycoords=panels[0].get_yaxis_transform(),
                       xytext=(0, 2), textcoords="offset points", color=GREY,
                       size=small_type())  # fmt: skip
    panels[0].set_ylabel(f"Distance at layer {last:.0f},\ntrained over untrained")
    letter(right, "C")
    ax = right.subplots()
    _draw_accuracies(ax, table, style)
    looks = looks_of(activations(table), style)
    kinds = {name: {"color": GREY, "linestyle": line} for name, line in KINDS.items()}
    add_key(top, looks | kinds, loc="outside lower center", ncols=5)
    number = table.loc[table["measure"] == "accuracy", "seed"].nunique()
    finish(
        figure,
        table,
        style,
        f"Two typical networks of the {number} of each width,"
        f" {deviations(ends, ' over pairs, not an error')}; "
        "all are shown, whatever their accuracy. Floor: the images of one of them in random order. "
        "C: a dot is a network, its distance the pseudo-value over its pairs at the last hidden "
        "layer; large ones are medians of a width, the larger the wider.",
    )
    return figure


def _draw_widths(ax: Any, rows: pd.DataFrame, style: Style) -> None:
    for activation in activations(rows):
        look = look_of(activation, style) | {"markevery": None}
        own = rows[rows["activation"] == activation]
        floor, trained = own["variant"].str.endswith(FLOOR), own["step"] > UNTRAINED
        both = ~floor & own["variant"].eq("both")
        draw_line(ax, with_ends(own[both & trained]), "width", bars=0.7, **look)
        thin = {"linestyle": KINDS["untrained"], "linewidth": 0.8}
        draw_line(ax, own[both & ~trained].drop(columns=["low", "high"]), "width", **look | thin)
        thin = {"linestyle": KINDS["floor"], "linewidth": 0.8}
        draw_line(ax, own[floor & trained], "width", color=GREY, **thin)
    _scale(ax, rows)


def _draw_ratios(ax: Any, rows: pd.DataFrame, style: Style) -> None:
    if rows.empty:
        say(ax, "Not measured")
    for activation in activations(rows):
        own = with_ends(rows[rows["activation"] == activation])
        draw_line(ax, own, "width", bars=0.7, **look_of(activation, style) | {"markevery": None})
    _scale(ax, rows)
    ax.axhline(1, **GUIDE)
    # Where untrained layers are nearly the same, a ratio is far above the others.
    set_plain_log(ax, (1, 2, 5))


def _draw_accuracies(ax: Any, table: pd.DataFrame, style: Style) -> None:
    rows = table[table["variant"].str.endswith(BY_ACCURACY)].dropna(subset=["value", "at"])
    if rows.empty:
        say(ax, "Not measured")
        return
    for activation in activations(rows):
        own = rows[rows["activation"] == activation]
        look = look_of(activation, style) | {"markevery": None, "linestyle": "none"}
        ax.plot(own["at"], own["value"], alpha=0.5, **look | {"markersize": 1.4})
        of_width = own.groupby("width")[["at", "value"]].median()
        ax.plot(of_width["at"], of_width["value"], color=look["color"], linewidth=0.5)
        for rank, (at, value) in enumerate(of_width.to_numpy(float)):
            ax.plot(at, value, **look | {"markersize": 3 + 0.7 * rank})
    ax.set(xlabel="Test accuracy", ylabel="PWCCA distance", title="By accuracy")


def _scale(ax: Any, rows: pd.DataFrame) -> None:
    """Set an axis of widths with a scale of powers of 2."""
    widths = sorted(rows["width"].dropna().unique())
    ax.set_xscale("log", base=2)
    ax.set_xticks([float(width) for width in widths], [f"{width:.0f}" for width in widths])
    ax.minorticks_off()
