"""Figure S7: agreement in numbers, and what the closed forms assume of the tasks."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.dynamics.correlations import commutator, linear_residual
from repatlas.experiments.items.task import Items
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, panels
from repatlas.plots.marks import draw_line
from repatlas.plots.palette import BLACK, GREY, SHADE, WHITE
from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, page, say
from repatlas.streams import stream
from repatlas.studies.gating.look import TASKS, kinds, medians
from repatlas.studies.gating.roles import CONTEXTS, KIND, WEIGHTS, one_of_each, role
from repatlas.studies.gating.rows.curves import NETWORK, agreement_rows, curves_of, reference_rows
from repatlas.studies.gating.rows.tasks import TASKS as TASKS_OF_PAPER
from repatlas.studies.gating.rows.tasks import number_row, settings_of_task

TASK = ("task.blocks", "task.contexts")

FIGURE = Figure(
    "How well loss curves of theories and gated networks agree with those that they are of.",
    {
        "networks": role(
            "Sweeps of ReLU networks, gated networks with pathways of all contexts but one, and"
            " linear networks.",
            {"loss"},
            *("relu", "gated", "linear"),
            only=CONTEXTS | {"network.pathways": ("all_but_one",)},
            shown=legend("network.gradient", *WEIGHTS) | panels(*TASK),
            fits=(one_of_each(*KIND),),
            several=True,
        ),
        "theories": role(
            "Sweeps of theories of them.",
            {"loss"},
            *("race", "closed_form", "mean_field", "recruited", "logistic"),
            only=CONTEXTS | {"network.pathways": ("all_but_one", "none")},
            shown=legend(
                *("network.pathways", "network.gradient", "network.constants", "network.units"),
                *WEIGHTS,
            )
            | panels(*TASK),
            fits=(one_of_each(*KIND),),
            several=True,
        ),
    },
    finding=Finding(
        "Epoch by epoch, loss curves of ReLU and gated networks agree only once recruitment is"
        " fitted.",
        {"1b": CONTRADICTED, "1c": SUPPORTED},
    ),
)
CAPTION = """**Figure S7: agreement in numbers (our choice).** Loss curves of gated networks and
theories are compared with the networks that they describe. Panels: the largest difference, divided
by the first loss; 1 - R2; and the largest relative lag at levels of the loss. Rows that are about
the same networks are together, the nearest first. The grey band behind them is the scale for
comparison: how near two of these networks with different seeds are. It is the median of the task in
which they are furthest apart. Dotted lines are limits by which claims are judged. Medians over
networks or pairs, with 95 % intervals where there are networks enough for one. {{ lost }}"""

SAME = ("blocks", "contexts")
UNITS = 50
"""Hidden units of the network whose gates are tried out."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks, theories = rows["networks"], rows["theories"]
    of_kind = {name: networks[networks["network"] == name] for name in ("relu", "gated", "linear")}
    gated = {
        name: of_kind["gated"][of_kind["gated"]["gradient"] == name]
        for name in ("detached", "joint")
    }
    of_linear = theories[theories["network"] == "logistic"]
    others = theories[theories["network"] != "logistic"]
    parts = [
        agreement_rows(pd.concat([of_kind["gated"], others]), of_kind["relu"], "relu", SAME),
        agreement_rows(of_linear, of_kind["linear"], "linear", SAME),
        *(agreement_rows(_theories_of(name, others), of, name, SAME) for name, of in gated.items()),
        # Recruitment was fitted to the first network.
        _without_fitted(theories, of_kind["relu"]),
        *(reference_rows(each) for each in of_kind.values()),
        excess_rows(of_kind["linear"]),
        of_kind["relu"][of_kind["relu"]["measure"] == "input_residual"],
        *task_rows(),
    ]
    return pd.concat(parts, ignore_index=True)


def _theories_of(gradient: str, theories: pd.DataFrame) -> pd.DataFrame:
    """Return the theories of gated networks of this gradient; modes exist only for the detached
    one."""
    kinds = ["mean_field"] if gradient == "joint" else ["closed_form", "race", "mean_field"]
    found = theories[theories["network"].isin(kinds)]
    return found[found["gradient"].isna() | (found["gradient"] == gradient)]


def _without_fitted(theories: pd.DataFrame, relu: pd.DataFrame) -> pd.DataFrame:
    fits = theories[theories["network"] == "recruited"]
    return agreement_rows(fits, relu[relu["seed"] > 0], "relu, not fitted", SAME)


