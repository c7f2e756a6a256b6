"""Figure 6: reshaped activations."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import with_activations
from repatlas.figures.role import ACTIVATION, Role, axis, legend, networks, panels, words
from repatlas.inference.contrasts import differences, median_rows
from repatlas.inference.pooling import not_diverged
from repatlas.networks.activation import activation
from repatlas.plots.curves import draw_curves
from repatlas.plots.marks import draw_line, look_of
from repatlas.plots.palette import GREY, LIGHT
from repatlas.plots.panels import TARGETS_LOOK
from repatlas.plots.style import (
    SMALLEST_RANGE,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
    say,
    small_type,
)
from repatlas.plots.words import listed, mean_and_sd, not_drawn, why_nothing, with_intervals
from repatlas.record import refuse
from repatlas.studies.structure.roles import BOTH, MAXIMAL
from repatlas.studies.structure.rows.aligned import aligned_rows

MOVED = ("relu-1", "relu-0.5", "relu+0.5", "relu+1")


def _has_a_moved_relu(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    present = {each[ACTIVATION] for each in found}
    if not present & set(MOVED):
        refuse(
            f"{where}: found {ACTIVATION} {words(present)}, allowed: {' or '.join(MOVED)} among"
            " them, which panel B shows"
        )


FIGURE = Figure(
    "Reshaped activations.",
    {
        "lines": Role(
            "Sweeps of maximal kernels, one for each number of targets and column of panels: with"
            " tanh, ReLU, the clipped ReLU and one that is moved, such as relu-1, at least.",
            {"alignment"},
            MAXIMAL,
            several=True,
            shown=legend(ACTIVATION) | panels("task.targets") | axis("task.alignment"),
            fits=(
                with_activations(*BOTH, "clipped_relu", panels=("task.targets",)),
                _has_a_moved_relu,
            ),
        )
    },
    step="The training step that the figure shows.",
    finding=Finding(
        "With one target an offset of +1 changes ReLU's target alignment more than saturation on"
        " both sides; with five, less.",
        {"38b": CONTRADICTED},
    ),
)
CAPTION = """**Figure 6: reshaped activations.** Does saturation on both sides make the difference
between tanh and ReLU, or an offset? Target alignment after {{ facts.step }} steps, against
input-output alignment, for {{ listed(facts.lines.clusters) }} clusters (P), {{
listed(facts.lines.targets, "or") }} targets (k) and kernels of maximal dimensionality. The
functions are at the right, in the looks of their curves. A: tanh, ReLU, and a ReLU that saturates
on both sides (clipped ReLU); {{ spread(facts.lines.seeds) }}, bands. Grey dashes: the target
alignment of the inputs themselves, which is c. B: tanh and ReLUs that are moved along their
argument, minus ReLU (the line at 0); dashes are negative offsets. The numbers are {{ paired |
replace("between tanh and ReLU networks, ", "") }}. The width is {{ listed(facts.lines.width, "or")
}}. {{ lost }}"""


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return all steps. The figure draws one; the others show how the result depends on it."""
    return aligned_rows(rows["lines"])


REFERENCE = "relu"
"""The activation from which panel B counts the differences."""
ALIGNMENTS = ["tanh", "relu", "clipped_relu"]
"""The activations of panel A."""
OFFSETS = ["tanh", "relu+1", "relu+0.5", "relu-0.5", "relu-1"]
"""The activations of panel B, minus the reference."""
DASHED = ("relu-0.5", "relu-1")
"""Negative offsets have dashes, because offsets of one size have one grey."""
ABSENT = "The config has none of these activations"
NO_REFERENCE = "The config has no ReLU networks to compare with"
ALIGNMENT = "Input-output alignment $c$"
ARGUMENTS = 2.5
"""How far the functions are drawn to both sides of 0."""
KEY = 0.62
"""Width of the functions at the right, in widths of a panel."""
INPUTS_LOOK = TARGETS_LOOK | {"color": GREY}


