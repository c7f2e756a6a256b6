"""Figure C10: tanh and ReLU."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.plots.spread import with_interval
from repatlas.plots.style import (
    GREY,
    Style,
    activation_name,
    activations,
    counted,
    finish,
    letter,
    say,
)
from repatlas.plots.words import with_intervals
from repatlas.studies.convergence.drawing import (
    FLOOR,
    deviations,
    ends_of,
    learned_ends,
    left_out,
    number_of_networks,
    with_deviations,
)
from repatlas.studies.convergence.rows.activations import BY_TARGETS, SAME_START
from repatlas.studies.convergence.rows.distances import is_floor
from repatlas.studies.convergence.rows.similarities import TYPICAL

LINES = {"tanh": "-", "relu": (0, (4, 1.5))}
"""So that activations can be told apart without colours."""
MARKERS = {"tanh": "o", "relu": "s", "alike": "x"}
NOTHING = "No pair of networks that learned"
SIGNED, ABSOLUTE = "signed minus floor", "absolute minus floor"
THIN = {"linewidth": 0.6}
"""Networks before training in A, so that grey print tells them, too."""
UNTRAINED = (0, (4, 1.5))
"""The line of networks before training, in B and C."""
BOTH = "both"
"""Stands for pairs of networks of two activations."""
ALIKE = "alike"
"""Likewise, that begin with equal weights."""
SIMILARITIES = (
    ("pwcca", "samples", "PWCCA"),
    ("cca", "samples", "CCA"),
    ("svcca", "samples", "SVCCA, {k}"),
    ("alignment", "samples", "Debiased\nalignment"),
    ("alignment", "centres", "Alignment\nof centres"),
)
"""The panels of B and of C: measure, items, title."""
AXES = {
    "common_separable": ("B", "delta", "Separability δ"),
    "aligned": ("C", "alignment", "Alignment c"),
}
"""Of each kind of task its letter, the column of its axis and its name."""
BESIDE_TARGETS = ("pwcca", "svcca", "alignment")
"""The measures of D."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    tasks = table["task"] if "task" in table else pd.Series(None, table.index, dtype=object)
    shown = [kind for kind in AXES if (tasks == kind).any()]
    beside_targets = table[table["variant"].str.endswith(BY_TARGETS)]
    # Fewer than three networks have no value each.
    has_targets = beside_targets["value"].notna().any()
    heights = [0.5, *(0.26 for _ in shown), *([0.3] if has_targets else [])]
    if len(heights) > 2:
        heights[0] = 0.36  # so that all fit a page
    if shown:
        heights[len(shown)] += 0.06  # for the legend
    figure = Figure(figsize=(style.width, sum(heights) * style.width))
    parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    # Networks on tasks are compared unless they diverged.
    networks = pd.concat([learned_ends(table[tasks.isna()]), ends_of(table[tasks.notna()])])
    table = with_deviations(table, networks)
    own = table[tasks.isna()]
    _draw_units(parts[0], own, style)
    for part, kind in zip(parts[1:], shown, strict=False):
        _draw_tasks(part, table[tasks == kind], kind, style)
    if shown:
        _name_pairs(parts[len(shown)], table[tasks.notna()], style)
    if has_targets:
        _draw_targets(parts[-1], beside_targets)
    note = _note(table, own, shown)
    if len(beside_targets) and not has_targets:
        note += " D needs three networks of each kind, and is left out."
    finish(figure, table, style, note)
    return figure


def _intervals(own: pd.DataFrame) -> str:
    """Whether the medians of A have intervals."""
    rows = _of_networks(own)
    return with_intervals(_gaps(rows), rows[rows["step"] > 0], "matching")


def _least(ends: pd.DataFrame) -> str:
    if ends["value"].isna().all():
        return ""
    return f", least training accuracy {ends['value'].min():.2f}"


def _note(table: pd.DataFrame, own: pd.DataFrame, shown: list[str]) -> str:
    parts = [
        f"A: {number_of_networks(own)}. Left, middle: two typical networks, "
        f"{deviations(learned_ends(own), ' over all pairs')}, hidden layers; grey: before "
        "training. Right: absolute less signed, each less its own floor, two typical networks, "
        f"{_intervals(own)}.{left_out(own)}"
    ]
    for kind in shown:
        mark, *_ = AXES[kind]
        of_kind = table[table["task"] == kind]
        ends = ends_of(of_kind)
        alike = bool(of_kind["variant"].str.endswith(SAME_START).any())
        over = f" over all pairs of different seeds{' or, same start, of one seed' * alike}"
        parts.append(
            f"{mark}: {counted(ends['seed'].nunique())} of each activation and task{_least(ends)};"
            f" two typical networks, {deviations(ends, over)}."
        )
    return " ".join(parts)


