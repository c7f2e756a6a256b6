"""Figure S5: the geometry of representations in contexts. Networks are compared where their loss
first falls below the same level."""

from typing import Any, NamedTuple

import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.dynamics.solutions import (
    input_target_alignment,
    parallelism_of_all_but_one,
    parallelism_of_single,
)
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import legend, panels
from repatlas.plots.marks import draw_line, name_ends
from repatlas.plots.palette import WHITE
from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.plots.words import listed
from repatlas.studies.gating.look import GATED, RELU, TANH, medians
from repatlas.studies.gating.roles import CONTEXTS, HOMOGENEOUS, KIND, WEIGHTS, one_of_each, role
from repatlas.studies.gating.rows.geometry import at_levels, diverged, not_reached
from repatlas.studies.gating.rows.tasks import number_row

BLOCKS = ("task.blocks", "task.contexts")

FIGURE = Figure(
    "Alignment, parallelism and generalisation of tanh and ReLU networks at matched loss.",
    {
        "small": role(
            "Sweeps of ReLU networks from small weights.",
            {"matched_geometry"},
            "relu",
            only=CONTEXTS | {"network.initial": ("equal",)},
            shown=panels(*BLOCKS),
            several=True,
        ),
        "large": role(
            "The sweep of tanh and ReLU networks from larger weights.",
            {"matched_geometry"},
            *("tanh", "relu"),
            only=CONTEXTS | {"network.initial": ("fan_in",)},
            shown=legend("network.sigma") | panels(*BLOCKS),
            fits=(at_most({"network.sigma": 4}),),
        ),
        "gated": role(
            "Sweeps of gated networks, with pathways of all contexts but one and of single ones.",
            {"context_geometry"},
            "gated",
            only=HOMOGENEOUS | {"network.pathways": ("all_but_one", "single")},
            shown=legend("network.pathways", "network.gradient", *WEIGHTS) | panels(*BLOCKS),
            fits=(one_of_each(*KIND, "network.pathways"),),
            several=True,
        ),
        "theory": role(
            "The sweep of the mean field, to its end.",
            {"context_geometry", "alignment"},
            "mean_field",
            only=HOMOGENEOUS,
            shown=panels(*BLOCKS),
        ),
    },
    finding=Finding(
        "At matched loss tanh networks are not always more aligned with the targets than ReLU"
        " networks.",
        {"b2": CONTRADICTED},
    ),
)
CAPTION = """**Figure S5: the geometry of representations in contexts (our choice).** A: measures of
Alleman, Lindsey and Fusi (2024) for tanh and ReLU networks from small and from larger weights (g
divided by the root of the fan-in). Losses are matched: networks are measured when the loss was
first below a fraction of the loss of no output. Measures are over the items, which have no noise;
the table has the participation ratio, CCGP and further splits. Closed forms: dotted for pathways of
all contexts but one, dash-dotted for pathways of one. B: parallelism after training by the number
of contexts, with the closed forms. Medians over networks, with 95 % intervals where there are
networks enough for one. {{ lost }}"""

FIRST = "halves"
"""The split of the tree that the closed forms are compared with: animals and plants."""
FORMS = {"all_but_one": parallelism_of_all_but_one, "single": parallelism_of_single}


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    matched = pd.concat([rows["small"], rows["large"]])
    parts = [at_levels(matched), not_reached(matched), diverged(matched)]
    gated = rows["gated"][rows["gated"]["gradient"] == "detached"]
    for each in (gated, rows["small"]):
        of_end = each[each["measure"] == "context_parallelism"]
        of_end = of_end[of_end["layer"].notna()]
        parts.append(of_end[of_end["step"] == of_end["step"].max()])
    parts += closed_forms(rows["theory"])
    return pd.concat(parts, ignore_index=True)


def closed_forms(theory: pd.DataFrame) -> list[pd.DataFrame]:
    """Return parallelism and alignment in closed form, and how far the mean field is from them at
    its end."""
    found = []
    end = theory[theory["step"] == theory["step"].max()]
    for contexts in sorted(theory["contexts"].dropna().astype(int).unique()):
        about = {"contexts": contexts, "task": "contexts", "blocks": "homogeneous"}
        for pathways, form in FORMS.items():
            value = form(contexts)
            found.append(
                number_row("closed_form", value, "parallelism", pathways=pathways, **about)
            )
        value = input_target_alignment(contexts)
        found.append(number_row("closed_form", value, "input_target_alignment", **about))
        of_task = end[(end["contexts"] == contexts) & (end["measure"] == "context_parallelism")]
        flow = of_task.loc[of_task["variant"] == FIRST, "value"]
        if len(flow):
            error = abs(float(flow.iloc[0]) - parallelism_of_all_but_one(contexts))
            found.append(number_row("flow_error", error, "parallelism", **about))
    return found