def excess_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return |final loss / least loss of a linear map - 1| of each linear network."""
    found = []
    for about, seeds, _, curves in curves_of(rows):
        task = Contexts(kind="contexts", contexts=int(about["contexts"]), blocks=about["blocks"])
        floor = floor_of(task)
        found += [
            about[NETWORK].to_dict()
            | {
                "seed": seed,
                "measure": "excess",
                "variant": "",
                "value": abs(curve[-1] / floor - 1),
            }
            for seed, curve in zip(seeds, curves, strict=True)
        ]
    return pd.DataFrame(found)


def floor_of(task) -> float:
    items = task.draw()
    return float(np.sum(linear_residual(items.inputs, items.targets) ** 2)) / 2


def task_rows() -> list[pd.DataFrame]:
    """Return three numbers of each task.

    The first is the largest entry of |R X^T|. The second is the distance of the task from one basis
    for all of its correlations. The third is the distance of a ReLU network from the gated linear
    network with its gates.
    """
    found = []
    for task in TASKS_OF_PAPER:
        items, about = task.draw(), settings_of_task(task)
        residual = linear_residual(items.inputs, items.targets)
        largest = float(np.abs(residual @ items.inputs.T).max())
        found.append(number_row("residual_correlation", largest, **about))
        found.append(number_row("commutator", commutator(items.inputs, items.targets), **about))
        found.append(number_row("gates_error", gates_error(items), **about))
    return found


def gates_error(items: Items) -> float:
    """Return the largest difference between a ReLU network and a gated linear network.

    It is over items and outputs. The ReLU network has normal weights. The gates are the units that
    are on at each item.
    """
    normal = stream(0, "a network and its gates")
    first = normal.standard_normal((UNITS, len(items.inputs)))
    second = normal.standard_normal((len(items.targets), UNITS))
    before = first @ items.inputs
    relu = second @ np.maximum(before, 0)
    by_item = zip((before > 0).T, items.inputs.T, strict=True)
    gated = np.stack([second @ ((on[:, None] * first) @ x) for on, x in by_item], axis=1)
    return float(np.abs(relu - gated).max())


MEASURES = {
    "D1": "Largest difference of losses",
    "R2": "$1-R^2$",
    "D4": "Largest relative lag",
}
ROWS = {
    ("gated detached", "relu"): "ReLN with ReLU",
    ("gated joint", "relu"): "ReLN, joint, with ReLU",
    ("race authors", "relu"): "race, authors', with ReLU",
    ("race derived", "relu"): "race, derived, with ReLU",
    ("closed_form authors", "relu"): "closed form, authors', with ReLU",
    ("closed_form derived", "relu"): "closed form, derived, with ReLU",
    ("mean_field detached", "relu"): "K-flow with ReLU",
    ("mean_field joint", "relu"): "K-flow, joint, with ReLU",
    ("recruited", "relu, not fitted"): "K-flow, fitted, with other ReLU",
    ("race authors", "detached"): "race, authors', with ReLN",
    ("race derived", "detached"): "race, derived, with ReLN",
    ("closed_form authors", "detached"): "closed form, authors', with ReLN",
    ("closed_form derived", "detached"): "closed form, derived, with ReLN",
    ("mean_field detached", "detached"): "K-flow with ReLN",
    ("mean_field joint", "joint"): "K-flow, joint, with ReLN, joint",
    ("logistic", "linear"): "closed form with linear network",
    ("relu", "next seed"): "ReLU, seed to seed",
    ("gated detached", "next seed"): "ReLN, seed to seed",
    ("gated joint", "next seed"): "ReLN, joint, seed to seed",
    ("linear", "next seed"): "linear network, seed to seed",
}
"""Kind of curve and what it is compared with. The table has one kind more: what was fitted to a
network with all networks, which one of them is."""
PAIR = ["kind", "reference"]


YARDSTICKS = {
    **{"relu": "relu", "relu, not fitted": "relu", "linear": "linear"},
    **{"detached": "gated detached", "joint": "gated joint"},
}
"""The networks that a curve is compared with. How far they are from one another, from seed to seed,
is the scale to hold the curve against."""
SEEDS = "next seed"
LIMITS = {"D1": 0.05, "R2": 0.01}
"""What claims about a measure are judged by, where all but those on the K-flow have one limit."""
K_FLOW_LIMIT = 0.02
GATED = ("detached", "joint")


def draw(table: pd.DataFrame, style: Style) -> Any:
    rows = table[table["measure"] == "agreement"]
    rows = rows.assign(
        kind=kinds(rows), value=rows["value"].where(rows["variant"] != "R2", 1 - rows["value"])
    )
    pairs = _sorted(rows)
    figure = page(style, (0.2 + 0.045 * max(len(pairs), 4)) * style.width)
    part = figure.subfigures()
    axes = part.subplots(1, len(MEASURES), sharey=True)
    has_band = False
    for ax, (variant, title) in zip(axes, MEASURES.items(), strict=True):
        ax.set_title(title)
        if pairs:
            of_variant = rows[rows["variant"] == variant]
            _draw(ax, of_variant, pairs)
            has_band |= _draw_yardsticks(ax, of_variant, pairs)
            _draw_limit(ax, variant)
        else:
            say(ax, "No two loss curves of one task to compare")
    if pairs:
        axes[0].set_yticks(range(len(pairs)), [ROWS[pair] for pair in pairs])
        axes[0].set_ylim(len(pairs) - 0.5, -0.5)
        part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                    handlelength=1)  # fmt: skip
    said = medians(rows, [*PAIR, "blocks", "contexts", "variant"])
    scale = (
        " Grey: as near as two of these networks with different seeds, the median of the task in"
        " which they are furthest apart."
    )
    k_flow = any(pair[0].startswith("mean_field") and pair[1] in GATED for pair in pairs)
    limits = f" Claims on the K-flow with its ReLN have the limit {K_FLOW_LIMIT:g}."
    finish(
        figure,
        table,
        style,
        f"{said[0].upper()}{said[1:]}. Left is better; rows of one network are sorted by the"
        f" largest difference.{scale * has_band}{limits * k_flow} "
        "Difference: over the first loss; lag: of the epochs at which the loss is first below "
        "0.9, 0.85, ... 0.05 of it.",
    )
    return figure


def _sorted(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs that have a row: pairs of one network together, the nearest first.
    Networks of two seeds have a row only where nothing else is compared with these networks."""
    found = set(rows[PAIR].itertuples(index=False, name=None))
    compared = {YARDSTICKS[reference] for _, reference in found if reference in YARDSTICKS}
    shown = [
        pair for pair in ROWS if pair in found and not (pair[1] == SEEDS and pair[0] in compared)
    ]
    medians_of = rows[rows["variant"] == "D1"].groupby(PAIR)["value"].median().to_dict()
    order = list(dict.fromkeys(map(_network_of, ROWS)))
    return sorted(
        shown, key=lambda pair: (order.index(_network_of(pair)), medians_of.get(pair, np.inf))
    )


