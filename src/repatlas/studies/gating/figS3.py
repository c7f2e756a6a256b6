"""Figure S3: the loss does not tell which gates there are; units do."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, networks, words
from repatlas.plots.marks import bars, draw_line, guide
from repatlas.plots.palette import DARK, GREY, LIGHT
from repatlas.plots.spread import with_interval
from repatlas.plots.style import FRAMED, Style, finish, letter, page, say
from repatlas.plots.words import listed
from repatlas.record import refuse
from repatlas.studies.gating.look import (
    FITTED,
    GATED,
    MARKED,
    RELU,
    RELU_DOT,
    draw_losses,
    legend_of,
    losses,
    medians,
    number_of_seeds,
)
from repatlas.studies.gating.roles import HOMOGENEOUS, role
from repatlas.studies.gating.rows.curves import agreement_rows, reference_rows, thinned

FIRST = {"network.fitted_to": ("first",)}
"""Fits to the first network, which other networks judge."""


def _has_three_contexts(where: str, sweeps: dict) -> None:
    """Refuse sweeps without tasks of three contexts, which are all that the figure shows."""
    found = networks(sweeps)
    numbers = {each["task.contexts"] for each in found}
    if 3 not in numbers:
        refuse(f"{where}: found task.contexts {words(numbers)}, allowed: 3 among them")


FIGURE = Figure(
    "Fits of the loss by pathways of all contexts but one and of single contexts, units that tell"
    " which it is, and controls with the gates of units.",
    {
        "relu": role(
            "The sweep of ReLU networks.",
            {"loss", "units"},
            "relu",
            only=HOMOGENEOUS,
            shown=legend("task.contexts"),
            fits=(_has_three_contexts,),
        ),
        "fits": role(
            "Sweeps of mean fields whose recruitment is fitted, with either kind of pathways.",
            {"loss", "pathways"},
            "recruited",
            only=HOMOGENEOUS | FIRST | {"network.pathways": ("all_but_one", "single")},
            shown=legend("network.pathways", "task.contexts"),
            fits=(_has_three_contexts,),
            several=True,
            optional=True,
        ),
        "own_fits": role(
            "The sweep of the same mean fields, fitted to each network separately.",
            {"pathways"},
            "recruited",
            only=HOMOGENEOUS | {"network.fitted_to": ("own",)},
            shown=legend("network.pathways"),
            optional=True,
        ),
        "frozen": role(
            "The sweep of the same networks with gates of units that are frozen from the start.",
            {"loss"},
            "frozen",
            only=HOMOGENEOUS | {"task.contexts": (3,)},
            shown=legend("network.gates"),
        ),
    },
    finding=Finding(
        "Two sets of pathways fit the same loss; a network could recruit only one of them.",
        {"22": SUPPORTED, "22b": SUPPORTED},
    ),
)
CAPTION = """**Figure S3: the loss does not tell which gates there are (our choice).** A: {{
n(facts.relu.seeds) }} and two fits of the loss of one of them: by pathways of two contexts, and of
one. B: control: each unit keeps from the start the gate that it ends with, as it is, or rounded to
contexts. C: 1 - R2 of both, on networks that were not fitted, compared with 1 - R2 from one seed to
the next. D: the recruitment that each fit asks for: units in a pathway, as a fraction of all units.
E: what decides: slopes of ReLU units in their contexts, 1 where a unit is linear and 0 where it is
off. Pathways of two contexts have two slopes of 1. {{ lost }}"""

CONTEXTS = 3


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, frozen = _with_three_contexts(rows["relu"]), rows["frozen"]
    fits = _with_three_contexts(rows.get("fits", relu[:0]))
    own = _with_three_contexts(rows.get("own_fits", relu[:0]))
    kappas = own[(own["measure"] == "kappa") & (own["step"] == own["step"].max())]
    # The first network is the one that was fitted.
    fitted = agreement_rows(fits, relu[relu["seed"] > 0], "relu", ())
    best = agreement_rows(frozen, relu, "relu", ())
    slopes = relu[relu["measure"].isin(["slope", "used_share"])]
    return pd.concat(
        [
            *(thinned(each) for each in (relu, fits, frozen)),
            reference_rows(relu),
            fitted,
            best,
            kappas.assign(measure="fitted_kappa"),
            slopes[slopes["step"] == slopes["step"].max()],
        ],
        ignore_index=True,
    )


def _with_three_contexts(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["contexts"] == CONTEXTS]


GATES = {"all_but_one": ("two contexts", FITTED), "single": ("one context", GATED)}
"""By pathways: their name and colour."""
WIDTHS = {"A": 1.35}
"""Widths of panels, where these are not 1."""
NOTHING = "No fit, no frozen gates and no slopes of units in this run"


def draw(table: pd.DataFrame, style: Style) -> Any:
    rows = [[mark for mark in row if _has(mark, table)] for row in ("AB", "CDE")]
    heights = [height for row, height in zip(rows, (0.45, 0.41), strict=True) if row]
    figure = page(style, sum(heights or [0.24]) * style.width)
    if not heights:
        say(figure.subplots(), NOTHING)
        finish(figure, table, style, f"{NOTHING}.")
        return figure
    parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, row in zip(parts, filter(None, rows), strict=True):
        widths = [WIDTHS.get(mark, 1.0) for mark in row]
        panels = part.subfigures(1, len(row), width_ratios=widths)
        for panel, mark in zip(np.atleast_1d(panels), row, strict=True):
            letter(panel, mark)
            DRAWN[mark](panel, table)
    marks = "".join(map("".join, rows))
    lacking = [mark for mark in "ABCDE" if mark not in marks]
    note = " ".join(_note(mark, table) for mark in marks)
    left_out = f" Left out, not in this run: {listed(lacking)}." if lacking else ""
    finish(figure, table, style, f"{note}{left_out}")
    return figure


def _has(mark: str, table: pd.DataFrame) -> bool:
    """Return True if the table has rows of this panel."""
    curves = losses(table)["network"]
    return {
        "A": (curves == "recruited").any(),
        "B": (curves == "frozen").any(),
        "C": len(_agreement(table)) > 0,
        "D": (table["measure"] == "fitted_kappa").any(),
        "E": (table["measure"] == "slope").any(),
    }[mark]


def _note(mark: str, table: pd.DataFrame) -> str:
    """Return the sentence about a panel."""
    if mark in "AB":
        return f"{mark}: thin, {number_of_seeds(losses(table[table['network'] == 'relu']))}."
    if mark == "C":
        said = medians(_agreement(table), ["network", "pathways", "gates", "reference"])
        return f"C: {said}; fits on the networks that they were not fitted to."
    if mark == "D":
        return "D: a fit above 1 needs more units than there are."
    said = medians(table[table["measure"] == "slope"], ["neuron"])
    return f"E: mean slopes, each unit's sorted, weighted by mass, {said}."


def _draw_frozen(part: Any, table: pd.DataFrame) -> None:
    ax = part.subplots()
    draw_losses(ax, table, ("relu", "frozen items", "frozen contexts"))
    ax.set(title="Gates of units, frozen from the start", ylabel="Loss")
    legend_of(part, [ax], loc="outside lower left", ncols=1)


def _draw_fits(part: Any, table: pd.DataFrame) -> None:
    ax = part.subplots()
    draw_losses(ax, table, ("relu",))
    fits = losses(table[table["network"] == "recruited"])
    lines = ((0, (4, 1.5)), (2.75, (4, 1.5)))  # the gaps of one show the other
    for (pathways, (name, colour)), line in zip(GATES.items(), lines, strict=True):
        curve = fits[fits["pathways"] == pathways]
        if curve.empty:
            continue
        ax.plot(curve["step"], curve["value"], color=colour, linestyle=line,
                label=f"K-flow, pathways of {name}", marker="s" if colour == GATED else "",
                **MARKED)  # fmt: skip
    ax.set(title="Three curves: a loss and two fits of it", ylabel="Loss")
    handles, names = ax.get_legend_handles_labels()
    # The first network of a kind has markers.
    once = dict(zip(names[::-1], handles[::-1], strict=True))
    ax.legend([*once.values()][::-1], [*once][::-1], handlelength=2, borderpad=0)


def _agreement(table: pd.DataFrame) -> pd.DataFrame:
    rows = table[(table["measure"] == "agreement") & (table["variant"] == "R2")]
    rows = rows.assign(value=1 - rows["value"])
    of = ["network", "pathways", "gates", "reference"]
    return rows.fillna(dict.fromkeys(of, ""))


def _draw_agreement(part: Any, table: pd.DataFrame) -> None:
    ax = part.subplots()
    rows = _agreement(table)
    chosen = {
        "fit, two contexts": (rows["pathways"] == "all_but_one", FITTED),
        "fit, one context": (rows["pathways"] == "single", GATED),
        "frozen gates": (rows["gates"] == "items", DARK),
        "gates of contexts": (rows["gates"] == "contexts", LIGHT),
        "next seed": (rows["reference"] == "next seed", RELU),
    }
    for place, (mask, colour) in enumerate(chosen.values()):
        found = with_interval(rows[mask].assign(place=place), ["place"])
        own = RELU_DOT if colour == RELU else RELU_DOT | {"marker": "o", "markerfacecolor": colour}
        draw_line(ax, found, "place", bars=1, across=True, **own | {"color": colour})
    ax.set_yticks(range(len(chosen)), list(chosen))
    ax.set(title="Agreement", xscale="log", xlabel="$1-R^2$")
    ax.set(ylim=(len(chosen) - 0.5, -0.5))


def _draw_kappas(part: Any, table: pd.DataFrame) -> None:
    ax = part.subplots()
    rows = table[table["measure"] == "fitted_kappa"]
    ax.set(title=r"Recruitment $\kappa$ that is fitted")
    for place, (pathways, (_, colour)) in enumerate(GATES.items()):
        for variant, marker in (("common", "s"), ("context", "o")):
            mine = rows[(rows["pathways"] == pathways) & (rows["variant"] == variant)]
            found = with_interval(mine.assign(place=place), ["place"])
            draw_line(ax, found, "place", bars=1, color=colour, linestyle="none", marker=marker,
                  markersize=4)  # fmt: skip
            for value in found["value"]:
                ax.annotate(f"{value:.3g}", (place, value), xytext=(5, 0),
                            textcoords="offset points", va="center")  # fmt: skip
    guide(ax, 1, "all units", 1, ha="right")
    ax.set_xticks(range(2), [name.replace(" ", "\n") for name, _ in GATES.values()])
    ax.set(yscale="log", xlim=(-0.5, 1.8), ylim=(0.08, 100))
    markers = [ax.plot([], [], each, color=GREY, markersize=4)[0] for each in "so"]
    ax.legend(markers, ["common", "of contexts"], loc="upper left", handlelength=1, **FRAMED)


def _draw_slopes(part: Any, table: pd.DataFrame) -> None:
    ax = part.subplots()
    found = with_interval(table[table["measure"] == "slope"], ["neuron"])
    bars(ax, found.assign(at=found["neuron"] + 1), "at", RELU, 0.6)
    ax.text(3.0, 0.95, "pathways\nof two\ncontexts", color=FITTED, ha="center", va="top")
    ax.plot([0.6, 2.4], [1, 1], color=FITTED, linewidth=1, linestyle=(0, (4, 1.5)))
    ax.set(title="Slopes of ReLU units", xlabel="Context, by slope", ylabel="Slope")
    ax.set_xticks(np.arange(1, 4))
    ax.set_ylim(0, 1.15)


DRAWN = {
    "A": _draw_fits,
    "B": _draw_frozen,
    "C": _draw_agreement,
    "D": _draw_kappas,
    "E": _draw_slopes,
}
"""What draws each panel."""