LEVELS = ("0.5", "0.25", "0.1", "0.05", "0.01")
PANELS = {
    ("target_alignment", None): "Target alignment",
    ("input_alignment", None): "Input alignment",
    ("context_parallelism", 0): "Parallelism, animals | plants",
}
"""Measure and `neuron`, with the title of its panel, the large one first. The table has
more measures, which no panel shows."""
LARGE = {"relu": ("ReLU", RELU, "^v<>"), "tanh": ("Tanh", TANH, "oDXP")}
"""Name, colour and markers of networks from large weights, in the order of their scales."""
LINES = ("-", "--", ":", "-.")


class Kind(NamedTuple):
    """A kind of network from one scale of initial weights, and how it is drawn."""

    network: str
    initial: str
    sigma: float | None
    """None: networks of this kind have only one scale."""
    name: str
    colour: str
    line: str
    marker: str

    def of(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of its networks."""
        found = rows[(rows["network"] == self.network) & (rows["initial"] == self.initial)]
        return found if self.sigma is None else found[found["sigma"] == self.sigma]


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 1.08 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.62, 0.38])
    letter(top, "A")
    names = ["target", "input", "parallelism"]
    axes = top.subplot_mosaic([["target", "input"], ["target", "parallelism"]],
                              width_ratios=[1.7, 1])  # fmt: skip
    matched = table[table["layer"].isna() & table["run"].notna()]
    others = matched
    matched, contexts = _rows_of_one_task(matched)
    kinds = _kinds(matched)
    for name, ((measure, number), title) in zip(names, PANELS.items(), strict=True):
        rows = matched[matched["measure"] == measure]
        _draw_levels(axes[name], rows if number is None else rows[rows["neuron"] == number], kinds)
        axes[name].set_title(title)
    if axes["parallelism"].lines:  # to compare networks with
        _mark_forms(axes["parallelism"], table, contexts)
    for name in ("target", "parallelism"):
        axes[name].set_xlabel("Loss, as a fraction of that of no output")
    if axes["target"].get_legend_handles_labels()[0]:  # of those that reached a level
        top.legend(*axes["target"].get_legend_handles_labels(), loc="outside lower center",
                   ncols=5, handlelength=1.8, columnspacing=1)  # fmt: skip

    letter(bottom, "B")
    _draw_contexts(bottom.subplots(), table)
    alignment = matched[matched["measure"] == "target_alignment"]
    said = medians(alignment, ["network", "initial", "sigma", "variant"])
    of_others = len(others.drop_duplicates(["blocks", "contexts"])) > 1
    finish(
        figure,
        table,
        style,
        f"A: homogeneous task, {contexts} contexts"
        f"{' (other tasks are in the table alone)' * of_others}: {said}, "
        "at the first epoch at which the loss was below each level, training goes to the right. "
        f"A curve ends where no network got further.{_absent(matched, kinds)}"
        f"{_constant(matched, kinds)} B: after the last "
        "epoch; ReLNs: detached gradients.",
    )
    return figure


def _absent(matched: pd.DataFrame, kinds: list[Kind]) -> str:
    """Return a sentence on the networks that reached no level, and so have no curve."""
    rows = matched[matched["measure"] == "target_alignment"].dropna(subset="value")
    names = [kind.name for kind in kinds if kind.of(rows).empty]
    return f" No loss fell to these levels: {listed(names)}." if names else ""


def _constant(matched: pd.DataFrame, kinds: list[Kind]) -> str:
    """Return a sentence on CCGP, which has no panel: the range of its medians over networks, one
    for each kind, level and split."""
    rows = matched[matched["measure"] == "context_ccgp"]
    by = ["network", "initial", "sigma", "variant", "neuron"]
    found = rows.dropna(subset="value").groupby(by, dropna=False)["value"].median()
    if found.empty or not kinds:
        return ""
    if found.min() == 1:
        return " CCGP has a median of 1 in all of them."
    return f" CCGP has medians of {found.min():.2f} to {found.max():.2f}."


def _rows_of_one_task(rows: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """Return the rows of one homogeneous task, and its number of contexts.

    It is the task with the fewest contexts that has networks from large weights or, if none has,
    any networks.
    """
    rows = rows[(rows["blocks"] == "homogeneous") & rows["initial"].notna()]
    large = rows[rows["initial"] != "equal"]
    contexts = (large if len(large) else rows)["contexts"].min()
    if pd.isna(contexts):
        return rows, 3
    return rows[rows["contexts"] == contexts], int(contexts)


def _kinds(rows: pd.DataFrame) -> list[Kind]:
    found = []
    if (rows["initial"] == "equal").any():
        found.append(Kind("relu", "equal", None, "ReLU, small", RELU, "-", "s"))
    large = rows[rows["initial"] != "equal"]
    scales = sorted(large["sigma"].dropna().unique())
    for network, (name, colour, markers) in LARGE.items():
        for sigma, line, marker in zip(scales, LINES, markers, strict=False):
            if ((large["network"] == network) & (large["sigma"] == sigma)).any():
                said = f"{name}, g = {sigma:g}"
                found.append(Kind(network, "fan_in", sigma, said, colour, line, marker))
    return found


def _draw_levels(ax: Any, rows: pd.DataFrame, kinds: list[Kind]) -> None:
    drawn = False
    for place, kind in enumerate(kinds):
        face = WHITE if kind.network == "relu" else kind.colour
        look = {"color": kind.colour, "marker": kind.marker, "markersize": 3.5, "label": kind.name}
        look |= {"markerfacecolor": face}
        found = with_interval(kind.of(rows), ["variant"])
        found = found[found["variant"].isin(LEVELS)]
        aside = 0.08 * (place - (len(kinds) - 1) / 2)
        found = found.assign(at=found["variant"].map(LEVELS.index) + aside)
        drawn |= (
            draw_line(ax, found, "at", bars=0.8, linewidth=0.8, linestyle=kind.line, **look)
            is not None
        )
    if not drawn:
        say(ax, "Not in this run")
    ax.set_xticks(range(len(LEVELS)), LEVELS)


def _mark_forms(ax: Any, table: pd.DataFrame, contexts: int) -> None:
    """Draw parallelism in closed form: a line for pathways of all contexts but one, and a line for
    pathways of a single context."""
    forms = table[(table["measure"] == "closed_form") & (table["variant"] == "parallelism")]
    for row in forms[forms["contexts"] == contexts].itertuples():
        several = row.pathways == "all_but_one"
        ax.axhline(row.value, color=GATED, linewidth=0.7, linestyle=":" if several else "-.")
        # Between the two lines, on the left, where curves are above both.
        name, side = ("all but one context", "top") if several else ("one context", "bottom")
        ax.text(0.02, row.value, name, transform=ax.get_yaxis_transform(), va=side, color=GATED)


def _draw_contexts(ax: Any, table: pd.DataFrame) -> None:
    """Draw parallelism after training, for the first split of the tree of items (animals and
    plants), with the closed forms."""
    end = table[(table["measure"] == "context_parallelism") & (table["variant"] == "halves")]
    end = end[(end["blocks"] == "homogeneous") & end["layer"].notna()]
    forms = table[(table["measure"] == "closed_form") & (table["variant"] == "parallelism")]
    kinds = {
        "all_but_one": ("ReLN, all\nbut one", GATED, "^", ":"),
        "single": ("ReLN,\nsingle", GATED, "v", "-."),
    }
    named = {}
    for pathways, (name, colour, marker, dashes) in kinds.items():
        line = forms[forms["pathways"] == pathways].sort_values("contexts")
        ax.plot(line["contexts"], line["value"], dashes, color=colour)
        named[name] = _draw_dots(ax, end[end["pathways"] == pathways], colour, marker)
    named["ReLU"] = _draw_dots(ax, end[end["network"] == "relu"], RELU, "s")
    name_ends(ax, named)
    ax.set(xlabel="Contexts", ylabel="Parallelism", title="After training, animals | plants")
    places = sorted(pd.concat([forms, end])["contexts"].dropna().astype(int).unique())
    if not places:
        say(ax, "Not in this run")
        return
    ax.set_xticks(places)
    ax.set_xlim(places[0] - 0.2, places[-1] + 0.2)
    ax.margins(y=0.18)  # names in two lines at the ends stay off the axis


def _draw_dots(ax: Any, rows: pd.DataFrame, colour: str, marker: str) -> Any:
    face = WHITE if colour == RELU else colour
    return draw_line(ax, with_interval(rows, ["contexts"]), "contexts", bars=1, color=colour,
                 linestyle="none", marker=marker, markersize=3.5, markerfacecolor=face)  # fmt: skip