def _draw_units(part: Any, table: pd.DataFrame, style: Style) -> None:
    letter(part, "A")
    axes = part.subplots(1, 3)
    means = table[table["contrast"] == TYPICAL]
    kinds = activations(table)
    for ax, variant in zip(axes, (SIGNED, ABSOLUTE), strict=False):
        _draw_matched(ax, means[means["variant"] == variant], kinds, style)
        ax.set(title=variant.split()[0].capitalize(), ylabel="Matched correlation,\nless floor")
    together = means.loc[means["variant"].isin([SIGNED, ABSOLUTE]), ["value", "sd"]].fillna(0)
    if len(together):
        highest = float(together.sum(axis=1).max())
        for ax in axes[:2]:
            ax.set_ylim(min(0, float(together["value"].min())), 1.1 * highest)
    _draw_gap(axes[2], _of_networks(table), kinds, style)
    _legend(part, kinds, style)


def _of_networks(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["contrast"].isna() & table["comparison"].notna()]


def _draw_tasks(part: Any, table: pd.DataFrame, kind: str, style: Style) -> None:
    """Similarities against a setting of the task, a curve for each kind of pair."""
    mark, column, label = AXES[kind]
    letter(part, mark)
    axes = part.subplots(1, len(SIMILARITIES), sharey=True)
    means = table[table["contrast"] == TYPICAL]
    for ax, (measure, items, title) in zip(axes, SIMILARITIES, strict=True):
        rows = means[(means["measure"] == measure) & (means["items"] == items)]
        variants = rows.loc[~is_floor(rows), "variant"].str.removesuffix(SAME_START).unique()
        ax.set(title=title.format(k=", ".join(variants)), xlabel=label)
        if rows.empty:
            say(ax, NOTHING)
        for pair, own in rows.groupby(_pair(rows)):
            _draw_pairs(ax, own, column, _look(pair, style))
    axes[0].set(ylabel="Similarity", ylim=(-0.05, 1.05))


def _name_pairs(part: Any, table: pd.DataFrame, style: Style) -> None:
    """The legend of B and C, under the lower of them."""
    means = table[table["contrast"] == TYPICAL]
    found = {*_pair(means)}
    pairs = [*activations(means), *(pair for pair in (BOTH, ALIKE) if pair in found)]
    handles = [
        Line2D([], [], **_look(pair, style), markersize=3, label=_name(pair)) for pair in pairs
    ]
    for line, name in ((UNTRAINED, "before training"), (":", "other items (floor)")):
        handles.append(Line2D([], [], color=GREY, linestyle=line, linewidth=0.7, label=name))
    part.legend(handles=handles, loc="outside lower center", ncols=3, handlelength=2)


def _pair(rows: pd.DataFrame) -> pd.Series:
    """The activation of both networks of each pair, or BOTH, or ALIKE."""
    pairs = rows["activation"].where(rows["activation"] == rows["other_activation"], BOTH)
    return pairs.mask(rows["variant"].str.endswith(SAME_START), ALIKE)


def _look(pair: str, style: Style) -> dict[str, Any]:
    colour = {BOTH: "black", ALIKE: GREY}.get(pair) or style.colours[pair]
    return {"color": colour, "marker": MARKERS.get(pair, "^")}


def _name(pair: str) -> str:
    if pair in (BOTH, ALIKE):
        return "one of each" + (", same start" if pair == ALIKE else "")
    return f"two {activation_name(pair)}"


def _draw_pairs(ax: Any, rows: pd.DataFrame, column: str, look: dict[str, Any]) -> None:
    floor = is_floor(rows)
    trained = rows[~floor & (rows["step"] > 0)].sort_values(column)
    ax.errorbar(trained[column], trained["value"], trained["sd"], markersize=2, elinewidth=0.6,
                linewidth=1, **look)  # fmt: skip
    plain = look | {"linewidth": 0.7, "markersize": 2, "markerfacecolor": "white"}
    plain |= {"markeredgewidth": 0.5}
    before = rows[~floor & (rows["step"] == 0)].sort_values(column)
    ax.plot(before[column], before["value"], linestyle=UNTRAINED, **plain)
    unrelated = rows[floor & (rows["step"] > 0)].sort_values(column)
    ax.plot(unrelated[column], unrelated["value"], linestyle=":", **plain)


