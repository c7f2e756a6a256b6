"""Figure C10: tanh and ReLU."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.experiments.classification.columns import COLUMNS
from repatlas.figures.columns import SORTED_BY as ORDER
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.fits import on_the_same_tasks, with_activations
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.plots.marks import GUIDE, add_key, dot_of, draw_line
from repatlas.plots.palette import BAND, BLACK
from repatlas.plots.spread import with_ends, with_interval
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    counted,
    finish,
    letter,
    page,
    say,
)
from repatlas.plots.words import with_intervals
from repatlas.studies.convergence.parts import (
    MARKERS,
    deviations,
    ends_of,
    learned_ends,
    left_out,
    number_of_networks,
    with_deviations,
)
from repatlas.studies.convergence.roles import MLP
from repatlas.studies.convergence.rows.activations import (
    BY_TARGETS,
    SAME_START,
    TASK,
    activation_rows,
)
from repatlas.studies.convergence.rows.distances import is_floor
from repatlas.studies.convergence.rows.matching import unit_rows
from repatlas.studies.convergence.rows.networks import accuracies
from repatlas.studies.convergence.rows.similarities import TYPICAL

TOGETHER = frozenset({"together_on_samples", "alignment_of_centres"})


def _on_clusters(about: str, kind: str, along: str, measures: set[str]) -> Role:
    """Return the role of networks of both activations on tasks that all seeds share, along a
    setting."""
    return Role(
        about,
        measures,
        {"experiment": ("clusters",), "task.kind": (kind,), "network.depth": (1,)},
        several=True,
        optional=True,
        shown=legend(ACTIVATION) | axis(along),
        fits=(
            with_activations("tanh", "relu"),
            on_the_same_tasks("tanh", "relu"),
        ),
    )


FIGURE = Figure(
    "How similar networks become, with tanh and with ReLU: unit by unit; and over the separability"
    " and the alignment of tasks.",
    {
        "mlp": Role(
            "The sweep of perceptrons of both activations.",
            {"accuracy"},
            MLP,
            fits=(
                with_activations("tanh", "relu"),
                on_the_same_tasks("tanh", "relu"),
            ),
        ),
        "separable": _on_clusters(
            "The sweeps of networks on tasks of some separabilities, one for each activation.",
            "common_separable",
            "task.delta",
            {"accuracy", "training_scores", "alignment"},
        ),
        "lines": _on_clusters(
            "Those of networks on tasks of some input-output alignments.",
            "aligned",
            "task.alignment",
            {"accuracy", "training_scores"},
        ),
    },
    comparisons={
        "mlp_units": Pairs(
            "All pairs of perceptrons, unit by unit.", frozenset({"natural", "matching"})
        ),
        "separable_pairs": Pairs(
            "The comparisons of all pairs on tasks of some separabilities: of each sweep, and of"
            " both.",
            TOGETHER,
            several=True,
            optional=True,
        ),
        "lines_pairs": Pairs(
            "Those on tasks of some alignments.", TOGETHER, several=True, optional=True
        ),
    },
    finding=Finding(
        "Signed matching is biased against tanh; by SVCCA two tanh networks agree less than two"
        " ReLU networks on separable tasks.",
        {"C19": SUPPORTED, "C21": CONTRADICTED},
    ),
)
CAPTION = """**Figure C10: is matching fair to tanh, and do both activations learn the same?** All
of it is ours. A: the mean absolute correlation of units that are matched one to one, minus the mean
signed correlation, by hidden layer. The noise floor of each is subtracted first ({{
n(facts.mlp.seeds) }} of each activation; networks below 0.99 training accuracy are left out). To
flip the sign of a tanh unit and of its weights leaves the network as it was, so that signed
matching misses its partner; ReLU has no such symmetry. {% if facts.separable %} B: the debiased
alignment of a tanh and a ReLU network that learned one task, against the target alignment of tanh
minus ReLU networks. A dot is a seed, with its pseudo-value over pairs, at one separability δ. C:
the similarity of the hidden layers of two networks that learned one task of separability δ from
different starts, on noisy samples of the clusters. Both have one activation, or there is one of
each ({{ n(facts.separable.seeds) }} of each activation). A layer as wide as the input has nearly
all of it, noise included: PWCCA and CCA, which are in the table alone, are much the same whatever
was learned. {% endif %} {% if facts.lines %} D: the same for tasks of {{
listed(facts.lines.clusters) }} clusters and {{ listed(facts.lines.targets) }} targets, by the
alignment c of inputs and targets ({{ n(facts.lines.seeds) }} of each activation). {% endif %} {% if
facts.separable %} B to D show networks whatever their accuracy: where clusters overlap, none can
name all samples right. {% endif %} {{ lost }}"""

TASKS = {"separable": "separable_pairs", "lines": "lines_pairs"}
"""The keys of comparisons, by the keys of networks."""
SORTED_BY = [name for name in ORDER if name not in TASK]
"""Tasks are in the order of the keys of their networks. Claims take means over tasks, and a sum in
another order has other last bits."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["mlp"]
    units = rows["mlp_units"]
    hidden = units["layer"].between(1, units["depth"].astype(float))
    matched = units["measure"].isin(["matching", "natural"])
    found = unit_rows(units[(hidden & matched) | (units["layer"] < 0)], networks)
    less_floor = found["variant"].str.endswith(" minus floor")
    parts = [accuracies(networks), found[less_floor]]
    for of_networks, of_pairs in TASKS.items():
        if of_networks in rows and of_pairs in rows:
            on_clusters, pairs = _on_images(rows[of_networks]), _on_images(rows[of_pairs])
            parts.append(accuracies(on_clusters))
            parts += activation_rows(pairs, on_clusters)
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _on_images(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of networks on clusters with the settings of networks on images, too."""
    return rows.reindex(columns=[*dict.fromkeys([*rows, *COLUMNS])])


NOTHING = "No pair of networks that learned"
SIGNED, ABSOLUTE = "signed minus floor", "absolute minus floor"
BOTH = "both"
"""Stands for pairs of networks of two activations."""
LOOKS = {BOTH: {"color": BLACK, "marker": "^", "linestyle": (0, (4, 1.5))}}
SIMILARITIES = {"svcca": "SVCCA, {k}", "alignment": "Debiased alignment"}
"""The panels of each kind of task. PWCCA and CCA are in the table: they hardly change."""
AXES = {
    "common_separable": ("delta", "Separability δ"),
    "aligned": ("alignment", "Alignment c"),
}
"""The column and the name of the axis, by type of task."""
SCATTERED = "alignment"
"""The measure of B."""
HEIGHTS = (0.46, 0.4)


def draw(table: pd.DataFrame, style: Style) -> Any:
    tasks = table["task"] if "task" in table else pd.Series(None, table.index, dtype=object)
    shown = [kind for kind in AXES if (tasks == kind).any()]
    beside_targets = table[table["variant"].str.endswith(BY_TARGETS)]
    # Fewer than three networks have no value each.
    has_targets = beside_targets["value"].notna().any()
    heights = HEIGHTS[: 1 + bool(shown)]
    figure = page(style, (sum(heights) + 0.06) * style.width)
    rows = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    # Networks on tasks are compared unless they diverged.
    networks = pd.concat([learned_ends(table[tasks.isna()]), ends_of(table[tasks.notna()])])
    table = with_deviations(table, networks)
    own = table[tasks.isna()]
    top = rows[0].subfigures(1, 1 + has_targets, width_ratios=[0.38, 0.62][: 1 + has_targets],
                             squeeze=False)[0]  # fmt: skip
    letters = iter("ABCD")
    letter(top[0], next(letters))
    _draw_gap(top[0].subplots(), own, style)
    if has_targets:
        letter(top[1], next(letters))
        _draw_targets(top[1].subplots(), beside_targets)
    if shown:
        parts = rows[1].subfigures(1, len(shown), squeeze=False)[0]
        for part, kind in zip(parts, shown, strict=True):
            letter(part, next(letters))
            _draw_tasks(part, table[tasks == kind], kind, style)
        _name_pairs(rows[1], table[tasks.notna()], style)
    note = _note(table, own, shown, "C" if has_targets else "B")
    if len(beside_targets) and not has_targets:
        note += " The panel of debiased alignment against target alignment needs three networks of"
        note += " each kind, and is left out."
    finish(figure, table, style, note)
    return figure


def _intervals(own: pd.DataFrame) -> str:
    """Return the words that say whether the medians of A have intervals."""
    rows = _network_rows(own)
    return with_intervals(_gaps(rows), rows[rows["step"] > 0], "matching")


def _note(table: pd.DataFrame, own: pd.DataFrame, shown: list[str], first: str) -> str:
    parts = [f"A: {number_of_networks(own)}, medians, {_intervals(own)}.{left_out(own)}"]
    for mark, kind in zip((first, chr(ord(first) + 1)), shown, strict=False):
        of_kind = table[table["task"] == kind]
        ends = ends_of(of_kind)
        parts.append(
            f"{mark}: {counted(ends['seed'].nunique())} of each activation and task;"
            f" means over all pairs of different seeds, {deviations(ends)}."
        )
    return " ".join(parts)


def _network_rows(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["contrast"].isna() & table["comparison"].notna()]


def _draw_tasks(part: Any, table: pd.DataFrame, kind: str, style: Style) -> None:
    """Draw similarities against a setting of the task, with a curve for each kind of pair."""
    column, label = AXES[kind]
    axes = part.subplots(1, len(SIMILARITIES), sharey=True)
    means = table[(table["contrast"] == TYPICAL) & (table["items"] == "samples")]
    means = means[(means["step"] > 0) & ~means["variant"].str.endswith(SAME_START)]
    for ax, (measure, title) in zip(axes, SIMILARITIES.items(), strict=True):
        rows = means[means["measure"] == measure]
        floor = is_floor(rows)
        variants = rows.loc[~floor, "variant"].unique()
        ax.set(title=title.format(k=", ".join(variants)), xlabel=label)
        if rows.empty:
            say(ax, NOTHING)
            continue
        unrelated = rows[floor].groupby(column)["value"].mean()
        ax.plot(unrelated.index, unrelated, color=BAND, linewidth=3, zorder=0)
        kinds = [_pair(rows[~floor]), "activation", "other_activation"]
        for (pair, *_), own in rows[~floor].groupby(kinds):
            draw_line(ax, with_ends(own), column, bars=0.6, linewidth=1, **_look(pair, style))
    axes[0].set(ylabel="Similarity of two networks", ylim=(-0.05, 1.05))


def _name_pairs(part: Any, table: pd.DataFrame, style: Style) -> None:
    """Add the legend of the panels of tasks, below them."""
    means = table[table["contrast"] == TYPICAL]
    pairs = [*activations(means), *([BOTH] if BOTH in {*_pair(means)} else [])]
    looks = {_name(pair): _look(pair, style) for pair in pairs}
    looks["noise floor: other items"] = {"color": BAND, "linewidth": 3}
    add_key(part, looks, loc="outside lower center", ncols=4)


def _pair(rows: pd.DataFrame) -> pd.Series:
    """Return the activation of both networks of each pair, or BOTH."""
    return rows["activation"].where(rows["activation"] == rows["other_activation"], BOTH)


def _look(pair: str, style: Style) -> dict[str, Any]:
    own = {"marker": "o", "markersize": 3}
    return own | (LOOKS[pair] if pair in LOOKS else dot_of(pair, style))


def _name(pair: str) -> str:
    return "one of each" if pair == BOTH else f"two {activation_name(pair)}"


def _draw_targets(ax: Any, rows: pd.DataFrame) -> None:
    """Draw the debiased alignment of networks of two activations, a dot for each seed and task.

    The horizontal axis is the difference of their alignments with the targets.
    """
    from matplotlib import colormaps

    rows = rows[(rows["items"] == "samples") & (rows["task"] == "common_separable")]
    rows = rows[rows["measure"] == SCATTERED]
    deltas = sorted(rows["delta"].dropna().unique())
    shades = colormaps["Purples"](np.linspace(0.35, 1, len(deltas)))
    one, other = (", ".join(map(activation_name, rows[name].dropna().unique()))
                  for name in ("activation", "other_activation"))  # fmt: skip
    if rows["value"].isna().all():
        say(ax, NOTHING)
    for number, (delta, shade) in enumerate(zip(deltas, shades, strict=True)):
        dots = rows[rows["delta"] == delta]
        ax.plot(dots["at"], dots["value"], MARKERS[number % len(MARKERS)], color=shade,
                markersize=3, linestyle="none", label=f"δ = {delta:g}")  # fmt: skip
    ax.axvline(0, **GUIDE | {"color": BAND},
               label="equal target\nalignment")  # fmt: skip
    ax.set(
        title=f"One {one} and one {other} network",
        xlabel=f"Target alignment, {one} \N{MINUS SIGN} {other}",
        ylabel="Debiased alignment of the two",
    )
    if deltas:
        ax.legend(title="Separability", loc="lower left", handlelength=0.8, borderpad=0)


def _draw_gap(ax: Any, table: pd.DataFrame, style: Style) -> None:
    ax.set(
        xlabel="Hidden layer", ylabel="What signed matching misses:\nabsolute \N{MINUS SIGN} signed"
    )
    gaps = _gaps(_network_rows(table))
    if gaps.empty:
        say(ax, NOTHING)
        return
    ax.axhline(0, **GUIDE | {"color": BAND})
    kinds = activations(table)
    for number, kind in enumerate(kinds):
        of_kind = gaps[gaps["activation"] == kind]
        of_kind = of_kind.assign(at=of_kind["layer"] + 0.16 * (number - (len(kinds) - 1) / 2))
        draw_line(ax, of_kind, "at", bars=1, label=activation_name(kind),
              **dot_of(kind, style) | {"markersize": 4, "linestyle": "none"})  # fmt: skip
    ax.set_xticks(sorted(gaps["layer"].unique()))
    # Dots next to a tick are at its layer, for pages that name their position.
    ax.xaxis.set_major_formatter(lambda layer, _: f"{layer:.0f}")
    ax.legend(handlelength=0.8, borderpad=0, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _gaps(rows: pd.DataFrame) -> pd.DataFrame:
    """Return by how much absolute correlations exceed signed ones after training.

    It is the median over networks for each activation and layer.
    """
    by = ["activation", "layer", "seed"]
    trained = rows[rows["step"] > 0]
    signed = trained[trained["variant"] == SIGNED].set_index(by)["value"]
    absolute = trained[trained["variant"] == ABSOLUTE]
    less = absolute["value"] - signed.reindex(pd.MultiIndex.from_frame(absolute[by])).to_numpy()
    return with_interval(absolute.assign(value=less), ["activation", "layer"])
