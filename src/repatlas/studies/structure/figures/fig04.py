"""Figure 4: random tasks with a chosen input-output alignment."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import draw_curves, name_curves
from repatlas.plots.images import draw_images, image_note
from repatlas.plots.panels import deviation_name, tested
from repatlas.plots.style import Style, activations, finish, letter, small_type
from repatlas.plots.words import mean_and_sd, mean_over, why_nothing

MEASURES = {
    "target_alignment": "Target alignment",
    "parallelism": "Parallelism",
    "ccgp": "CCGP",
}
DOT_AREA = 10.0
"""Area of the dot of the largest participation ratio that these clusters can have, in square
points."""
LEVELS = [0.2, 0.4, 0.6, 0.8, 0.9, 0.98]
"""The levels of alignment in panel A."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    on_images = table[table["dataset"].notna()]
    table, everything = table[table["dataset"].isna()], table
    figure = Figure(figsize=(style.width, 1.5 * style.width))
    part_a, part_b, part_c = figure.subfigures(3, 1, height_ratios=[1, 2.2, 1])

    letter(part_a, "A")
    plane = table[table["measure"] == "slice of kernels"]
    _draw_slice(part_a.subplots(), plane)

    letter(part_b, "B")
    of_step = table[table["step"] == style.step]
    shown = not_diverged(of_step)
    # CCGP with the least noise of those that the decoders were tested with.
    decoder = min(tested(shown), default=None)
    _draw_cells(part_b, of_step, decoder, style)

    letter(part_c, "C")
    draw_images(part_c, on_images, style)

    lines = shown[shown["kernel"] == "maximal"]
    random = shown[shown["kernel"] == "random"]
    tasks = len(random.drop_duplicates(["clusters", "targets", "alignment", "draw"]))
    finish(
        figure,
        everything,
        style,
        f"A: kernels of {plane['clusters'].iloc[0]} clusters in a plane through that of "
        f"{plane['targets'].iloc[0]} orthogonal targets (square), "
        "equidistant inputs (diamond) and the largest orthogonal to the targets (triangle); grey: "
        "alignment with the targets, dashed: kernels of maximal dimensionality. "
        f"B: after {style.step} steps{_tested(decoder)}. Lines: kernels of maximal dimensionality, "
        f"{mean_and_sd(lines, 'target_alignment')}. Dots: random kernels ({tasks} tasks), "
        f"{mean_over(random, 'target_alignment')} each; area: participation ratio of the inputs "
        f"over P - 1. {image_note(on_images)}",
    )
    return figure


def _draw_slice(ax: Any, rows: pd.DataFrame) -> None:
    def part(variant):
        return rows[rows["variant"] == variant]

    boundary = part("boundary").sort_values("value")
    ax.fill(boundary["x"], boundary["y"], facecolor="0.95", edgecolor="0.3", linewidth=0.8)
    grid = part("alignment").pivot_table(index="y", columns="x", values="value")
    levels = ax.contour(grid.columns, grid.index, grid, levels=LEVELS, colors="0.6", linewidths=0.6)
    ax.clabel(levels, fmt="%g", fontsize=small_type())
    (targets,), (orthogonal,) = (
        part(variant)[["x", "y"]].to_numpy() for variant in ("targets", "orthogonal")
    )
    ax.plot([orthogonal[0], targets[0]], [orthogonal[1], targets[1]], "--", color="0.1",
            linewidth=1)  # fmt: skip
    for variant, marker, text in (
        ("targets", "s", "$K_Y$"),
        ("simplex", "D", "simplex"),
        ("orthogonal", "^", "$c = 0$"),
    ):
        place = part(variant)[["x", "y"]].to_numpy()[0]
        ax.plot(*place, marker, color="0.1", markersize=4, clip_on=False)
        ax.annotate(text, place, xytext=(2, 4), textcoords="offset points")
    ax.set(aspect="equal", title="Kernels and their alignment")
    ax.set_axis_off()


def _tested(decoder: float | None) -> str:
    return "" if decoder is None else f", CCGP at {deviation_name(decoder)}"


def _draw_cells(part: Any, rows: pd.DataFrame, decoder: float | None, style: Style) -> None:
    """A row of panels for each number of targets, in order; a block of columns for each number of
    clusters. CCGP is that of decoders that were tested with this noise."""
    sizes = sorted(rows["clusters"].unique())
    targets = {size: sorted(rows.loc[rows["clusters"] == size, "targets"].unique())
               for size in sizes}  # fmt: skip
    rows = rows[rows["deviation"].isna() | (rows["deviation"] == decoder)]
    height = max((len(numbers) for numbers in targets.values()), default=1)
    width = len(MEASURES) * max(len(sizes), 1)
    axes = part.subplots(height, width, squeeze=False, sharey="col")
    for block, size in enumerate(sizes):
        for row in range(height):
            for column, measure in enumerate(MEASURES):
                ax = axes[row, block * len(MEASURES) + column]
                if row >= len(targets[size]):
                    ax.set_axis_off()
                    continue
                cell = rows[(rows["clusters"] == size) & (rows["targets"] == targets[size][row])]
                of = (cell["measure"] == measure) & cell["variant"].isin(["centres", "samples"])
                _draw_cell(ax, not_diverged(cell[of]), style, why_nothing(cell))
                if row == 0:
                    ax.set_title(MEASURES[measure])
                if column == 0:
                    ax.set_ylabel(f"P = {size}, k = {targets[size][row]}")
                if row == len(targets[size]) - 1:
                    ax.set_xlabel("$c$")
    name_curves(axes[0, 0], activations(rows), style, handlelength=1)


def _draw_cell(ax: Any, rows: pd.DataFrame, style: Style, nothing: str) -> None:
    lines, dots = (rows[rows["kernel"] == kernel] for kernel in ("maximal", "random"))
    refuse_pooling(dots, ["activation", "alignment", "draw"])
    if len(lines) or not len(dots):
        draw_curves(ax, lines, "alignment", style, nothing)
    means = dots.groupby(["activation", "alignment", "participation_ratio", "run"])["value"].mean()
    for activation, values in means.groupby("activation"):
        places = values.reset_index()
        ax.scatter(
            places["alignment"],
            places["value"],
            s=DOT_AREA * places["participation_ratio"] / (rows["clusters"].max() - 1),
            color=style.colours[activation],
            alpha=0.45,
            linewidth=0,
        )
    ax.set(xlabel="", ylabel="")
