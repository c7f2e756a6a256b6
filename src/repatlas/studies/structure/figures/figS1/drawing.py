"""Figure S1: Figure 1's measures for other distributions of inputs."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.contrasts import TANH_RELU
from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import FREE, LIMITS, dot_of, within
from repatlas.plots.dots import draw_dots, mark_zero, set_range
from repatlas.plots.panels import by_panel, panel_names
from repatlas.plots.spread import deviation
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
)
from repatlas.plots.words import NO_PAIRS, mean_and_sd, why_nothing, with_intervals
from repatlas.studies.structure.figures.figS1.table import FRACTION, INPUTS, REFERENCE

NAMES = {
    ("normal", True): "Gaussian, centred",
    ("symmetric", True): "U[\N{MINUS SIGN}1, 1], centred",
    ("positive", True): "U[0, 1], centred",
    ("normal", False): "Gaussian",
    ("symmetric", False): "U[\N{MINUS SIGN}1, 1]",
    ("positive", False): "U[0, 1]",
    ("rectified", False): "U[0, 1], cut at 0",
    ("raw", False): "U[0, 1], cut, raw",
}
RAW = ("raw", False)


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.3 * style.width))
    part_a, part_b = figure.subfigures(2, 1, height_ratios=[1.05, 1])
    single = not_diverged(table[table["contrast"].isna()])
    present = set(table[INPUTS].itertuples(index=False, name=None))
    names = {key: name for key, name in NAMES.items() if key in present}
    panels = _drawn(panel_names(single))

    letter(part_a, "A")
    looks = {name: dot_of(name, style) for name in activations(table)}
    axes = _panels(part_a, panels)
    before, after = (_spread(single[single["step"] == step]) for step in (0, style.step))
    nothing = why_nothing(table[table["seed"].notna()])
    ticks = {name: look | {"marker": "|", "markersize": 5} for name, look in looks.items()}
    if len(before):
        before = before.assign(low=None, high=None)
        _draw_dots(axes, before, panels, names, "activation", ticks, nothing)
    _draw_dots(axes, after, panels, names, "activation", looks, nothing)
    for ax in axes.flat:
        set_range(ax)
    for name, look in looks.items():
        dot = {"linestyle": "", "marker": "o", "markersize": 3}
        axes[0, 0].plot([], [], **dot | look, label=activation_name(name))
    part_a.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right",
                  ncols=len(looks), handletextpad=0.1, borderpad=0)  # fmt: skip

    letter(part_b, "B")
    axes = _panels(part_b, panels)
    contrasts = table[table["step"] == style.step].assign(all="all")
    effects = contrasts[contrasts["contrast"] == TANH_RELU]
    effects = _with_fractions(effects, contrasts[contrasts["contrast"] == FRACTION])
    _draw_dots(axes, effects, panels, names, "all", {"all": {"color": "black"}}, NO_PAIRS)
    for ax in axes.flat:
        mark_zero(ax)
        set_range(ax)

    finish(
        figure,
        table,
        style,
        f"A: {mean_and_sd(single, 'target_alignment')} after {style.step} steps; ticks: before "
        f"training.{_distributions(names)} B: medians of paired differences "
        f"Tanh \N{MINUS SIGN} ReLU, {with_intervals(effects, single, 'target_alignment')}."
        f"{_percentages(effects)}",
    )
    return figure


def _drawn(panels: dict[tuple[str, float], str]) -> dict[tuple[str, float], str]:
    """The panels of decoders that were tested with the most noise alone: with less, all are at the
    ceiling. The table has them all."""
    most = max(deviation for _, deviation in panels)
    return {panel: title for panel, title in panels.items() if panel[1] in (0.0, most)}


def _panels(part: Any, panels: dict) -> Any:
    return part.subplots(len(panels) // 3, 3, sharey=True, squeeze=False)


def _draw_dots(axes: Any, rows: pd.DataFrame, panels: dict, names: dict, *looks: Any) -> None:
    """Draw a panel for each measure, with a row of dots for each kind of inputs."""
    of_panels = by_panel(rows)
    for ax, (panel, title) in zip(axes.flat, panels.items(), strict=True):
        shown = of_panels.get(panel, rows[:0])
        draw_dots(ax, shown, INPUTS, names, *looks)
        ax.set_title(title)


def _spread(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over networks, with the standard deviation to either side, if they are
    enough.

    The ends are limited to the range of the measure.
    """
    by = ["activation", "measure", "variant", "deviation", *INPUTS]
    refuse_pooling(rows, by)
    grouped = rows.groupby(by, dropna=False)["value"]
    found = grouped.agg(value="mean", sd=deviation).reset_index()
    ends = [within(row.value, row.sd, LIMITS.get(row.measure, FREE)) for row in found.itertuples()]
    low, high = zip(*ends, strict=True) if ends else ((), ())
    return found.assign(low=low, high=high)


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("-", "\N{MINUS SIGN}")


def _with_fractions(effects: pd.DataFrame, fractions: pd.DataFrame) -> pd.DataFrame:
    """Return the effects, each with the text of its fraction, if it has one."""
    by = ["measure", "variant", "deviation", *INPUTS]
    rounded = fractions["value"].round(2) + 0.0  # and -0 is 0
    texts = rounded.map(_percent).where(fractions["value"].notna(), "")
    joined = effects.merge(fractions[by].assign(text=texts), on=by, how="left")
    return joined.fillna({"text": ""})


def _distributions(names: dict[tuple, str]) -> str:
    """Return what the names of the inputs mean."""
    text = ""
    if any(name.startswith("U[") for name in names.values()):
        text += " U: uniform, scaled to variance 1" + ", but for raw" * (RAW in names) + "."
    if any("cut" in name for name in names.values()):
        text += " Cut: at 0, with the noise."
    return text


def _percentages(effects: pd.DataFrame) -> str:
    if not effects["text"].astype(bool).any():
        return ""
    return f" Percentages: of the difference for {NAMES[REFERENCE]}, where that is not 0."
