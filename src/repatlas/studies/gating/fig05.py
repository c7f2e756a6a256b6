"""Figure 5: more contexts, and the race between pathways."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.dynamics.correlations import frobenius_cosine, input_output, linear_residual
from repatlas.dynamics.head_start import context_initial, head_start
from repatlas.dynamics.logistic import logistic, time_constant
from repatlas.dynamics.symmetric import effective_decay, late_strength
from repatlas.experiments.items.networks.gated import Gated
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, panels
from repatlas.plots.marks import GUIDE, add_key, bars, draw_line, name_ends
from repatlas.plots.palette import BLACK, GREY, WHITE
from repatlas.plots.spread import with_interval
from repatlas.plots.style import SMALLEST_RANGE, Style, finish, letter, page, say, small_type
from repatlas.studies.gating.look import (
    GATED,
    MARKED,
    SIZE_COLOURS,
    SIZES,
    TASKS,
    draw_losses,
    draw_matrix,
    kinds,
    losses,
    mark_contexts,
    matrix,
    medians,
    name_of_pathway,
    number_of_seeds,
)
from repatlas.studies.gating.roles import HOMOGENEOUS, KIND, WEIGHTS, one_of_each, role
from repatlas.studies.gating.rows.curves import (
    NETWORK,
    agreement_rows,
    epoch_below_rows,
    reference_rows,
    thinned,
)
from repatlas.studies.gating.rows.head_start import head_start_rows
from repatlas.studies.gating.rows.modules import drawn_singular_values, norms_by_size
from repatlas.studies.gating.rows.outputs import drawn_outputs
from repatlas.studies.gating.rows.tasks import number_row

FEW = HOMOGENEOUS | {"task.contexts": (2, 3, 4, 5)}
"""Each number of contexts has panels, and the pathways of each size a shade."""
ALL_BUT_ONE = FEW | {"network.pathways": ("all_but_one",)}
SUBSETS = FEW | {"network.pathways": ("subsets",), "network.gradient": ("detached",)}
EACH = panels("task.contexts")
ONE = (one_of_each(*KIND),)
"""Initial weights may differ between numbers of contexts alone."""

FIGURE = Figure(
    "The race between pathways, with the same structure in each of several contexts.",
    {
        "relu": role(
            "The sweep of ReLU networks.", {"loss", "units"}, "relu", only=FEW, shown=EACH
        ),
        "gated": role(
            "The sweep of gated networks with pathways of all contexts but one.",
            {"loss", "outputs", "mode_strengths"},
            "gated",
            only=ALL_BUT_ONE,
            shown=legend("network.gradient", *WEIGHTS) | EACH,
            fits=ONE,
        ),
        "single": role(
            "The sweep of gated networks with pathways of single contexts, which the claims compare"
            " with the other ones. The figure does not draw them.",
            {"loss"},
            "gated",
            only=HOMOGENEOUS | {"network.pathways": ("single",)},
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
            optional=True,
        ),
        "race": role(
            "The sweep of gated networks with a pathway for every proper subset of the contexts.",
            {"loss", "pathways"},
            "gated",
            only=SUBSETS,
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
        ),
        "modules": role(
            "The same for the networks whose singular values are drawn.",
            {"singular_values"},
            "gated",
            only=SUBSETS,
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
        ),
        "theories": role(
            "Sweeps of theories of the gated networks.",
            {"loss"},
            *("race", "closed_form", "mean_field"),
            only=ALL_BUT_ONE,
            shown=legend("network.gradient", "network.constants", *WEIGHTS) | EACH,
            fits=ONE,
            several=True,
        ),
        "modules_theory": role(
            "The sweep of the mean field of the race.",
            {"singular_values"},
            "mean_field",
            only=SUBSETS,
            shown=legend(*WEIGHTS) | EACH,
            fits=ONE,
        ),
        "head_start": role(
            "The sweep of mean fields of the race from ever smaller weights, stored often around"
            " the end of the common phase.",
            {"mode_strengths"},
            "mean_field",
            only=SUBSETS | {"task.contexts": (3,)},
            shown=legend(*WEIGHTS),
        ),
        "fit": role(
            "The sweep of the mean field whose recruitment is fitted.",
            {"loss"},
            "recruited",
            only=ALL_BUT_ONE,
            shown=EACH,
            optional=True,
        ),
    },
    finding=Finding(
        "Pathways of all contexts but one win the race, and not always by a factor of ten.",
        {"10": SUPPORTED, "10b": CONTRADICTED},
    ),
)
CAPTION = """**Figure 5: more contexts of one structure.** A: losses of ReLU networks and of gated
networks (ReLN) with pathways of all contexts but one, {{ n(facts.relu.seeds) }} of each, for the
most of {{ listed(facts.relu.contexts) }} contexts, and the closed form. B: the race in one ReLN
with a pathway for every proper subset of the contexts: the first singular value of each module. C:
outputs of one ReLN at epoch 2000, all outputs, and the outputs of its first module. D (our choice):
the size of the maps of the race by the number of contexts of a pathway, the mean over pathways of a
size; dotted: a tenth of the winner. E (our choice): in theory, the strength of two-context divided
by the strength of one-context pathways once the common pathway has learned the first split, from
ever smaller weights. This head start decides the race. F (our choice): in how many contexts units
of the ReLU network are used, as a fraction of their mass; dotted: the limits of the claims. D and F
show medians over networks, with 95 % intervals where there are enough networks. Initial weights of
the gated networks are the authors' for 3 and 5 contexts. {{ lost }}"""

