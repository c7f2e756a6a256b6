"""Figure 2: XoR with a third input, and its two solutions."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.dynamics.agreement import agreement
from repatlas.dynamics.xor import CROSSING, LAST_OF_FOUR, fit_initial, loss_curve
from repatlas.experiments.items.tasks.xor import Xor
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import axis, panels
from repatlas.plots.marks import add_key, draw_line, guide
from repatlas.plots.palette import CLASS_COLOURS, WHITE
from repatlas.plots.schematic import VIEW, draw_edges
from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.studies.gating.look import (
    FITTED,
    RELU,
    RELU_DOT,
    draw_band,
    draw_matrix,
    losses,
    medians,
    number_of_seeds,
)
from repatlas.studies.gating.roles import XOR, role
from repatlas.studies.gating.rows.curves import VARIANTS, curves_of, thinned
from repatlas.studies.gating.rows.tasks import cells
from repatlas.studies.gating.rows.xor import RATE, last_units

FIGURE = Figure(
    "XoR: two pathways or four, by how far a third input tells the classes apart.",
    {
        "transition": role(
            "The sweep of ReLU networks over delta, whose units panel E counts.",
            {"units"},
            "relu",
            only=XOR,
            shown=axis("task.delta"),
        ),
        "losses": role(
            "The sweep of those whose losses panel D draws, for each of at most 8 values of delta.",
            {"loss"},
            "relu",
            only=XOR,
            shown=panels("task.delta"),
            fits=(at_most({"task.delta": 8}),),
        ),
    },
    finding=Finding(
        "On XoR four pathways give way to two, the better the third input tells the classes apart.",
        {"17": SUPPORTED},
    ),
)
CAPTION = """**Figure 2: XoR with a third input.** A: the four items, to scale in an oblique view;
the third input, Δ, tells the classes apart. At Δ* = √(2/3) both solutions are learned equally fast.
B, C: the gates of the two solutions: a pathway for each class, or one for each item. D: the loss of
{{ n(facts.losses.seeds) }} for each Δ, of width {{ listed(facts.losses.width) }}, and the logistic
of the faster pathways: four below Δ*, two above. Its initial strength is fitted once for all
networks of a Δ. Time is divided by the epoch at which the theory has half of its first loss. Below:
the largest difference between a network and the theory, as a fraction of the first loss, with the
limit by which the claim is judged. E (our choice): the share of mass of units that are on at only
one item, for {{ n(facts.transition.seeds) }} for each Δ. It is the median with its 95 % interval,
where there are networks enough for one. The parametrisation of the task is ours: the paper changes
the data gradually and gives no formula. {{ lost }}"""

EVERY = 4
"""Epochs between the points of curves; the steepest curves take tens of epochs."""
SHOWN = (0.0, CROSSING, 2.0)
"""The values of delta for which panel A shows the items."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    items = [
        cells(Xor(kind="xor", delta=delta).draw().inputs, "input", task="xor", delta=delta)
        for delta in SHOWN
    ]
    units = last_units(rows["transition"])
    return pd.concat(
        [*items, thinned(rows["losses"], EVERY), units, theory_rows(rows["losses"])],
        ignore_index=True,
    )


def theory_rows(losses: pd.DataFrame) -> pd.DataFrame:
    """Return the logistic of the faster pathways, four or two, for each delta.

    All networks of a delta have one fitted initial strength. The rows are the curve, this strength,
    and the agreement.
    """
    parts = []
    for about, seeds, epochs, curves in curves_of(losses):
        delta = float(about["delta"])
        pathways = 4 if delta < CROSSING else 2
        initial = fit_initial(curves, epochs, delta, pathways, RATE)
        theory = loss_curve(epochs, delta, pathways, initial, RATE)
        of_theory = {"task": "xor", "delta": delta, "variant": f"{pathways} pathways"}
        drawn = epochs % EVERY == 0
        parts.append(
            pd.DataFrame({"step": epochs[drawn], "value": theory[drawn]}).assign(
                measure="theory", **of_theory
            )
        )
        parts.append(pd.DataFrame([of_theory | {"measure": "initial", "value": initial}]))
        for seed, curve in zip(seeds, curves, strict=True):
            found = agreement(theory, curve, epochs)._asdict()
            common = about.to_dict() | {"seed": seed, "measure": "agreement"}
            common["reference"] = f"{pathways} pathways"
            parts.append(
                pd.DataFrame(
                    [
                        common | {"variant": VARIANTS[name], "value": float(value)}
                        for name, value in found.items()
                    ]
                )
            )
    return pd.concat(parts) if parts else pd.DataFrame()


