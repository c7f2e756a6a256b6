"""Figure 4: random tasks with a chosen input-output alignment."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.experiments.clusters.kernel_slice import KernelSlice
from repatlas.experiments.clusters.kernels import kernel_between
from repatlas.experiments.clusters.targets import label_kernel, orthogonal_targets
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend, panels
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.curves import draw_curves
from repatlas.plots.marks import GUIDE, add_key, dot_of, looks_of
from repatlas.plots.palette import BLACK, DARK, GREY, LIGHT, SHADE, WHITE
from repatlas.plots.panels import CHANCE, TARGETS_LOOK, deviation_name, tested
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
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
from repatlas.streams import stream
from repatlas.studies.structure.roles import ALIGNED, CELLS, MAXIMAL
from repatlas.studies.structure.rows.aligned import aligned_rows, mean_kernel_rows

NEEDED = {"alignment", "parallelism", "ccgp"}

FIGURE = Figure(
    "Random tasks with a chosen input-output alignment.",
    {
        "lines": Role(
            "Sweeps of maximal kernels, which panel B draws as lines: two values of the alignment"
            " at least for each number of clusters and targets.",
            NEEDED,
            MAXIMAL,
            several=True,
            shown=legend(ACTIVATION) | panels(*CELLS) | axis("task.alignment"),
        ),
        "dots": Role(
            "Sweeps of random kernels, which it draws as dots; otherwise like sweeps of `lines`.",
            NEEDED,
            ALIGNED | {"task.kernel": ("random",)},
            several=True,
            shown=legend(ACTIVATION, "task.alignment", "task.geometry") | panels(*CELLS),
        ),
    },
    alike=(
        Alike(
            "dots",
            "lines",
            ("task", "network", "training"),
            but=(*CELLS, "task.kernel", "task.alignment", "task.geometry", ACTIVATION),
        ),
    ),
    deviations=(1.0,),
    step="The training step that panel B shows.",
    finding=Finding(
        "With more input-output alignment parallelism rises for targets of few dimensions, and"
        " falls a little for targets of many.",
        {"29": SUPPORTED, "30": SUPPORTED},
    ),
)
CAPTION = """**Figure 4: random tasks with a chosen input-output alignment.** How does the geometry
of hidden layers depend on the alignment of inputs and targets? A: a plane through the set of
kernels of a few clusters, to scale. The area holds all positive semidefinite, centred kernels of
unit trace in the plane. Left: level lines of their alignment c with the kernel of orthogonal
targets, and the kernels of maximal dimensionality for each alignment (dashed). Right: how random
kernels of one alignment are made. A random kernel is moved on a straight line until its alignment
is c. It moves towards the targets or, if its alignment was too large, towards a kernel that is
orthogonal to them. The small drawings are four clusters at the three marks; colour is their first
target, filling their second. B: target alignment, parallelism score and CCGP of {{
kind(facts.lines) }} after {{ facts.step }} steps, against the alignment c of inputs and targets. P
is the number of clusters ({{ listed(facts.lines.clusters) }}), k the number of balanced orthogonal
targets ({{ listed(facts.lines.targets) }}). Lines: kernels of maximal dimensionality, {{
spread(facts.lines.seeds) }}. Dots: random kernels, each {{ mean(facts.dots.seeds) }}, no error
bars. Dashed, black: the target alignment of the inputs themselves, which is c. To the left of the
rows: where the targets alone would put the clusters. One target gives two points, several the
corners of a cube of as many dimensions, and k = P - 1 equal distances. With k = P - 1 targets c is
dimensionality and cannot be 0."""

CLUSTERS, TARGETS = 4, 2
"""The task of panel A."""
GRID_POINTS = 121
"""Along each axis of panel A."""
SAMPLES, SAMPLED_ALIGNMENT = 10, 0.6
"""The random kernels of panel A, and their alignment."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return all steps. The figure draws one; the others show how the result depends on it."""
    return pd.concat(
        [
            aligned_rows(rows["lines"]),
            mean_kernel_rows(rows["lines"]),
            aligned_rows(rows["dots"]),
            _slice_rows(),
            _sampling_rows(),
        ],
        ignore_index=True,
    )