OUTPUTS_AT = 2000
"""The epoch whose outputs are drawn, or else the closest one that has outputs."""
FIRST = np.sqrt(7)
"""The singular value of the tree's first split."""
RATE, OBJECTS, UNITS = 1e-3, 8, 100
LEARNED = 0.1
"""The fraction of the first loss below which a network has learned most of its task."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, gated, race = rows["relu"], rows["gated"], rows["race"]
    theories = [rows["theories"], rows.get("fit", relu[:0])]
    detached = gated[gated["gradient"] == "detached"]
    single = rows.get("single", gated[:0])
    shown = drawn_outputs(detached, variant="")
    used = relu["measure"].isin(["used_share", "used_mean", "slope"])
    return pd.concat(
        [
            *(thinned(each) for each in (relu, gated, race, *theories)),
            *(
                agreement_rows(each, relu, "relu", ("contexts",))
                for each in (gated, race, single, *theories)
            ),
            *(epoch_below_rows(each, LEARNED) for each in (detached, single)),
            detached[detached["measure"] == "isolation"],
            single[single["measure"] == "isolation"],
            reference_rows(relu),
            drawn_singular_values(rows["modules"]),
            drawn_singular_values(rows["modules_theory"]),
            shown[shown["step"] == _closest(shown["step"], OUTPUTS_AT)],
            norms_by_size(race),
            relu[used],
            final_strength_rows(detached),
            head_start_rows(rows["head_start"]),
            *(overlap_row(contexts) for contexts in (3, 4, 5)),
        ],
        ignore_index=True,
    )


def _closest(steps: pd.Series, wanted: int) -> int:
    return min(steps.unique(), key=lambda step: abs(step - wanted), default=wanted)


def final_strength_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the largest relative difference of final strengths from the logistic.

    The strength is along the tree's first split at the last epoch. The largest is over context
    pathways. The logistic has no fitted numbers.
    """
    strengths = rows[(rows["measure"] == "mode_strength") & (rows["neuron"] == 1)]
    strengths = strengths[strengths["variant"] != "common"]
    strengths = strengths[strengths["step"] == strengths["step"].max()]
    found = []
    for (_, seed), of_one in strengths.groupby(["run", "seed"]):
        about = of_one.iloc[0]
        contexts = int(about["contexts"])
        theory = logistic(
            about["step"],
            late_strength(FIRST, OBJECTS, contexts, contexts - 1),
            effective_decay(OBJECTS, contexts),
            context_initial(
                FIRST,
                OBJECTS,
                contexts,
                contexts - 1,
                UNITS,
                about["sigma"],
                about["context_sigma"],
            ),
            time_constant(RATE, OBJECTS * contexts),
        )
        error = float((of_one["value"] / theory.item() - 1).abs().max())
        common = about[NETWORK].to_dict() | {"seed": seed, "step": about["step"], "variant": ""}
        found.append(common | {"measure": "final_strength_error", "value": error})
    return pd.DataFrame(found)


