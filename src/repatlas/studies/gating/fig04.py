"""Figure 4: three contexts of different structure."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.dynamics.correlations import linear_residual
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend
from repatlas.plots.marks import GUIDE, name_ends
from repatlas.plots.palette import GREY
from repatlas.plots.style import SMALLEST_RANGE, Style, finish, letter, page, say, small_type
from repatlas.studies.gating.look import (
    LOOKS,
    MARKED,
    draw_losses,
    draw_matrix,
    kinds,
    losses,
    mark_contexts,
    matrix,
    name_of_pathway,
    number_of_seeds,
)
from repatlas.studies.gating.roles import HETEROGENEOUS, role
from repatlas.studies.gating.rows.curves import agreement_rows, reference_rows, thinned
from repatlas.studies.gating.rows.modules import drawn_singular_values
from repatlas.studies.gating.rows.outputs import drawn_outputs, output_agreement_rows
from repatlas.studies.gating.rows.tasks import HETEROGENEOUS as TASK
from repatlas.studies.gating.rows.tasks import number_row, settings_of_task

ALL_BUT_ONE = {"network.pathways": ("all_but_one",)}

FIGURE = Figure(
    "A ReLU network, its gated network and theories of both, in three contexts of different"
    " structure.",
    {
        "relu": role(
            "The sweep of ReLU networks.", {"loss", "outputs"}, "relu", only=HETEROGENEOUS
        ),
        "gated": role(
            "The sweep of gated networks with a common pathway, and a pathway for all contexts"
            " except one.",
            {"loss", "outputs"},
            "gated",
            only=HETEROGENEOUS | ALL_BUT_ONE,
            shown=legend("network.gradient"),
        ),
        "modules": role(
            "The sweep of the gated network whose singular values panel C draws.",
            {"singular_values"},
            "gated",
            only=HETEROGENEOUS | ALL_BUT_ONE | {"network.gradient": ("detached",)},
        ),
        "theories": role(
            "Sweeps of theories.",
            {"loss", "singular_values"},
            *("race", "closed_form", "mean_field"),
            only=HETEROGENEOUS | ALL_BUT_ONE,
            several=True,
            shown=legend("network.gradient", "network.constants"),
        ),
        "fit": role(
            "The sweep of the mean field whose recruitment is fitted.",
            {"loss"},
            "recruited",
            only=HETEROGENEOUS | ALL_BUT_ONE,
            optional=True,
        ),
    },
    finding=Finding(
        "Not each single output of a ReLU network agrees with its gated network; agreement on the"
        " whole is not judged.",
        {"5": None, "5b": CONTRADICTED},
    ),
)
CAPTION = """**Figure 4: a ReLU network and its gated network (ReLN), in three contexts of different
structure.** A: losses of {{ n(facts.relu.seeds) }} of each type (ReLU: {{ listed(facts.relu.width)
}} units; ReLN: {{ listed(facts.gated.units) }} in each pathway) and the closed form with derived
constants; below, the same losses divided by the median loss of the ReLU networks. Figure S7
compares all theories. B: outputs of one ReLU network, and the same minus the outputs of its gated
network. Above each difference: the median over networks of the largest one, with the limit that the
claim sets. C: the three largest singular values of each module of one ReLN, and the strengths of
modes in theory (dashed). Modes are paired by size; where structures of contexts differ the
theories' directions hold only nearly. {{ lost }}"""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, gated = rows["relu"], rows["gated"]
    theories = [rows["theories"], rows.get("fit", relu[:0])]
    detached = gated[gated["gradient"] == "detached"]
    items = TASK.draw()
    residual = linear_residual(items.inputs, items.targets)
    return pd.concat(
        [
            *(thinned(each) for each in (relu, gated, *theories)),
            *(agreement_rows(each, relu, "relu", ("blocks",)) for each in (gated, *theories)),
            reference_rows(relu),
            number_row("floor", (residual**2).sum() / 2, **settings_of_task(TASK)),
            drawn_outputs(relu),
            drawn_outputs(detached),
            output_agreement_rows(detached, relu, "relu"),
            drawn_singular_values(rows["modules"]),
            drawn_singular_values(rows["theories"]),
        ],
        ignore_index=True,
    )