def _slice_rows() -> pd.DataFrame:
    """Return a plane through the set of kernels of four clusters, for panel A.

    It has their alignment with the kernel of two orthogonal targets, and the curve of maximal
    kernels.
    """
    labels = orthogonal_targets(CLUSTERS, TARGETS, stream(0, "targets"))
    plane = KernelSlice(label_kernel(labels))
    boundary = plane.boundary()
    reach = 1.02 * np.abs(boundary).max(axis=0)
    sides = [np.linspace(-r, r, GRID_POINTS) for r in reach]
    points = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    points = points[plane.is_kernel(points)]
    marks = {
        "boundary": (boundary, np.arange(len(boundary))),
        "alignment": (points, plane.alignment(points)),
        "targets": (plane.points(plane.target[None]), [1.0]),
        "simplex": (np.zeros((1, 2)), plane.alignment(np.zeros((1, 2)))),
        # The far end of the x-axis: K_max(0).
        "orthogonal": (boundary[[len(boundary) // 2]], [0.0]),
    }
    return _rows_of(marks)


def _sampling_rows() -> pd.DataFrame:
    """Return how random kernels of one alignment are made, for panel A.

    `random_kernel` makes them in this way, but here the sources are spread evenly over the plane.
    Each source moves along a straight line until its alignment is the chosen one. It moves towards
    the targets or, if its alignment is too large, towards the kernel of the plane that is
    orthogonal to them.
    """
    plane = KernelSlice(label_kernel(orthogonal_targets(CLUSTERS, TARGETS, stream(0, "targets"))))
    boundary = plane.boundary()
    generator = stream(0, "slice")
    points = generator.uniform(boundary.min(axis=0), boundary.max(axis=0), (20 * SAMPLES, 2))
    sources = points[plane.is_kernel(points)][:SAMPLES]
    orthogonal = plane.kernels(boundary[len(boundary) // 2])
    found = [
        kernel_between(
            plane.kernels(source),
            plane.target if plane.alignment(source) < SAMPLED_ALIGNMENT else orthogonal,
            plane.target,
            SAMPLED_ALIGNMENT,
        )
        for source in sources
    ]
    sampled = plane.points(np.array(found))
    return _rows_of(
        {
            "source": (sources, plane.alignment(sources)),
            "sampled": (sampled, plane.alignment(sampled)),
        },
        draw=range(SAMPLES),
    )


def _rows_of(marks: dict[str, tuple], **columns: Any) -> pd.DataFrame:
    """Return rows of positions in the plane, (n, 2), with a value each, and these columns."""
    return pd.concat(
        pd.DataFrame(
            {
                "clusters": CLUSTERS,
                "targets": TARGETS,
                "measure": "slice of kernels",
                "variant": variant,
                "x": places[:, 0],
                "y": places[:, 1],
                "value": values,
            }
            | columns
        )
        for variant, (places, values) in marks.items()
    )


MEASURES = {
    "target_alignment": "Target alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
}
DOT = {"linestyle": "", "marker": "o", "markersize": 2.8, "markeredgewidth": 0.6, "alpha": 0.8}
"""The look of a random kernel."""
LEVELS = [0.2, 0.4, 0.6, 0.8, 0.95]
"""The levels of alignment in panel A."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 1.22 * style.width)
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
        ax.fill(boundary["x"], boundary["y"], facecolor=SHADE, edgecolor=DARK, linewidth=0.8)
        drawn = ax.contour(grid.columns, grid.index, grid, levels=levels, colors=LIGHT,
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
    left.plot(*zip(orthogonal, targets, strict=True), "--", color=BLACK, linewidth=1)
    for variant, marker, _ in marks:
        [place] = places(variant)
        for ax in (left, right):
            ax.plot(*place, marker, color=BLACK, markersize=4, clip_on=False)
    left.set_title("Kernels and their alignment $c$")
    right.set_title(f"Random kernels of $c={chosen:g}$")
    arrow = {"arrowstyle": "-|>", "mutation_scale": 5, "shrinkA": 1.5, "shrinkB": 1.5}
    arrow |= {"color": GREY, "linewidth": 0.6}
    for source, sampled in zip(places("source"), places("sampled"), strict=True):
        right.annotate("", sampled, source, arrowprops=arrow)
    source = {"markersize": 3, "color": GREY, "markerfacecolor": WHITE, "markeredgewidth": 0.6}
    sampled = {"markersize": 3, "color": BLACK}
    right.plot(*places("source").T, "o", **source)
    right.plot(*places("sampled").T, "o", **sampled)
    dot = {"linestyle": "none", "marker": "o", "color": BLACK, "markersize": 4}
    looks = {text: dot | {"marker": marker} for _, marker, text in marks}
    looks["most dimensions"] = {"linestyle": "--", "color": BLACK, "linewidth": 1}
    looks |= {"random kernel": dot | source, "moved to the chosen $c$": dot | sampled}
    words.set_axis_off()
    add_key(words, looks, loc="lower left", handlelength=1.5, ncols=1, labelspacing=0.2,
            bbox_to_anchor=(-0.1, 0))  # fmt: skip
    # What the kernels of the three marks look like, from no alignment to a full one.
    equidistant = rows[rows["variant"] == "simplex"]["value"].iloc[0]
    shapes = [(CROSSED, "^", 0.0), (TETRAHEDRON, "D", equidistant), (SQUARE, "s", 1.0)]
    for number, (points, marker, level) in enumerate(shapes):
        drawing = words.inset_axes((0.33 * number - 0.05, 0.68, 0.33, 0.32))
        draw_four(drawing, points)
        drawing.plot(-1.4, -2.3, marker, color=BLACK, markersize=3.5, clip_on=False)
        drawing.text(-0.9, -2.3, f"$c={level:.2g}$", va="center", size=small_type())
    words.set_title("Colour: target 1, filling: target 2", size=small_type())


def _name_level(ax: Any, level: float, path: np.ndarray) -> None:
    """Write the value of a level on its line, above the middle and clear of the outline."""
    wanted = 0.5 * path[:, 1].max()
    place = path[np.abs(path[:, 1] - wanted).argmin()]
    ax.text(*place, f"{level:g}", ha="center", va="center", size=small_type(), color=GREY,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": SHADE, "linewidth": 0})  # fmt: skip


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
                ax.plot([low, high], [low, high], **TARGETS_LOOK)
            if measure in CHANCE:
                ax.axhline(CHANCE[measure], **GUIDE)
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
    random = {f"{activation_name(name)}, random kernels": DOT | dot_of(name, style)
              for name in names}  # fmt: skip
    others = {"the inputs themselves": TARGETS_LOOK, "chance": GUIDE}
    add_key(
        part, looks_of(names, style) | random | others, loc="outside lower center", columnspacing=1
    )


def _draw_cell(ax: Any, rows: pd.DataFrame, style: Style, nothing: str) -> None:
    lines, dots = (rows[rows["kernel"] == kernel] for kernel in ("maximal", "random"))
    refuse_mixed_kinds(dots, ["activation", "alignment", "draw"])
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