def overlap_row(contexts: int) -> pd.DataFrame:
    """Return the largest difference of overlaps from -1 / (C - 1). They are overlaps, on the
    residual, of what drives pathways of all contexts except one."""
    task = Contexts(kind="contexts", contexts=contexts)
    items = task.draw()
    residual = linear_residual(items.inputs, items.targets)
    seen = Gated(kind="gated").gates(task).seen(items)[1:]
    drives = [input_output(each, residual) for each in seen]
    cosines = [frobenius_cosine(one, other) for i, one in enumerate(drives) for other in drives[:i]]
    error = np.abs(np.array(cosines) + 1 / (contexts - 1)).max()
    return number_row("overlap_error", error, contexts=contexts, task="contexts")


OF_SIZE = ["contexts", "neuron"]
"""The columns that distinguish the medians of D and F."""
OF_LOSS = ("relu", "gated detached", "closed_form derived")
"""The curves of panel A; Figure S7 has all theories."""
RATIO = 10.0
"""Claim 10b says that the winning pathways are this many times larger than all others."""
OF_LIMIT = {
    "color": GREY,
    "size": 6,
    "va": "bottom",
    "bbox": {"boxstyle": "square,pad=0.05", "facecolor": WHITE, "linewidth": 0},
}
"""The look of the name of a limit; data may be behind the name."""
SINGLE = 0.05
"""The largest mass of units of a single context that claims 12 to 12c allow."""
MOST = 0.5
"""The least mass of units of all contexts except one that claim 12d asks for."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    contexts = sorted(losses(table)["contexts"].dropna().astype(int).unique())
    shown = contexts or [3]
    most = max(shown)
    heights = [0.48, 0.23, 0.35]
    figure = page(style, (sum(heights) + 0.06) * style.width)
    top, outputs, bottom = figure.subfigures(3, 1, height_ratios=heights)
    left, right = top.subfigures(1, 2, width_ratios=[0.35, 0.65])
    of_most = table[table["contexts"] == most]

    letter(left, "A")
    _draw_losses(left.subplots(), of_most, most)
    letter(right, "B")
    _draw_race(right.subplots(), of_most, most)
    letter(outputs, "C")
    _draw_outputs(outputs, table, shown)

    parts = bottom.subfigures(1, 3)
    for part, mark in zip(parts, "DEF", strict=True):
        letter(part, mark)
    _draw_norms(parts[0].subplots(), table, most)
    _draw_head_start(parts[1].subplots(), table)
    _draw_used(parts[2].subplots(), table, shown)
    if len(shown) > 1:
        _name_tasks(bottom, shown)
    finish(
        figure,
        table,
        style,
        f"A: each line is one network, {number_of_seeds(losses(table[table['network'] == 'relu']))}"
        " of each kind. B: one ReLN with a pathway for every subset of contexts. "
        f"C: {_outputs(table)}; colours from \N{MINUS SIGN}1 to 1, those of a module up to its"
        f" largest output. D, F: last epoch. D: {medians(_of(table, 'norm_of_size'), OF_SIZE)}. "
        f"F: {medians(_used(table), OF_SIZE)}. E: theory alone.",
    )
    return figure


def _name_tasks(part: Any, shown: list[int]) -> None:
    """Add the legend of D and F, which show several tasks."""
    tasks = {f"task with {number} contexts": TASKS[number] for number in shown}
    add_key(
        part,
        {
            name: {"color": colour, "marker": marker, "markersize": 4}
            for name, (colour, marker) in tasks.items()
        },
        loc="outside lower center",
    )


def _draw_losses(ax: Any, table: pd.DataFrame, contexts: int) -> None:
    draw_losses(ax, _without_race(table), OF_LOSS)
    ax.set(title=f"Loss, {contexts} contexts")
    if not ax.lines:
        return
    ax.set(yscale="log", ylabel="Loss")
    # The first network of a kind has markers.
    names = {line.get_label(): line for line in [*ax.lines][::-1] if line.get_label()[0] != "_"}
    ax.legend([*names.values()][::-1], [*names][::-1], loc="lower left", handlelength=1.8,
              borderpad=0)  # fmt: skip
    for line in ax.get_legend().get_lines():
        line.set(linewidth=1.2, markersize=3)


def _of(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    return table[table["measure"] == measure]


def _used(table: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of units by the contexts that they are used in, at the last epoch."""
    rows = _of(table, "used_share")
    return rows[rows["step"] == rows["step"].max()]