PATHWAYS = ("12", "13", "23")
OF_LOSS = ("relu", "gated detached", "closed_form derived")
"""The curves of panel A; Figure S7 compares all theories with the networks."""
THEORY = "closed_form derived"
MODES = 3
"""The leading singular values of a module that panel C draws."""
LIMIT = 0.05
"""The largest difference of a single output that claim 5b allows."""
LEAST_LOSS = 1e-2


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 1.23 * style.width)
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=[0.62, 0.34, 0.34])
    letter(top, "A")
    loss, ratio = top.subplots(2, 1, sharex=True, height_ratios=[1.0, 0.36])
    _draw_losses(loss, table)
    _draw_ratios(ratio, table)

    letter(middle, "B")
    _draw_outputs(middle, table)

    letter(bottom, "C")
    axes = bottom.subplots(1, len(PATHWAYS), sharey=True)
    for ax, pathway in zip(axes, PATHWAYS, strict=True):
        draw_singular_values(ax, table, pathway, (THEORY,), MODES)
    axes[0].set_ylabel("Singular value")
    named = {line.get_label(): line for line in axes[0].lines}
    if named:
        bottom.legend(named.values(), named.keys(), loc="outside lower center", ncols=2,
                      handlelength=2)  # fmt: skip
    finish(
        figure,
        table,
        style,
        f"A: each line is one network, {number_of_seeds(losses(table[table['network'] == 'relu']))}"
        f" of each kind. {_agreement(table)} B: one network of each kind; its outputs are rows, the"
        " items of the three contexts are columns. C: the three largest singular values of each"
        " module of one ReLN.",
    )
    return figure


def _draw_losses(ax: Any, table: pd.DataFrame) -> None:
    draw_losses(ax, table, OF_LOSS)
    ax.set(ylabel="Loss", xlabel="")
    if not ax.lines:
        return
    ax.set_yscale("log")
    ax.set_ylim(bottom=LEAST_LOSS)
    ends = {line.get_label(): line for line in ax.lines}
    name_ends(ax, {name: line for name, line in ends.items() if not name.startswith("_")})


def _draw_ratios(ax: Any, table: pd.DataFrame) -> None:
    """Draw the losses as multiples of the median loss of the ReLU networks."""
    rows = losses(table)
    rows = rows.assign(kind=kinds(rows))
    reference = rows[rows["kind"] == "relu"].groupby("step")["value"].median()
    ax.set(xlabel="Epoch", ylabel="Loss divided\nby that of ReLU", yscale="log")
    if not len(reference):
        say(ax, "No ReLU network to compare with")
        return
    ax.axhline(1, **GUIDE)
    for kind in OF_LOSS:
        look = LOOKS[kind]
        curves = rows[rows["kind"] == kind].groupby(["run", "seed"], dropna=False)
        for number, (_, curve) in enumerate(curves):
            of = curve.set_index("step")["value"]
            values = of / reference.reindex(of.index)
            ax.plot(values.index, values, color=look.colour, linestyle=look.line, **MARKED,
                    linewidth=look.width, marker="" if number else look.marker,
                    markerfacecolor=look.face or look.colour)  # fmt: skip
    ax.set_yticks([1, 3, 10, 30], ["1", "3", "10", "30"])
    ax.minorticks_off()


def _agreement(table: pd.DataFrame) -> str:
    """Return R2, and R2 between networks to compare with, for the note."""
    rows = table[(table["measure"] == "agreement") & (table["variant"] == "R2")]
    rows = rows.assign(kind=kinds(rows))
    parts = []
    for kind in ("gated detached", "closed_form derived"):
        values = rows.loc[(rows["kind"] == kind) & (rows["reference"] == "relu"), "value"]
        if len(values):
            parts.append(f"{LOOKS[kind].name} {values.median():.4f}")
    between = rows.loc[rows["reference"] == "next seed", "value"]
    if len(between):
        parts.append(f"another ReLU network {between.median():.4f}")
    return f"Median R\N{SUPERSCRIPT TWO} with ReLU: {', '.join(parts)}." if parts else ""