def draw(table: pd.DataFrame, style: Style) -> Any:
    of_step = table[table["step"] == style.step]
    shown = not_diverged(of_step)
    shown = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    effects = _differences(shown)
    targets = sorted(of_step["targets"].unique())
    figure = page(style, 0.8 * style.width)
    part_a, part_b = figure.subfigures(2, 1, height_ratios=[1, 1.5])

    letter(part_a, "A")
    axes, key = _panels(part_a, of_step, targets)
    present = [name for name in ALIGNMENTS if name in activations(table)]
    has_baseline = False
    for ax, number in zip(axes, targets, strict=True):
        mine = of_step[(of_step["targets"] == number) & of_step["activation"].isin(present)]
        nothing = why_nothing(mine) if present else ABSENT
        draw_curves(ax, shown[shown.index.isin(mine.index)], "alignment", style, nothing)
        has_baseline = draw_inputs_own(ax, mine) or has_baseline
        ax.set(xlabel=ALIGNMENT, ylabel="")
    axes[0].set_ylabel("Target alignment")
    _draw_functions(key, present, style, has_baseline)

    letter(part_b, "B")
    axes, key = _panels(part_b, of_step, targets)
    moved = [name for name in OFFSETS if name in activations(table)]
    present = moved if REFERENCE in activations(table) else []
    absent = NO_REFERENCE if moved else ABSENT
    for ax, number in zip(axes, targets, strict=True):
        mine = of_step[(of_step["targets"] == number) & of_step["activation"].isin(present)]
        of_number = effects[(effects["targets"] == number) & effects["activation"].isin(present)]
        _draw_differences(ax, of_number, style, why_nothing(mine) if present else absent)
        ax.set_xlabel(ALIGNMENT)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(min(low, -SMALLEST_RANGE), max(high, SMALLEST_RANGE))
    axes[0].set_ylabel("Target alignment\nminus that of ReLU")
    _draw_functions(key, present + [REFERENCE] * bool(present), style)

    drawn = {*ALIGNMENTS, *OFFSETS}
    finish(
        figure,
        table,
        style,
        f"After {style.step} steps; kernels of maximal dimensionality. A: "
        f"{mean_and_sd(shown, 'target_alignment')}. B: medians of the paired differences, "
        f"{with_intervals(effects, shown, 'target_alignment')}. Right: the functions."
        f"{not_drawn(table, drawn)}",
    )
    return figure


def _panels(part: Any, of_step: pd.DataFrame, targets: list[int]) -> tuple[Any, Any]:
    """Return a panel for each number of targets, which share one scale, and axes for the key."""
    widths = [*[1] * len(targets), KEY]
    *axes, key = part.subplots(1, len(widths), width_ratios=widths)
    for ax, number in zip(axes, targets, strict=True):
        clusters = sorted(of_step.loc[of_step["targets"] == number, "clusters"].unique())
        ax.set_title(f"$P$ = {listed(clusters)}, $k$ = {number}")
        if ax is not axes[0]:
            ax.sharey(axes[0])
            ax.tick_params(labelleft=False)
    return axes, key


def _differences(shown: pd.DataFrame) -> pd.DataFrame:
    """Return the median over networks of each activation minus the reference, with its interval."""
    by = ["clusters", "targets", "alignment"]
    reference = shown[shown["activation"] == REFERENCE]
    columns = ["activation", *by, "seed", "value"]
    pairs = [
        differences(rows, reference, by).assign(activation=name)
        for name, rows in shown.groupby("activation")
        if name != REFERENCE
    ]
    return median_rows(pd.concat([shown[:0], *pairs])[columns], columns[:-2])


def draw_inputs_own(ax: Any, rows: pd.DataFrame) -> bool:
    """Draw the target alignment of the inputs themselves, and return True if it is drawn.

    It is the alignment c of the inputs with the targets, over the positions of these rows.
    """
    places = rows["alignment"].dropna().sort_values().unique()
    if len(places) < 2:
        return False
    ax.plot(places, places, **INPUTS_LOOK, zorder=1)
    return True


def _draw_differences(ax: Any, effects: pd.DataFrame, style: Style, nothing: str) -> None:
    """Draw the difference of each activation from the reference, which is the line at 0."""
    if not len(effects):
        say(ax, nothing)
        return
    ax.axhline(0, color=style.colours[REFERENCE], linewidth=0.8, zorder=1)
    for name in activations(effects):
        rows = effects[effects["activation"] == name].sort_values("alignment")
        draw_line(ax, rows, "alignment", bars=0.6, **_look(name, style))


def _look(name: str, style: Style) -> dict[str, Any]:
    return look_of(name, style) | {"linestyle": "--" if name in DASHED else "-"}


def _draw_functions(key: Any, names: list[str], style: Style, has_baseline: bool = False) -> None:
    """Draw each activation as a function, as its curve looks, with its name to the right, and the
    line of the inputs, if there is one."""
    key.set_axis_off()
    x = np.linspace(-ARGUMENTS, ARGUMENTS, 101)
    height = 1 / max(len(names) + has_baseline, len(ALIGNMENTS))
    rows = [*names, *["the inputs"] * has_baseline]
    for row, name in enumerate(rows):
        ax = key.inset_axes((0, 1 - (row + 0.9) * height, 0.42, 0.8 * height))
        ax.set(ylim=(-1.2, 2), xticks=[], yticks=[])
        ax.set_axis_off()
        key.text(0.46, 1 - (row + 0.5) * height, activation_name(name), va="center",
                 size=small_type(), transform=key.transAxes)  # fmt: skip
        if name not in names:
            ax.plot(x[[0, -1]], [0.4, 0.4], **INPUTS_LOOK)
            continue
        look = _look(name, style) | {"linewidth": 1.0, "markevery": [50], "markersize": 2.5}
        ax.plot(x, activation(name).value(x), **look)
        ax.axhline(0, color=LIGHT, linewidth=0.5, zorder=0)
        ax.axvline(0, color=LIGHT, linewidth=0.5, zorder=0)