def _outputs(table: pd.DataFrame) -> str:
    """Return which outputs panel C draws, for the note."""
    rows = _of(table, "output")
    if rows.empty:
        return "no outputs"
    of = " of the fewest and of the most contexts" * (rows["contexts"].nunique() > 2)
    return f"one ReLN{of} at epoch {rows['step'].max():.0f}"


def _without_race(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["pathways"].isna() | (table["pathways"] == "all_but_one")]


def _draw_race(ax: Any, table: pd.DataFrame, contexts: int) -> None:
    """Draw the strength of each module, and name its end by the number of contexts of its
    pathway."""
    rows = table[(table["measure"] == "singular_value") & (table["neuron"] == 0)]
    rows = rows[rows["pathways"] == "subsets"]
    if rows.empty:
        say(ax, "Not in this run")
        return
    rows = rows.assign(kind=kinds(rows))
    ends: dict[str, Any] = {}
    for pathway, curve in rows[rows["kind"] == "gated detached"].groupby("variant"):
        size = 0 if pathway == "common" else len(pathway)
        # Modules that stay at 0 have one look and one name, because their lines overlap.
        losing = 0 < size < contexts - 2
        look = 1 if losing else size
        [line] = ax.plot(curve["step"], curve["value"], color=SIZE_COLOURS[look], linewidth=1.2,
                         marker=SIZES[look], **MARKED)  # fmt: skip
        ends[_name_of_size(size, contexts)] = line
    name_ends(ax, ends)
    ax.locator_params(axis="x", nbins=5)
    ax.set(xlabel="Epoch", ylabel="First singular value of each module",
           title=f"The race of pathways, {contexts} contexts")  # fmt: skip


def _name_of_size(size: int, contexts: int) -> str:
    if size == 0:
        return "common\npathway"
    fewer = contexts - 3
    if size < contexts - 2 and fewer > 1:
        return f"1 to {fewer} contexts"
    return f"{size} context{'s' * (size > 1)}"