def _draw_outputs(part: Any, table: pd.DataFrame) -> None:
    """Draw outputs of the ReLU network, and their difference from the ReLN's, in rows, at each
    epoch.

    Above a difference is its largest entry, as the median over pairs of networks.
    """
    rows = table[(table["measure"] == "output") & (table["variant"] == "all")]
    largest = table[(table["measure"] == "output_agreement") & (table["variant"] == "largest")]
    epochs = sorted(rows["step"].dropna().unique())
    axes = part.subplots(2, max(len(epochs), 1), squeeze=False)
    image = difference = None
    reach = _reach(rows)
    for column, epoch in enumerate(epochs):
        at = rows[rows["step"] == epoch]
        found = {name: at[at["network"] == name] for name in ("relu", "gated")}
        axes[0, column].set_title(f"Epoch {epoch:.0f}")
        if any(each.empty for each in found.values()):
            for ax in axes[:, column]:
                say(ax, "Not measured of both networks")
            continue
        relu, gated = (matrix(found[name]) for name in ("relu", "gated"))
        image = draw_matrix(axes[0, column], relu, f"Epoch {epoch:.0f}")
        median = largest.loc[largest["step"] == epoch, "value"].median()
        title = "" if np.isnan(median) else f"largest {median:.2f}, limit {LIMIT:g}"
        difference = draw_matrix(axes[1, column], relu - gated, "", reach)
        axes[1, column].set_title(title, size=small_type(), color=GREY)
        for ax in axes[:, column]:
            mark_contexts(ax, 3, names=ax is axes[1, column])
    for ax, name in zip(axes[:, 0], ("ReLU", "ReLU \N{MINUS SIGN} ReLN"), strict=True):
        ax.set_ylabel(name)
    if not epochs:
        for ax in axes[:, 0]:
            say(ax, "Not in this run")
    if image is not None:
        part.colorbar(image, ax=axes[:1], label="Output", pad=0.01, ticks=[-1, 0, 1])
        bar = part.colorbar(difference, ax=axes[1:], label="Difference", pad=0.01)
        bar.set_ticks([-reach, 0, reach])


def _reach(rows: pd.DataFrame) -> float:
    """Return a range that holds the largest difference of an output between the two networks.

    It is a multiple of SMALLEST_RANGE. Colours of the outputs' range would not show such
    differences.
    """
    wide = rows.pivot_table(index=["step", "neuron", "cluster"], columns="network", values="value")
    if not {"relu", "gated"} <= set(wide):
        return 1.0
    largest = float((wide["relu"] - wide["gated"]).abs().max())
    return max(np.ceil(largest / SMALLEST_RANGE), 1) * SMALLEST_RANGE


def draw_singular_values(
    ax: Any, table: pd.DataFrame, pathway: str, theories: tuple[str, ...], most: int = 100
) -> None:
    """Draw the largest singular values of a module of a gated network, with theories over them.

    At most this number is drawn, chosen at the last epoch.
    """
    rows = table[(table["measure"] == "singular_value") & (table["variant"] == pathway)]
    rows = rows.assign(kind=kinds(rows))
    for kind in ("gated detached", *theories):
        look = LOOKS[kind]
        of_kind = rows[rows["kind"] == kind]
        last = of_kind[of_kind["step"] == of_kind["step"].max()]
        largest = last.nlargest(most, "value")["neuron"]
        for _, curve in of_kind[of_kind["neuron"].isin(largest)].groupby("neuron"):
            thick = look.line != "-"
            ax.plot(curve["step"], curve["value"], color=look.colour, label=look.name,
                    linestyle=look.line, linewidth=0.8 if thick else 1.6,
                    alpha=1.0 if thick else 0.55)  # fmt: skip
    if rows.empty:
        say(ax, "Not in this run")
    ax.set(title=f"Module {name_of_pathway(pathway)}", xlabel="Epoch")
    ax.locator_params(axis="x", nbins=3)
