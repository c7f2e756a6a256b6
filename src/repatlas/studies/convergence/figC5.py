"""Figure C5: layers that are frozen in the course of training."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.experiments.classification.training import SCHEDULES
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import Role, legend
from repatlas.plots.marks import draw_line, guide, strip
from repatlas.plots.palette import BLACK, DARK, GREY, LIGHT, LILAC, PURPLE
from repatlas.plots.spread import with_interval
from repatlas.plots.style import FRAMED, Style, counted, finish, letter, page, say, small_type
from repatlas.plots.words import with_intervals
from repatlas.studies.convergence.parts import ends_of
from repatlas.studies.convergence.roles import EITHER
from repatlas.studies.convergence.rows.hidden import hidden_layers
from repatlas.studies.convergence.rows.networks import have_learned, learned, limits

MEASURES = {"accuracy", "learning_curves", "saved_gradients"}

FIGURE = Figure(
    "Freeze training: layers that keep their weights from a time on, the lowest first.",
    {
        "unfrozen": Role(
            "The sweep of networks whose layers are all trained to the end, with a step for each"
            " length of training.",
            MEASURES,
            EITHER | {"training.frozen": ("none",)},
            shown={},
        ),
        "frozen": Role(
            "The sweep of those with frozen layers, for each schedule and length of training.",
            MEASURES,
            EITHER | {"training.frozen": tuple(SCHEDULES)},
            shown=legend("training.frozen", "training.passes"),
            fits=(at_most({"training.passes": 2}),),
        ),
    },
    alike=(Alike("frozen", "unfrozen", ("data_set", "task", "network")),),
    finding=Finding(
        "Freezing layers on a linear schedule costs accuracy.",
        {"C10": CONTRADICTED},
    ),
)
CAPTION = """**Figure C5: freeze training** (Raghu et al. 2017, section 4.2). From a time on a layer
keeps its weights and biases, the lowest layer first; the readout is trained to the end. Networks of
one seed have the same start and the same batches, whatever is frozen ({{ n(facts.unfrozen.seeds) }}
of each kind; {{ activations(facts.unfrozen) }}, width {{ listed(facts.unfrozen.width) }}, {{
hidden(facts.unfrozen) }}, on {{ listed(facts.unfrozen.data_set) }}). A: when each layer is frozen,
of the layers with weights counted from the input. B: test accuracy at the end minus the accuracy of
the same network with nothing frozen, after {{ listed(facts.frozen.passes) }} passes; medians with
95 % intervals where there are networks enough for one. C: test accuracy against the share of the
gradients of all layers and steps that need not be computed, by the schedule alone: it is no time on
a clock. D: test accuracy over training, means over networks; a marker is where a layer is frozen. C
and D are of the longest training. Networks with frozen layers are shown whatever they have learned,
since less would be an effect of freezing. {{ lost }}"""

EVERY = 2
"""Passes between the points of curves."""
ARM = ["frozen", "passes"]


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return the table with all networks whose layers are frozen.

    If they learn less, that is an effect of freezing. Without them only the best would be left.
    """
    frozen = rows["frozen"]
    unfrozen = rows_by_length(rows["unfrozen"], lengths(frozen))
    ends = [at_the_end(frozen), at_the_end(unfrozen)]
    everything = [*ends, gains(*ends), curves(pd.concat([frozen, unfrozen])), schedules(frozen)]
    return pd.concat([part for part in everything if len(part)], ignore_index=True)


def lengths(frozen: pd.DataFrame) -> dict[int, int]:
    """Return the last step of training by the number of passes."""
    return frozen.groupby("passes")["step"].max().to_dict()


def rows_by_length(unfrozen: pd.DataFrame, lengths: dict[int, int]) -> pd.DataFrame:
    """Return the rows of networks without frozen layers, once for each length of training.

    Rows are up to its last step, with its `passes`. The networks are the same for each length.
    Networks that have not learned by its end are left out of it.
    """
    measured = set(unfrozen.loc[unfrozen["measure"] == "accuracy", "step"])
    parts = [
        learned(unfrozen[unfrozen["step"] <= last]).assign(passes=passes)
        for passes, last in lengths.items()
        if last in measured
    ]
    return pd.concat(parts) if parts else unfrozen[:0]


def at_the_end(rows: pd.DataFrame) -> pd.DataFrame:
    """Return accuracies and the share of gradients saved, at the last step of each length of
    training."""
    own = rows[rows["measure"].isin(["accuracy", "saved_gradients"])]
    return own[own["step"] == own.groupby(ARM, dropna=False)["step"].transform("max")]