def _network_of(pair: tuple[str, str]) -> str:
    """Return the kind of network that a pair is about."""
    kind, reference = pair
    return kind if reference == SEEDS else YARDSTICKS[reference]


def _draw_yardsticks(ax: Any, rows: pd.DataFrame, pairs: list[tuple[str, str]]) -> bool:
    """Draw, behind the rows of one network, how far it is from itself with another seed; return
    True if any network has more than one seed."""
    from matplotlib.patches import Rectangle

    seeds = with_interval(rows[rows["reference"] == SEEDS], ["kind", "blocks", "contexts"])
    largest = seeds.groupby("kind")["value"].max()
    largest = largest[largest > 0]  # the axis is logarithmic
    networks = [_network_of(pair) if pair[1] != SEEDS else None for pair in pairs]
    bands = [name for name in dict.fromkeys(networks) if name in largest.index]
    if not bands:
        return False
    low, high = ax.get_xlim()
    low, high = min(low, 0.7 * largest[bands].min()), max(high, 1.4 * largest[bands].max())
    for name in bands:
        places = [place for place, each in enumerate(networks) if each == name]
        corner, width = (low, places[0] - 0.5), largest[name] - low
        ax.add_patch(Rectangle(corner, width, len(places), color=SHADE, linewidth=0, zorder=-1))
    ax.set_xlim(low, high)
    return True


def _draw_limit(ax: Any, variant: str) -> None:
    if variant not in LIMITS:
        return
    low, high = ax.get_xlim()
    limit = LIMITS[variant]
    ax.axvline(limit, color=GREY, linewidth=0.7, linestyle=":", zorder=0)
    ax.set_xlim(min(low, 0.7 * limit), max(high, 1.4 * limit))
    ax.set_title(f"{MEASURES[variant]}\nlimit {limit:g}, dotted")


def _draw(ax: Any, rows: pd.DataFrame, pairs: list[tuple[str, str]]) -> None:
    if rows["value"].isna().all():
        say(ax, "No loss fell to these levels")
        return
    tasks = sorted(
        rows[["blocks", "contexts"]].drop_duplicates().itertuples(index=False, name=None)
    )
    step = 0.72 / max(len(tasks), 4)
    for number, (blocks, contexts) in enumerate(tasks):
        name, colour, marker = _look(blocks, int(contexts))
        of_task = rows[(rows["blocks"] == blocks) & (rows["contexts"] == contexts)]
        found = with_interval(of_task, PAIR).set_index(PAIR)
        found = found[found.index.isin(pairs)]
        places = [pairs.index(pair) for pair in found.index]
        found = found.assign(at=np.array(places) + step * (number - (len(tasks) - 1) / 2))
        # Open, where it would be as dark as its interval.
        draw_line(
            ax,
            found,
            "at",
            bars=0.8,
            across=True,
            color=colour,
            linestyle="none",
            marker=marker,
            markersize=2.8,
            label=name,
            markerfacecolor=WHITE if colour == BLACK else colour,
        )
    for place in range(1, len(pairs)):
        ax.axhline(place - 0.5, color=SHADE, linewidth=0.5, zorder=0)
    ax.set_xscale("log")


def _look(blocks: str, contexts: int) -> tuple[str, str, str]:
    """Return name, colour and marker of a task."""
    if blocks == "heterogeneous":
        return blocks, BLACK, "o"
    return f"{contexts} contexts", *TASKS[contexts]
