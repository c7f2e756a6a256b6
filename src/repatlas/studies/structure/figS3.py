"""Figure S3: where the difference between activations vanishes or reverses."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import on_the_same_tasks, with_activations
from repatlas.figures.role import ACTIVATION, Role, axis, legend, panels
from repatlas.inference.contrasts import SIGN_CHANGE, TANH_RELU, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.marks import add_key, draw_line
from repatlas.plots.palette import GREY, LIGHT, WHITE
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.plots.words import NO_PAIRS, networks, not_drawn, with_intervals
from repatlas.studies.structure.roles import BOTH, CELLS, MAXIMAL, SEPARABLE
from repatlas.studies.structure.rows.aligned import with_participation_ratio
from repatlas.studies.structure.rows.panels import GROUP, accuracy_rows, panel_rows
from repatlas.studies.structure.rows.sign_changes import sign_change_rows

FIGURE = Figure(
    "Where the difference between activations vanishes.",
    {
        "separability": Role(
            "The sweep over delta, with tanh and ReLU.",
            {"alignment", "parallelism", "ccgp"},
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta"),
            fits=(with_activations(*BOTH),),
        ),
        "lines": Role(
            "Sweeps of maximal kernels over input-output alignment, with tanh and ReLU on each"
            " task.",
            {"alignment"},
            MAXIMAL,
            several=True,
            shown=legend(ACTIVATION) | panels(*CELLS) | axis("task.alignment"),
            fits=(
                with_activations(*BOTH, panels=CELLS),
                on_the_same_tasks(*BOTH),
            ),
        ),
        "clipped": Role(
            "Sweeps of ReLUs that saturate on both sides, `clipped_relu`, on the tasks of `lines`."
            " Only the table tells of them.",
            {"alignment"},
            MAXIMAL | {ACTIVATION: ("clipped_relu",)},
            several=True,
            optional=True,
            shown=panels(*CELLS) | axis("task.alignment"),
        ),
    },
    deviations=(1.0,),
    finding=Finding(
        "Without input-output alignment, for targets of few dimensions, the difference between tanh"
        " and ReLU does not always vanish.",
        {"47b": CONTRADICTED},
    ),
)
CAPTION = """**Figure S3: where the difference vanishes or reverses (our choice).** Does the
difference between tanh and ReLU vanish as inputs and targets lose their alignment? After several
lengths of training: {{ paired }}. A: target alignment against separability ({{
n(facts.separability.seeds) }} for each setting; the table has the parallelism score and CCGP, too).
B: target alignment against the alignment of inputs and targets, for kernels of maximal
dimensionality ({{ n(facts.lines.seeds) }} for each setting), P clusters and k targets. Diamonds
mark where the difference first goes from below to above 0, by linear interpolation. A curve without
a diamond does not cross 0 in most networks. The authors' answer to reviewers has the difference
vanish as the alignment goes to 0. {{ lost }}"""

MEASURES = ("target_alignment", "parallelism", "ccgp")
REVERSED = ("target_alignment", "parallelism")
"""The measures whose change of sign is sought. CCGP is 0 for both activations over a range of
tasks."""
TASK = [*GROUP, "kernel"]


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return the differences at every step, since the answer depends on the length of training."""
    parts = [
        part
        for role, axis in (("separability", "delta"), ("lines", "alignment"))
        for part in _parts(panel_rows(with_participation_ratio(rows[role])), axis)
    ]
    if "clipped" in rows:
        clipped = panel_rows(with_participation_ratio(rows["clipped"]))
        parts += [clipped[clipped["measure"].isin(MEASURES)], accuracy_rows(clipped)]
    return pd.concat(parts, ignore_index=True)


def _parts(rows: pd.DataFrame, axis: str) -> list[pd.DataFrame]:
    lost = rows["variant"] == "diverged"
    shown = rows[lost | rows["measure"].isin(MEASURES)]
    differences = tanh_minus_relu(not_diverged(shown), [*TASK, axis])
    reversible = differences[differences["measure"].isin(REVERSED)]
    return [
        shown,
        accuracy_rows(rows),
        median_rows(differences, [*TASK, axis]).assign(contrast=TANH_RELU),
        sign_change_rows(reversible, TASK, axis),
    ]


COLUMNS = 3
"""The columns of the smaller panels of B."""
DIFFERENCE = "Target alignment,\nTanh \N{MINUS SIGN} ReLU"
CHANGE = {"linestyle": "", "marker": "D", "markersize": 3.5}
CHANGE |= {"markeredgecolor": WHITE, "markeredgewidth": 0.4}
NO_DIFFERENCE = {"color": LIGHT, "linewidth": 0.6, "linestyle": ":"}