CLASSES = ("positive class", "negative class")
POSITIVE = (0, 3)
"""The items whose class is positive."""
LIMIT = 0.05
"""The largest difference between the loss of a network and the theory that claim 19 allows."""
MARKED_DELTAS = {
    CROSSING: r"$\Delta^*=\sqrt{2/3}$" "\nboth equally fast",
    LAST_OF_FOUR: r"$\sqrt{2}$" "\nbeyond it, no unit can\nbe on at one item alone",
}
PATHWAYS = {
    "B": ("2 pathways", [[1, 0, 0, 1], [0, 1, 1, 0]]),
    "C": ("4 pathways", np.eye(4)),
}


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 0.96 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.38, 0.58])
    left, right = top.subfigures(1, 2, width_ratios=[1.5, 1])
    letter(left, "A")
    inputs = table[table["measure"] == "input"]
    deltas = sorted(inputs["delta"].unique())
    for ax, delta in zip(left.subplots(1, len(deltas)), deltas, strict=True):
        _draw_items(ax, inputs[inputs["delta"] == delta], delta)
    looks = {
        name: {"color": colour, "marker": marker, "linestyle": "none", "markersize": 4}
        for marker, colour, name in zip("os", CLASS_COLOURS, CLASSES, strict=True)
    }
    add_key(left, looks, loc="outside lower center")

    for part, (mark, (title, gates)) in zip(right.subfigures(1, 2), PATHWAYS.items(), strict=True):
        letter(part, mark)
        ax = part.subplots()
        draw_matrix(ax, -np.asarray(gates, float), title)
        ax.set_yticks(range(len(gates)), range(1, len(gates) + 1))
        ax.set_xticks(range(4), ["$x_1$", "$x_2$", "$x_3$", "$x_4$"])
        ax.set_ylabel("Pathway")
        ax.tick_params(length=0)

    left, right = bottom.subfigures(1, 2, width_ratios=[0.42, 0.58])
    letter(left, "D")
    curve, difference = left.subplots(2, 1, height_ratios=[1, 0.7])
    _draw_losses(curve, table)
    _draw_agreement(difference, table)
    letter(right, "E")
    _draw_share(right.subplots(), table)
    curves = losses(table)
    shares = table[table["measure"] == "items_share"]
    finish(
        figure,
        table,
        style,
        "B, C: blue are the items for which a pathway is on. D: "
        f"{number_of_seeds(curves)} for each of {curves['delta'].nunique()} values of "
        "\N{GREEK CAPITAL LETTER DELTA}; the theory is the logistic of the faster pathways, with"
        " one fitted number for each \N{GREEK CAPITAL LETTER DELTA}; below, "
        f"{medians(_differences(table), ['delta'])}. E: after the last epoch, "
        f"{medians(shares, ['delta'])}.",
    )
    return figure


def _draw_items(ax: Any, rows: pd.DataFrame, delta: float) -> None:
    places = rows.pivot_table(index="cluster", columns="neuron", values="value").to_numpy() @ VIEW.T
    draw_edges(ax, places)
    for item, place in enumerate(places):
        positive = item in POSITIVE
        ax.plot(
            *place, "o" if positive else "s", color=CLASS_COLOURS[int(not positive)], markersize=4
        )
        ax.annotate(f"$x_{item + 1}$", place, xytext=(3, 3), textcoords="offset points")
    reach = 2.6
    ax.set(xlim=(-1.6, 1.9), ylim=(-reach, reach), aspect="equal")
    ax.set_axis_off()
    is_crossing = np.isclose(delta, CROSSING)
    title = r"$\Delta=\Delta^*=0.816$" if is_crossing else rf"$\Delta={delta:g}$"
    ax.set_title(title, pad=2)  # with more the asterisk is above the figure


def _draw_losses(ax: Any, table: pd.DataFrame) -> None:
    """Draw the losses of all networks and of the theory of each delta, over time that is scaled so
    that half of the theory's loss is left at 1."""
    ax.set(title="Loss, for each $\\Delta$", ylabel="Loss")
    ax.set_xlabel("Epoch divided by that of\nhalf the loss in theory")
    found, handles = losses(table), {}
    for delta, theory in table[table["measure"] == "theory"].groupby("delta"):
        theory = theory.sort_values("step")
        half = theory.loc[theory["value"] < theory["value"].iloc[0] / 2, "step"].min()
        if pd.isna(half):
            continue
        for _, curve in found[found["delta"] == delta].groupby(["run", "seed"]):
            [line] = ax.plot(curve["step"] / half, curve["value"], color=RELU, linewidth=0.5)
            handles["ReLU"] = line
        [line] = ax.plot(theory["step"] / half, theory["value"], color=FITTED, linewidth=0.8,
                         linestyle=(0, (4, 1.5)))  # fmt: skip
        handles["theory"] = line
    if not handles:
        say(ax, "No loss in this run" if found.empty else "No loss fell to half of its start")
        return
    ax.set_xlim(0, 2)
    ax.legend(handles.values(), handles.keys(), loc="upper right", handlelength=1.8, borderpad=0)


def _differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the largest difference of each network's loss from the theory, of the first loss."""
    rows = table[(table["measure"] == "agreement") & (table["variant"] == "D1")]
    return rows[rows["reference"].str.endswith("pathways", na=False)]


def _draw_agreement(ax: Any, table: pd.DataFrame) -> None:
    found = with_interval(_differences(table), ["delta"])
    ax.set(xlabel=r"Third input $\Delta$", ylabel="Largest difference,\nof the first loss")
    if found.empty:
        say(ax, "No loss in this run")
        return
    draw_line(ax, found, "delta", bars=0.8, **RELU_DOT)
    guide(ax, LIMIT, "limit", 1, ha="right")
    ax.set_ylim(0, max(1.35 * LIMIT, *ax.get_ylim()))


def _draw_share(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "items_share"]
    if rows.empty:
        say(ax, "Not in this run")
        return
    draw_band(ax, rows, "delta", RELU, marker="s", markersize=2.4, markerfacecolor=WHITE)
    for (place, name), side in zip(MARKED_DELTAS.items(), ("right", "left"), strict=True):
        aside = {"ha": side, "xytext": (3 if side == "left" else -3, -2), "linespacing": 1.05}
        guide(ax, place, name, 1, False, **aside)
    ax.set(xlabel=r"Third input $\Delta$", ylabel="Mass of units on\nat one item alone",
           ylim=(-0.03, 1.25))  # fmt: skip
    ax.set_yticks([0, 0.5, 1], ["2 pathways\n0", "0.5", "4 pathways\n1"])