def gains(frozen: pd.DataFrame, unfrozen: pd.DataFrame) -> pd.DataFrame:
    """Return test accuracy with frozen layers minus the accuracy without, for the same seed."""
    tests = [ends[(ends["measure"] == "accuracy") & (ends["variant"] == "test")]
             for ends in (frozen, unfrozen)]  # fmt: skip
    none = tests[1][["passes", "seed", "value"]].rename(columns={"value": "without"})
    found = tests[0].merge(none, on=["passes", "seed"])
    gain = found.assign(measure="gain", value=found["value"] - found["without"])
    return gain.drop(columns="without")


def curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Return test accuracy over training, at some of the ends of passes: the mean and the standard
    deviation over networks."""
    own = rows[(rows["measure"] == "accuracy_curve") & (rows["variant"] == "test")]
    steps = sorted(own["step"].unique())
    drawn = own[own["step"].isin(steps[::EVERY])]
    by = [*ARM, "activation", "width", "depth", "data_set", "network", "step", "measure", "variant"]
    grouped = drawn.groupby(by, dropna=False, sort=False)["value"]
    found = grouped.agg(value="mean", sd="std").reset_index()
    return found.assign(contrast="mean")


def schedules(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the fraction of training at which each layer with weights is frozen.

    The last layer never is, and has no row.
    """
    found = []
    kinds = rows.assign(layers=hidden_layers(rows) + 1)[["frozen", "depth", "layers"]]
    for frozen, depth, layers in kinds.drop_duplicates().itertuples(index=False):
        found += [
            {"measure": "frozen_from", "variant": "schedule", "frozen": frozen, "layer": layer,
             "depth": depth, "value": SCHEDULES[frozen](layer / layers)}
            for layer in range(1, int(layers))
        ]  # fmt: skip
    return pd.DataFrame(found)


LIMIT = -1.0
"""Points of test accuracy that freezing may cost by claim C10."""


class Arm(NamedTuple):
    name: str
    colour: str
    marker: str
    line: Any


ARMS = {
    "none": Arm("none frozen", BLACK, "o", "-"),
    "linear": Arm("linear", PURPLE, "s", (0, (5, 1))),
    "late_linear": Arm("late linear", LILAC, "^", (0, (3, 1))),
    "square_root": Arm("square root", DARK, "D", (0, (1, 0.7))),
    "cubic": Arm("cubic", BLACK, "v", (0, (4, 1, 1, 1))),
}


def draw(table: pd.DataFrame, style: Style) -> Any:
    from matplotlib.lines import Line2D

    ends = ends_of(table)
    figure = page(style, 0.92 * style.width)
    above, below = figure.subfigures(2, 1, height_ratios=[1.12, 1])
    rows = (above.subfigures(1, 2, width_ratios=[1, 1.7]),)
    rows += (below.subfigures(1, 2, width_ratios=[1, 1.7]),)
    parts = dict(zip("ABCD", (part for row in rows for part in row), strict=True))
    for mark, part in parts.items():
        letter(part, mark)
    lengths = sorted(table["passes"].dropna().unique())
    _draw_schedules(parts["A"].subplots(), table)
    _draw_gains(parts["B"].subplots(), table, lengths)
    _draw_savings(parts["C"].subplots(), table, lengths)
    _draw_curves(parts["D"].subplots(), table, max(lengths, default=0))
    handles = [
        Line2D([], [], color=arm.colour, linestyle=arm.line, marker=arm.marker, markersize=3,
               label=arm.name)
        for frozen, arm in ARMS.items()
        if frozen in set(table["frozen"])
    ]  # fmt: skip
    below.legend(handles=handles, loc="outside upper center", ncols=5, handlelength=2.4)
    less = (~have_learned(ends)).sum()
    longest = f" C, D: {max(lengths):.0f} passes." * (len(lengths) > 1)
    finish(
        figure,
        table,
        style,
        f"{counted(ends['seed'].nunique())} of each kind. B: test accuracy minus that of the same"
        f" seed without frozen layers; medians, {_intervals(table)}; dots are networks."
        f" C: medians.{longest} D: means over networks; a marker is where a layer is frozen, the"
        f" lowest first. {less} of the {counted(len(ends))} learned less than {limits(ends)} of the"
        " training images.",
    )
    return figure


def _intervals(table: pd.DataFrame) -> str:
    """Return the words that say whether the medians of panel B have intervals."""
    gains = table[table["measure"] == "gain"]
    return with_intervals(with_interval(gains, ARM), table, "gain")