def draw(table: pd.DataFrame, style: Style) -> Any:
    is_line = table["kernel"].notna()
    by_delta, by_alignment = table[~is_line], table[is_line]
    # The largest task with the fewest targets comes first and is the largest panel: with training
    # its change of sign moves furthest.
    cells = list(by_alignment.groupby(["clusters", "targets"]).groups)
    cells.sort(key=lambda cell: (-cell[0], cell[1]))
    rows = -(-(len(cells) - 1) // COLUMNS)
    figure = page(style, (0.54 + 0.26 * rows) * style.width)
    top, below = figure.subfigures(2, 1, height_ratios=[0.54, max(0.26 * rows, 0.01)])
    part_a, part_b = top.subfigures(1, 2, width_ratios=[1, 1.9])

    letter(part_a, "A")
    ax = part_a.subplots()
    of = by_delta["measure"] == "target_alignment"
    _draw_differences(ax, by_delta[of], "delta", _shades(by_delta))
    ax.set(title="Separable inputs", xlabel=r"Separability $\delta$", ylabel=DIFFERENCE)
    _name_steps(part_a, by_delta, columns=2)

    letter(part_b, "B")
    of = by_alignment["measure"] == "target_alignment"
    small = below.subplots(rows, COLUMNS, squeeze=False, sharey=True) if rows else np.empty((0, 3))
    axes = [part_b.subplots(), *small.flat]
    for ax in axes[max(len(cells), 1) :]:
        ax.set_axis_off()
    for ax, (clusters, targets) in zip(axes, cells, strict=False):
        cell = (by_alignment["clusters"] == clusters) & (by_alignment["targets"] == targets)
        _draw_differences(ax, by_alignment[of & cell], "alignment", _shades(by_alignment))
        ax.set_title(f"$P={clusters}$, $k={targets}$")
    for ax in [axes[0], *[ax for ax in small.flat if ax.axison][-COLUMNS:]]:
        ax.set_xlabel("Input-output alignment $c$")
    for ax in [axes[0], *small[:, 0]]:
        ax.set_ylabel(DIFFERENCE)
    shown = [ax for ax in axes if ax.axison]
    limits = np.array([ax.get_ylim() for ax in shown])
    for ax in shown:
        ax.set_ylim(limits[:, 0].min(), limits[:, 1].max())
    _name_steps(part_b, by_alignment, columns=3)

    finish(
        figure,
        table,
        style,
        "Medians of paired differences, by steps of training. "
        f"A: {_medians(by_delta)}. B: {_medians(by_alignment)}.{_diamonds(table)}"
        f"{not_drawn(table, ('tanh', 'relu'))}",
    )
    return figure


def _medians(table: pd.DataFrame) -> str:
    found = table[table["contrast"] == TANH_RELU]
    intervals = with_intervals(found, table, "target_alignment")
    return f"over {networks(table, 'target_alignment')}, {intervals}"


def _diamonds(table: pd.DataFrame) -> str:
    changes = table[table["contrast"] == SIGN_CHANGE].dropna(subset="value")
    if not len(changes):
        return ""
    has = changes["low"].notna()
    interval = ", with the 95 % interval" + " where it has one" * (not has.all())
    without = " A curve without one does not go from below to above 0 in most networks."
    return f" Change of sign: median{interval if has.any() else ''}.{without}"


def _shades(table: pd.DataFrame) -> dict[int, Any]:
    """Return the colour of each step, darker for later steps; four can be distinguished in grey."""
    from matplotlib import colormaps

    steps = sorted(table["step"].dropna().unique())
    return dict(zip(steps, colormaps["viridis_r"](np.linspace(0.15, 1, len(steps))), strict=True))


def _name_steps(part: Any, table: pd.DataFrame, columns: int) -> None:
    """Name the steps and marks above the panels, because curves fill these."""
    shades = _shades(table)
    names = [f"{step:.0f}" for step in shades]
    if names:
        names[0] = f"after {names[0]}"
        names[-1] += " steps"
    looks = {name: {"color": shade} for name, shade in zip(names, shades.values(), strict=True)}
    if table.loc[table["contrast"] == SIGN_CHANGE, "value"].notna().any():
        looks["change of sign"] = CHANGE | {"color": GREY}
    add_key(part, looks | {"no difference": NO_DIFFERENCE}, ncols=columns)


def _draw_differences(ax: Any, rows: pd.DataFrame, x: str, shades: dict[int, Any]) -> None:
    means = rows[rows["contrast"] == TANH_RELU].sort_values(x)
    changes = rows[rows["contrast"] == SIGN_CHANGE].dropna(subset="value")
    refuse_mixed_kinds(means, [x, "step"])
    refuse_mixed_kinds(changes, ["step"])
    if not len(means):
        say(ax, NO_PAIRS)
    ax.axhline(0, **NO_DIFFERENCE, zorder=0)
    for step, shade in shades.items():
        mine = means[means["step"] == step]
        bars = 0.8 if mine[x].nunique() == 1 else None
        draw_line(ax, mine, x, bars=bars, shade=0.3, color=shade, marker="o", markersize=1.5)
    for change in changes.itertuples():
        ax.hlines(0, change.low, change.high, color=shades[change.step], linewidth=2)
        ax.plot(change.value, 0, color=shades[change.step], **CHANGE)
