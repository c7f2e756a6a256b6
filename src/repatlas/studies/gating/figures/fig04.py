"""Figure 4: three contexts of different structure."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.style import SMALLEST_RANGE, Style, finish, letter, say
from repatlas.plots.words import listed
from repatlas.studies.gating.look import (
    LOOKS,
    draw_losses,
    draw_matrix,
    kinds,
    legend_of,
    losses,
    mark_contexts,
    matrix,
    name_of_pathway,
    number_of_seeds,
)

PATHWAYS = ("common", "12", "13", "23")
OF_MODES = ("race derived", "closed_form derived")
"""The theories whose strengths panel C draws over the singular values."""
CONTEXT_PHASE = 1800
"""The epoch after which contexts are learned."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.36 * style.width))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=[0.95, 1.02, 0.62])
    letter(top, "A")
    linear, late, logarithmic = axes = top.subplots(1, 3)
    for ax in axes:
        draw_losses(ax, table)
    floor = float(table.loc[table["measure"] == "floor", "value"].iloc[0])
    linear.set(ylabel="Loss", title="Loss")
    late.set_title("Context phase")
    if losses(table)["step"].max() > CONTEXT_PHASE:
        late.set(xlim=(CONTEXT_PHASE, None), ylim=(0, 1.35 * floor))
        late.axhline(floor, color="0.6", linewidth=0.6, linestyle=":")
        late.text(0.98, floor * 1.03, "linear floor", color="0.4", ha="right", va="bottom",
                  transform=late.get_yaxis_transform())  # fmt: skip
    else:
        late.clear()
        late.set_title("Context phase")
        say(late, f"No epoch after {CONTEXT_PHASE}")
    logarithmic.set(title="Loss, logarithmic", yscale="log")
    logarithmic.set_ylim(bottom=1e-3)
    size = {"fontsize": style.font_size, "columnspacing": 1.5}
    legend_of(top, list(axes), loc="outside lower center", ncols=4, **size)

    letter(middle, "B")
    _draw_outputs(middle, table)

    letter(bottom, "C")
    axes = bottom.subplots(1, len(PATHWAYS), sharey=True)
    for ax, pathway in zip(axes, PATHWAYS, strict=True):
        draw_singular_values(ax, table, pathway, OF_MODES)
    axes[0].set_ylabel("Singular value")
    legend_of(bottom, list(axes), loc="outside lower center", ncols=3, **size)
    finish(
        figure,
        table,
        style,
        f"A: thin, {number_of_seeds(losses(table[table['network'] == 'relu']))} of each kind. "
        f"{_agreement(table)} B: outputs of one network of each kind, items in columns, and their "
        "difference in colours of its own. C: one "
        f"ReLN, singular values of each module{_strengths(table)}.",
    )
    return figure


def _strengths(table: pd.DataFrame) -> str:
    """Which theories panel C draws, if any."""
    rows = table[table["measure"] == "singular_value"]
    found = [LOOKS[kind].name for kind in OF_MODES if (kinds(rows) == kind).any()]
    return f"; dashed: strengths, {listed(found)}" if found else ""


def _agreement(table: pd.DataFrame) -> str:
    """What R2 is, beside that from network to network."""
    rows = table[(table["measure"] == "agreement") & (table["variant"] == "R2")]
    rows = rows.assign(kind=kinds(rows))
    parts = []
    for kind in ("gated detached", "recruited", "closed_form authors"):
        values = rows.loc[(rows["kind"] == kind) & (rows["reference"] == "relu"), "value"]
        if len(values):
            parts.append(f"{LOOKS[kind].name} {values.median():.4f}")
    between = rows.loc[rows["reference"] == "next seed", "value"]
    if len(between):
        parts.append(f"from seed to seed {between.median():.4f}")
    return f"Median R\N{SUPERSCRIPT TWO} with ReLU: {', '.join(parts)}." if parts else ""


def _draw_outputs(part: Any, table: pd.DataFrame) -> None:
    """ReLU, ReLN and their difference, in rows, at each epoch."""
    rows = table[(table["measure"] == "output") & (table["variant"] == "all")]
    epochs = sorted(rows["step"].dropna().unique())
    axes = part.subplots(3, max(len(epochs), 1), squeeze=False)
    image = difference = None
    reach = _reach(rows)
    for column, epoch in enumerate(epochs):
        at = rows[rows["step"] == epoch]
        found = {name: at[at["network"] == name] for name in ("relu", "gated")}
        if any(each.empty for each in found.values()):
            for ax in axes[:, column]:
                say(ax, "Not measured of both networks")
            axes[0, column].set_title(f"Epoch {epoch:.0f}")
            continue
        relu, gated = (matrix(found[name]) for name in ("relu", "gated"))
        for ax, values in zip(axes[:2, column], (relu, gated), strict=True):
            image = draw_matrix(ax, values, "")
        difference = draw_matrix(axes[2, column], relu - gated, "", reach)
        for ax in axes[:, column]:
            mark_contexts(ax, 3, names=ax is axes[2, column])
        axes[0, column].set_title(f"Epoch {epoch:.0f}")
    for ax, name in zip(axes[:, 0], ("ReLU", "ReLN", "Difference"), strict=True):
        ax.set_ylabel(name)
    if not epochs:
        for ax in axes[:, 0]:
            say(ax, "Not in this run")
    if image is not None:
        part.colorbar(image, ax=axes[:2], shrink=0.7, label="Output", pad=0.01)
        bar = part.colorbar(difference, ax=axes[2:], label="Difference", pad=0.01)
        bar.set_ticks([-reach, 0, reach])


def _reach(rows: pd.DataFrame) -> float:
    """A number of steps of SMALLEST_RANGE that holds the largest difference of an output between
    the two networks, which would not be seen in the colours of the outputs."""
    wide = rows.pivot_table(index=["step", "neuron", "cluster"], columns="network", values="value")
    if not {"relu", "gated"} <= set(wide):
        return 1.0
    largest = float((wide["relu"] - wide["gated"]).abs().max())
    return max(np.ceil(largest / SMALLEST_RANGE), 1) * SMALLEST_RANGE


def draw_singular_values(
    ax: Any, table: pd.DataFrame, pathway: str, theories: tuple[str, ...]
) -> None:
    """The singular values of a module of a gated network, and theories of them over it."""
    rows = table[(table["measure"] == "singular_value") & (table["variant"] == pathway)]
    rows = rows.assign(kind=kinds(rows))
    for kind in ("gated detached", *theories):
        look = LOOKS[kind]
        for _, curve in rows[rows["kind"] == kind].groupby("neuron"):
            thick = look.line != "-"
            ax.plot(curve["step"], curve["value"], color=look.colour, label=look.name,
                    linestyle=look.line, linewidth=0.8 if thick else 1.6,
                    alpha=1.0 if thick else 0.55)  # fmt: skip
    if rows.empty:
        say(ax, "Not in this run")
    ax.set(title=name_of_pathway(pathway), xlabel="Epoch")
    ax.locator_params(axis="x", nbins=3)