def _draw_schedules(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "frozen_from"]
    if rows.empty:
        say(ax, "No schedule in this run")
        return
    for frozen, arm in ARMS.items():
        own = rows[rows["frozen"] == frozen].sort_values("layer")
        if len(own):
            ax.plot(own["value"], own["layer"], color=arm.colour, linestyle=arm.line,
                    marker=arm.marker, markersize=3)  # fmt: skip
    layers = int(rows["layer"].max()) + 1
    ax.text(0.5, layers, "readout: trained to the end", ha="center", va="center", size=small_type(),
            color=GREY)  # fmt: skip
    ax.set(xlabel="Fraction of training", ylabel="Layer, frozen from here", xlim=(0, 1),
           ylim=(0.6, layers + 0.4), title="Schedules")  # fmt: skip
    ax.set_yticks(range(1, layers + 1))


def _draw_gains(ax: Any, table: pd.DataFrame, lengths: list) -> None:
    rows = table[table["measure"] == "gain"]
    if rows.empty:
        say(ax, "No network has learned its images")
        return
    frozen = [name for name in ARMS if name in set(rows["frozen"])]
    for number, passes in enumerate(lengths):
        offset = 0.3 * (number - (len(lengths) - 1) / 2)
        for place, name in enumerate(frozen):
            own = rows[(rows["frozen"] == name) & (rows["passes"] == passes)]
            own = own.assign(at=place + offset, value=100 * own["value"])
            strip(ax, own["value"], place + offset, False, color=LIGHT, markersize=2.5)
            draw_line(
                ax,
                with_interval(own, ["at"]),
                "at",
                bars=1,
                color=ARMS[name].colour,
                marker=ARMS[name].marker,
                markersize=3.5,
                fillstyle="full" if number else "none",
            )
    guide(ax, LIMIT, "limit", 1, va="center", xytext=(2, 0), annotation_clip=False)
    names = [ARMS[name].name.replace(" ", "\n") for name in frozen]
    ax.set_xticks(range(len(frozen)), names)
    for number, passes in enumerate(lengths):
        ax.plot([], [], "o", color=DARK, markersize=3.5, label=f"{passes:.0f} passes",
                fillstyle="full" if number else "none")  # fmt: skip
    ax.legend(handlelength=0.8, labelspacing=0.2, **FRAMED)
    ax.set(ylabel="Points of test accuracy", title="Gain over none frozen")
    ax.margins(y=0.25)


def _draw_savings(ax: Any, table: pd.DataFrame, lengths: list) -> None:
    """Draw the median accuracy of each schedule against the share of gradients that it saves.

    It has its interval, and is for the longest training.
    """
    rows = table[(table["passes"] == max(lengths, default=0)) & table["contrast"].isna()]
    tests = rows[(rows["measure"] == "accuracy") & (rows["variant"] == "test")]
    saved = rows[rows["measure"] == "saved_gradients"].groupby("frozen")["value"].median()
    if tests.empty:
        say(ax, "No network has learned its images")
        return
    for name, arm in ARMS.items():
        if name in saved:
            own = tests[tests["frozen"] == name].assign(at=100 * saved[name])
            draw_line(ax, with_interval(own, ["at"]), "at", bars=1, color=arm.colour,
                  marker=arm.marker, markersize=4)  # fmt: skip
    ax.set(xlabel="Gradients saved (%)", ylabel="Median test accuracy",
           title="Accuracy and savings")  # fmt: skip
    ax.margins(x=0.15, y=0.2)


def _draw_curves(ax: Any, table: pd.DataFrame, passes: float) -> None:
    rows = table[(table["measure"] == "accuracy_curve") & (table["passes"] == passes)]
    frozen_from = table[table["measure"] == "frozen_from"]
    if rows.empty:
        say(ax, "No network has learned its images")
        return
    last = rows["step"].max()
    for frozen, arm in ARMS.items():
        own = rows[rows["frozen"] == frozen].sort_values("step")
        if own.empty:
            continue
        step, value = (own[name].to_numpy(float) for name in ("step", "value"))
        is_reference = frozen == "none"
        ax.plot(step, value, color=arm.colour, linestyle=arm.line,
                linewidth=0.8 if is_reference else 1.2)  # fmt: skip
        at = last * frozen_from.loc[frozen_from["frozen"] == frozen, "value"].to_numpy(float)
        ax.plot(at, np.interp(at, step, value), arm.marker, color=arm.colour, markersize=3.5)
    unit = "Pass over the images" if rows["network"].eq("small_cnn").all() else "Training step"
    ax.set(title="Test accuracy over training", xlabel=unit, ylabel="Test accuracy")