def _draw_targets(part: Any, rows: pd.DataFrame) -> None:
    """Similarities of networks of two activations against the difference of their alignments with
    the targets, a dot for each seed and task."""
    letter(part, "D")
    axes = part.subplots(1, len(BESIDE_TARGETS))
    rows = rows[(rows["items"] == "samples") & (rows["task"] == "common_separable")]
    deltas = sorted(rows["delta"].dropna().unique())
    shades = colormaps["viridis"](np.linspace(0, 0.92, len(deltas)))
    one, other = (", ".join(map(activation_name, rows[name].dropna().unique()))
                  for name in ("activation", "other_activation"))  # fmt: skip
    for ax, measure in zip(axes, BESIDE_TARGETS, strict=True):
        own = rows[rows["measure"] == measure]
        if own["value"].isna().all():
            say(ax, NOTHING)
        for delta, shade in zip(deltas, shades, strict=True):
            dots = own[own["delta"] == delta]
            ax.plot(dots["at"], dots["value"], ".", color=shade, markersize=2.5, label=f"{delta:g}")
        [title] = [
            name for known, items, name in SIMILARITIES if (known, items) == (measure, "samples")
        ]
        variants = own["variant"].str.removesuffix(BY_TARGETS).unique()
        ax.set_title(title.format(k=", ".join(variants)).replace("\n", " ") + ", one of each")
        ax.set_xlabel(f"Target alignment,\n{one} less {other}")
    axes[0].set_ylabel("Similarity of a pair")
    if deltas:
        part.legend(*axes[0].get_legend_handles_labels(), title="δ", loc="outside right center",
                    handlelength=0.8, markerscale=2)  # fmt: skip


def _draw_matched(ax: Any, rows: pd.DataFrame, kinds: list[str], style: Style) -> None:
    if not rows["step"].max() > 0:
        say(ax, NOTHING)
        return
    for kind in kinds:
        own = rows[rows["activation"] == kind]
        for step in sorted(own["step"].unique()):
            colour = style.colours[kind] if step else FLOOR
            line = own[own["step"] == step].sort_values("layer")
            at, value = (line[name].to_numpy(float) for name in ("layer", "value"))
            spread = np.nan_to_num(line["sd"].to_numpy(float))
            look = _trained(kind) if step else THIN
            ax.plot(at, value, color=colour, linestyle=LINES.get(kind, ":"), **look)
            ax.fill_between(at, value - spread, value + spread, color=colour, alpha=0.15,
                            linewidth=0)  # fmt: skip
    ax.set_xticks(sorted(rows["layer"].astype(float).unique()))
    ax.set_xlabel("Hidden layer")


def _trained(kind: str) -> dict[str, Any]:
    return {"marker": MARKERS.get(kind, "^"), "markersize": 3}


def _draw_gap(ax: Any, rows: pd.DataFrame, kinds: list[str], style: Style) -> None:
    ax.set(title="Absolute less signed", xlabel="Hidden layer")
    gaps = _gaps(rows)
    if gaps.empty:
        say(ax, NOTHING)
        return
    ax.axhline(0, color="0.8", linewidth=0.6, zorder=0)
    for number, kind in enumerate(kinds):
        of_kind = gaps[gaps["activation"] == kind]
        at = of_kind["layer"] + 0.16 * (number - (len(kinds) - 1) / 2)
        colour = style.colours[kind]
        ax.plot(at, of_kind["value"], MARKERS.get(kind, "^"), color=colour, markersize=4)
        ax.vlines(at, of_kind["low"], of_kind["high"], color=colour, linewidth=1)
    ax.set_xticks(sorted(gaps["layer"].unique()))


def _gaps(rows: pd.DataFrame) -> pd.DataFrame:
    """By how much absolute correlations exceed signed ones after training, median over networks,
    for each activation and layer."""
    by = ["activation", "layer", "seed"]
    trained = rows[rows["step"] > 0]
    signed = trained[trained["variant"] == SIGNED].set_index(by)["value"]
    absolute = trained[trained["variant"] == ABSOLUTE]
    less = absolute["value"] - signed.reindex(pd.MultiIndex.from_frame(absolute[by])).to_numpy()
    return with_interval(absolute.assign(value=less), ["activation", "layer"])


def _legend(part: Any, kinds: list[str], style: Style) -> None:
    handles = [
        Line2D([], [], color=style.colours[kind] if step else FLOOR, linestyle=LINES.get(kind, ":"),
               **(_trained(kind) if step else THIN),
               label=activation_name(kind) + ("" if step else ", before training"))
        for step in (1, 0)
        for kind in kinds
    ]  # fmt: skip
    part.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=2.4)