def _draw_outputs(part: Any, table: pd.DataFrame, shown: list[int]) -> None:
    """Draw all outputs, and the outputs of the first module of all contexts except one."""
    rows = table[table["measure"] == "output"]
    ends = [number for number in dict.fromkeys((shown[0], shown[-1]))]
    axes = part.subplots(1, 2 * len(ends), squeeze=False)[0]
    for place, number in enumerate(ends):
        of_task = rows[rows["contexts"] == number]
        first = "".join(str(context) for context in range(1, number))
        for ax, variant in zip(axes[2 * place : 2 * place + 2], ("all", first), strict=True):
            values = of_task[of_task["variant"] == variant]
            if values.empty:
                say(ax, "Not in this run")
                continue
            name = "all" if variant == "all" else f"module {name_of_pathway(variant)}"
            shown = matrix(values)
            # One module makes a small fraction of the outputs, so its scale is separate.
            reach = 1.0 if variant == "all" else max(float(np.abs(shown).max()), SMALLEST_RANGE)
            draw_matrix(ax, shown, f"{number} contexts, {name}", reach)
            mark_contexts(ax, number)
    axes[0].set_ylabel("Outputs")


def _draw_norms(ax: Any, table: pd.DataFrame, most: int) -> None:
    """Draw the size of maps by the contexts of their pathway. The dotted line is a tenth of the
    largest; claim 10b says that no losing map is above it."""
    rows = with_interval(_of(table, "norm_of_size"), OF_SIZE)
    for number, of_task in rows.groupby("contexts"):
        colour, marker = TASKS[int(number)]
        draw_line(ax, of_task, "neuron", bars=1, color=colour, markersize=3, linewidth=0.7,
              marker=marker, label=f"{number:.0f} contexts")  # fmt: skip
    ax.set(
        xlabel="Contexts of a pathway", ylabel=r"Map size, $\|M_p\|$", yscale="log",
        title=f"Limit, dotted: winner / {RATIO:g}",
    )  # fmt: skip
    ax.set_xticks(range(1, most))
    if rows.empty:
        say(ax, "Not in this run")
        return
    limit = rows.loc[rows["contexts"] == most, "value"].max() / RATIO
    ax.axhline(limit, **GUIDE)


def _draw_head_start(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "head_start"].sort_values("x")
    ax.set(xlabel=r"Initial strength $\ln\,\pi_0$", title="Head start, in theory")
    ax.set_ylabel("ln(strength of 2\nover 1 context)")
    if rows.empty:
        say(ax, "Not in this run")
        return
    ax.plot(rows["x"], rows["value"], "o", color=GATED, markersize=3)
    slope = float(head_start(1, 3) - head_start(2, 3))
    x = rows["x"].to_numpy(float)
    middle = rows["value"].mean() + slope * (x - x.mean())
    ax.plot(x, middle, color=BLACK, linewidth=0.8)
    ax.text(0.95, 0.92, f"line: predicted\nslope {slope:.2f}", transform=ax.transAxes, ha="right",
            va="top", size=small_type())  # fmt: skip


def _draw_used(ax: Any, table: pd.DataFrame, shown: list[int]) -> None:
    """Draw the mass of units by the contexts that they are used in, with the limits of claims
    12."""
    found = with_interval(_used(table), OF_SIZE)
    if found.empty:
        say(ax, "Not in this run")
        return
    width = 0.8 / len(shown)
    for place, number in enumerate(shown):
        of_task = found[found["contexts"] == number]
        at = of_task["neuron"] + (place - (len(shown) - 1) / 2) * width
        bars(ax, of_task.assign(at=at), "at", TASKS[number][0], width, label=f"{number} contexts")
    ax.axhline(MOST, **GUIDE)
    ax.plot([0.5, 1.5], [SINGLE] * 2, **GUIDE | {"color": BLACK, "zorder": 3})
    ax.text(0.99, MOST + 0.02, f"limit: {MOST:g}", transform=ax.get_yaxis_transform(), ha="right",
            **OF_LIMIT)  # fmt: skip
    ax.text(1, SINGLE + 0.02, f"limit:\n{SINGLE:g}", ha="center", **OF_LIMIT)
    ax.set(xlabel="Contexts a unit is used in", ylabel="Fraction of mass",
           title="Mixed selectivity")  # fmt: skip
    ax.set_xticks(range(1, max(shown) + 1))
    ax.set(ylim=(0, 1), xlim=(0.4, max(shown) + 0.6))
