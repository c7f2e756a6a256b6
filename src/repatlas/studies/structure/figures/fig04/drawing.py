"""Figure 4: random tasks with a chosen input-output alignment."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import dot_of, draw_curves, look_of
from repatlas.plots.panels import CHANCE, deviation_name, tested
from repatlas.plots.style import (
    GREY,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    small_type,
)
from repatlas.plots.target_geometry import (
    CROSSED,
    SQUARE,
    TETRAHEDRON,
    draw_four,
    draw_shape,
    shape_of,
)
from repatlas.plots.words import mean_and_sd, mean_over, why_nothing

MEASURES = {
    "target_alignment": "Target alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
}
DOT = {"linestyle": "", "marker": "o", "markersize": 2.8, "markeredgewidth": 0.6, "alpha": 0.8}
"""The look of a random kernel."""
LEVELS = [0.2, 0.4, 0.6, 0.8, 0.95]
"""The levels of alignment in panel A."""
GUIDE = {"color": "black", "linewidth": 0.7, "dashes": (4, 2)}
CHANCE_LOOK = {"color": "0.5", "linewidth": 0.6, "linestyle": ":", "zorder": 0}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.22 * style.width))
    part_a, part_b = figure.subfigures(2, 1, height_ratios=[1, 2.55])

    letter(part_a, "A")
    plane = table[table["measure"] == "slice of kernels"]
    _draw_planes(part_a, plane)

    letter(part_b, "B")
    of_step = table[table["step"] == style.step]
    shown = not_diverged(of_step)
    # CCGP with the least noise of those that the decoders were tested with.
    decoder = min(tested(shown), default=None)
    _draw_cells(part_b, of_step, decoder, style)

    lines = shown[shown["kernel"] == "maximal"]
    random = shown[shown["kernel"] == "random"]
    tasks = len(random.drop_duplicates(["clusters", "targets", "alignment", "draw"]))
    finish(
        figure,
        table,
        style,
        f"A: kernels of {plane['clusters'].iloc[0]} clusters in a plane through that of "
        f"{plane['targets'].iloc[0]} orthogonal targets. "
        f"B: after {style.step} steps{_tested(decoder)}. Lines: kernels of maximal dimensionality, "
        f"{mean_and_sd(lines, 'target_alignment')}. Random kernels: {tasks} tasks, "
        f"{mean_over(random, 'target_alignment')} each.",
    )
    return figure


def _draw_planes(part: Any, rows: pd.DataFrame) -> None:
    """Draw the plane of kernels with its levels of alignment and, to the right, how random kernels
    of one alignment are made."""

    def places(variant):
        return rows[rows["variant"] == variant].sort_values("draw")[["x", "y"]].to_numpy()

    left, right, words = part.subplots(1, 3, width_ratios=[1, 1, 0.75])
    boundary = rows[rows["variant"] == "boundary"].sort_values("value")
    grid = rows[rows["variant"] == "alignment"].pivot_table(index="y", columns="x", values="value")
    [chosen] = rows.loc[rows["variant"] == "sampled", "value"].round(6).unique()
    for ax, levels in ((left, LEVELS), (right, [chosen])):
        ax.fill(boundary["x"], boundary["y"], facecolor="0.95", edgecolor="0.3", linewidth=0.8)
        drawn = ax.contour(grid.columns, grid.index, grid, levels=levels, colors="0.6",
                           linewidths=0.6)  # fmt: skip
        for level, paths in zip(levels, drawn.allsegs, strict=True):
            _name_level(ax, level, np.concatenate(paths))
        ax.set(aspect="equal")
        ax.set_axis_off()
    marks = [
        ("targets", "s", "$K_Y$, the targets"),
        ("simplex", "D", "equidistant clusters"),
        ("orthogonal", "^", "orthogonal to them"),
    ]
    (targets,), (orthogonal,) = places("targets"), places("orthogonal")
    left.plot(*zip(orthogonal, targets, strict=True), "--", color="0.1", linewidth=1)
    for variant, marker, _ in marks:
        [place] = places(variant)
        for ax in (left, right):
            ax.plot(*place, marker, color="0.1", markersize=4, clip_on=False)
    left.set_title("Kernels and their alignment $c$")
    right.set_title(f"Random kernels of $c={chosen:g}$")
    arrow = {"arrowstyle": "-|>", "mutation_scale": 5, "shrinkA": 1.5, "shrinkB": 1.5}
    arrow |= {"color": GREY, "linewidth": 0.6}
    for source, sampled in zip(places("source"), places("sampled"), strict=True):
        right.annotate("", sampled, source, arrowprops=arrow)
    source = {"markersize": 3, "color": GREY, "markerfacecolor": "white", "markeredgewidth": 0.6}
    sampled = {"markersize": 3, "color": "black"}
    right.plot(*places("source").T, "o", **source)
    right.plot(*places("sampled").T, "o", **sampled)
    looks = [
        *(Line2D([], [], linestyle="", marker=marker, color="0.1", markersize=4, label=text)
          for _, marker, text in marks),
        Line2D([], [], linestyle="--", color="0.1", linewidth=1, label="most dimensions"),
        Line2D([], [], linestyle="", marker="o", label="random kernel", **source),
        Line2D([], [], linestyle="", marker="o", label="moved to the chosen $c$", **sampled),
    ]  # fmt: skip
    words.set_axis_off()
    words.legend(handles=looks, loc="lower left", borderpad=0, handlelength=1.5,
                 labelspacing=0.2, bbox_to_anchor=(-0.1, 0))  # fmt: skip
    # What the kernels of the three marks look like, from no alignment to a full one.
    equidistant = rows[rows["variant"] == "simplex"]["value"].iloc[0]
    shapes = [(CROSSED, "^", 0.0), (TETRAHEDRON, "D", equidistant), (SQUARE, "s", 1.0)]
    for number, (points, marker, level) in enumerate(shapes):
        drawing = words.inset_axes((0.33 * number - 0.05, 0.68, 0.33, 0.32))
        draw_four(drawing, points)
        drawing.plot(-1.4, -2.3, marker, color="0.1", markersize=3.5, clip_on=False)
        drawing.text(-0.9, -2.3, f"$c={level:.2g}$", va="center", size=small_type())
    words.set_title("Colour: target 1, filling: target 2", size=small_type())


def _name_level(ax: Any, level: float, path: np.ndarray) -> None:
    """Write the value of a level on its line, above the middle and clear of the outline."""
    wanted = 0.5 * path[:, 1].max()
    place = path[np.abs(path[:, 1] - wanted).argmin()]
    ax.text(*place, f"{level:g}", ha="center", va="center", size=small_type(), color=GREY,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "0.95", "linewidth": 0})  # fmt: skip


def _tested(decoder: float | None) -> str:
    return "" if decoder is None else f", CCGP at {deviation_name(decoder)}"


def _draw_cells(part: Any, rows: pd.DataFrame, decoder: float | None, style: Style) -> None:
    """Draw a block of panels for each measure, whose scale they share.

    A block has a column for each number of clusters, and rows for the numbers of targets. CCGP is
    from decoders that were tested with this noise.
    """
    sizes = sorted(rows["clusters"].unique())
    targets = {size: sorted(rows.loc[rows["clusters"] == size, "targets"].unique())
               for size in sizes}  # fmt: skip
    rows = rows[rows["deviation"].isna() | (rows["deviation"] == decoder)]
    height = max((len(numbers) for numbers in targets.values()), default=1)
    columns = len(MEASURES) * len(sizes)
    shapes, *axes = part.subplots(
        height, 1 + columns, squeeze=False, width_ratios=[0.55, *[1] * columns]
    ).T
    axes = np.array(axes).T.reshape(height, columns)
    for row, ax in enumerate(shapes):
        ax.set_axis_off()
        found = {shape_of(size, targets[size][row]) for size in sizes if row < len(targets[size])}
        if len(found) == 1 and any(found):
            draw_shape(ax, *found)
    for column, (measure, size) in enumerate((m, s) for m in MEASURES for s in sizes):
        for row, ax in enumerate(axes[:, column]):
            if row >= len(targets[size]):
                ax.set_axis_off()
                continue
            cell = rows[(rows["clusters"] == size) & (rows["targets"] == targets[size][row])]
            of = (cell["measure"] == measure) & cell["variant"].isin(["centres", "samples"])
            _draw_cell(ax, not_diverged(cell[of]), style, why_nothing(cell))
            if measure == "target_alignment":
                low, high = cell["alignment"].min(), cell["alignment"].max()
                ax.plot([low, high], [low, high], **GUIDE)
            if measure in CHANCE:
                ax.axhline(CHANCE[measure], **CHANCE_LOOK)
            ax.locator_params(axis="x", nbins=3)
            if row == 0:
                first = size == sizes[0]
                ax.set_title(f"{MEASURES[measure]}\n$P={size}$" if first else f"$P={size}$")
            if column == 0:
                numbers = [targets[each][row] for each in sizes if row < len(targets[each])]
                ax.set_ylabel("$k$ = " + ", ".join(map(str, dict.fromkeys(numbers))))
    for start in range(0, axes.shape[1], max(len(sizes), 1)):
        block = axes[:, start : start + len(sizes)]
        _share_scale(block)
        middle = 0.5 + 0.6 * (len(sizes) - 1)  # panels are a fifth of their width apart
        block[-1, 0].set_xlabel("Input-output alignment $c$", x=middle)
    _name(part, activations(rows), style)


def _share_scale(block: np.ndarray) -> None:
    """Set one vertical scale for all panels of a measure, with labels at the first column."""
    shown = [ax for ax in block.flat if ax.axison]
    low = min((ax.get_ylim()[0] for ax in shown), default=0)
    high = max((ax.get_ylim()[1] for ax in shown), default=1)
    for ax in shown:
        ax.set_ylim(low, high)
        ax.locator_params(axis="y", nbins=4)
        if ax not in block[:, 0]:
            ax.tick_params(labelleft=False)


def _name(part: Any, names: list[str], style: Style) -> None:
    handles = [
        Line2D([], [], label=activation_name(name), **look_of(name, style) | {"markevery": None})
        for name in names
    ]
    handles += [
        *(
            Line2D(
                [],
                [],
                label=f"{activation_name(name)}, random kernels",
                **DOT | dot_of(name, style),
            )
            for name in names
        ),
        Line2D([], [], label="the inputs themselves", **GUIDE),
        Line2D([], [], label="chance", **CHANCE_LOOK),
    ]
    part.legend(handles=handles, loc="outside lower center", ncols=len(handles), borderpad=0,
                handlelength=2, columnspacing=1)  # fmt: skip


def _draw_cell(ax: Any, rows: pd.DataFrame, style: Style, nothing: str) -> None:
    lines, dots = (rows[rows["kernel"] == kernel] for kernel in ("maximal", "random"))
    refuse_pooling(dots, ["activation", "alignment", "draw"])
    if len(lines) or not len(dots):
        draw_curves(ax, lines, "alignment", style, nothing)
    means = dots.groupby(["activation", "alignment", "run"])["value"].mean()
    for activation, values in means.groupby("activation"):
        places = values.reset_index()
        ax.plot(places["alignment"], places["value"], **DOT | dot_of(activation, style),
                clip_on=False)  # fmt: skip
    ax.margins(x=0.08)
    ax.autoscale_view()
    ax.set(xlabel="", ylabel="")
