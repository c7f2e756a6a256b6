"""Figure S1: Figure 1's measures for other distributions of inputs."""

from typing import Any

import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import with_activations
from repatlas.figures.role import ACTIVATION, Role, legend, networks, panels, words
from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.intervals import ratio_interval
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.dots import MARKED, draw_dots, set_range
from repatlas.plots.marks import GUIDE, add_key, dot_of
from repatlas.plots.palette import BLACK, DARK
from repatlas.plots.panels import TITLES, by_panel, panel_names
from repatlas.plots.spread import limits_of, with_sd
from repatlas.plots.style import Style, activation_name, activations, finish, letter, page
from repatlas.plots.words import NO_PAIRS, mean_and_sd, why_nothing, with_intervals
from repatlas.record import refuse
from repatlas.studies.structure.roles import BOTH, PANELS, UNSTRUCTURED
from repatlas.studies.structure.rows.panels import GROUP, panel_rows


def _has_inputs_of_figure_1(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    kinds = {(each["task.distribution"], each["task.centred"]) for each in found}
    if ("normal", True) not in kinds or len(kinds) < 2:
        names = "; ".join(f"{name}, centred {words([centred])}" for name, centred in sorted(kinds))
        refuse(
            f"{where}: found task.distribution {names}, allowed: normal, centred true, which are"
            " Figure 1's inputs, and others, which the figure compares with them"
        )


FIGURE = Figure(
    "Figure 1's measures for other distributions of inputs.",
    {
        "inputs": Role(
            "Sweeps of unstructured tasks, with tanh and ReLU: Figure 1's inputs, normal and"
            " centred, and others at least.",
            PANELS,
            UNSTRUCTURED,
            several=True,
            shown=legend(ACTIVATION) | panels("task.distribution", "task.centred"),
            fits=(
                with_activations(*BOTH, panels=("task.distribution", "task.centred")),
                _has_inputs_of_figure_1,
            ),
        )
    },
    step="The training step that the figure shows.",
    first_step=1,
    shows_start=True,
    finding=Finding(
        "Where Gaussian inputs share a mean, ReLU networks take on more of the targets' geometry"
        " and differ less from tanh.",
        {"36b": SUPPORTED},
    ),
)
CAPTION = """**Figure S1: other inputs (our choice).** Do Figure 1's effects remain for other
inputs? The paper's authors report, without numbers, that they do for non-negative inputs. A: target
alignment of {{ kind(facts.inputs) }} after {{ facts.step }} steps (dots), {{
spread(facts.inputs.seeds) }}, and before training (ticks). The centres are {{ "from a normal
distribution" if "normal" in facts.inputs.distribution }}{{ "; " if "normal" in
facts.inputs.distribution and facts.inputs.distribution | length > 1 }}{{ "from uniform
distributions (" ~ listed(facts.inputs.distribution | reject("equalto", "normal") | list) ~ ")" if
facts.inputs.distribution != ["normal"] }}. {{ "Rectified: inputs are cut at 0, noise included." if
"rectified" in facts.inputs.distribution }} {{ "Raw: the same without scaling the variance, with
noise in units of the coordinates' standard deviation." if "raw" in facts.inputs.distribution }} B:
the effect of the activation on target alignment. B and C are {{ paired }}. {{ "Percentages: the
same as a share of the effect for centred normal inputs, with its interval, where the interval of
that effect does not hold 0." if "normal" in facts.inputs.distribution and true in
facts.inputs.centred }} C: the effect on other measures. Decoders: {{ noise(facts.inputs) }} is
added to their inputs; the figure shows the most noise. The table has all measures and their shares.
{{ lost }}"""

INPUTS = ["distribution", "centred"]
REFERENCE = ("normal", True)
"""Distribution and centring of Figure 1."""
FRACTION = f"{TANH_RELU}, over that of Figure 1"
TRAINING = "after - before training"


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return the measures of every network before and after training, and what training changes.

    The effect of the activation is there for each kind of inputs, and as a fraction of the effect
    for the inputs of Figure 1.
    """
    inputs = rows["inputs"]
    shown = panel_rows(inputs[inputs["step"].isin([0, step])])
    by = [*GROUP, *INPUTS]
    effects = tanh_minus_relu(not_diverged(shown), by)
    last = not_diverged(shown[shown["step"] == step])
    # The rows of a change in training have no step.
    before = not_diverged(shown[shown["step"] == 0])
    without_step = [name for name in (*by, "activation") if name != "step"]
    changes = contrast_rows(last, before, TRAINING, without_step)
    fractions = _fractions(effects[effects["step"] == step])
    return pd.concat(
        [shown, median_rows(effects, by).assign(contrast=TANH_RELU), fractions, changes],
        ignore_index=True,
    )


def _fractions(effects: pd.DataFrame) -> pd.DataFrame:
    """Return each effect divided by the effect of the reference, for the same seeds."""
    is_reference = (effects["distribution"] == REFERENCE[0]) & (effects["centred"] == REFERENCE[1])
    reference = effects[is_reference].drop(columns=INPUTS)
    pairs = effects[~is_reference].merge(reference, on=[*GROUP, "seed"], suffixes=("", "_of"))
    by, rows = [*GROUP, *INPUTS], []
    for values, group in pairs.groupby(by, dropna=False):
        ratio = ratio_interval(group["value"].to_numpy(), group["value_of"].to_numpy())
        rows.append(dict(zip(by, values, strict=True)) | {"contrast": FRACTION} | ratio._asdict())
    return pd.DataFrame(rows, columns=[*by, "contrast", "value", "low", "high"])


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


LARGE = "target_alignment"
"""The measure of panels A and B."""
LESS = "decoding_trained"
"""The measure that no panel shows, because it is at its ceiling in all networks."""
B_AT = 0.57
"""Where the letter of panel B stands, as a fraction of the width."""
ALL = {"all": {"color": BLACK}}


def draw(table: pd.DataFrame, style: Style) -> Any:
    single = not_diverged(table[table["contrast"].isna()])
    present = set(table[INPUTS].itertuples(index=False, name=None))
    names = {key: name for key, name in NAMES.items() if key in present}
    figure = page(style, (0.36 + 0.11 * len(names)) * style.width)
    above, below = figure.subfigures(2, 1, height_ratios=[1.25, 1])
    letter(above, "A")
    letter(above, "B", B_AT)
    left, right = above.subplots(1, 2, sharey=True, width_ratios=[1.25, 1])
    _draw_networks(left, table, single, names, style)

    contrasts = table[table["step"] == style.step].assign(all="all")
    effects = contrasts[contrasts["contrast"] == TANH_RELU]
    fractions = contrasts[contrasts["contrast"] == FRACTION]
    large = effects[effects["measure"] == LARGE]
    large = _with_fractions(large, fractions)
    _draw_effects(right, large, names, TITLES[LARGE])
    low, high = right.get_xlim()
    right.set_xlim(low, high + 0.25 * (high - low) * large["text"].astype(bool).any())

    letter(below, "C")
    panels = _others(single)
    axes = below.subplots(1, len(panels), sharey=True)
    of_panels = by_panel(effects)
    for ax, (panel, title) in zip(axes, panels.items(), strict=True):
        _draw_effects(ax, of_panels.get(panel, effects[:0]), names, title.replace(", ", ",\n"))

    finish(
        figure,
        table,
        style,
        f"A: {mean_and_sd(single, LARGE)} after {style.step} steps.{_distributions(names)} "
        f"B, C: medians of the paired differences, {with_intervals(effects, single, LARGE)}."
        f"{_percentages(large)}",
    )
    return figure


def _others(single: pd.DataFrame) -> dict[tuple[str, float], str]:
    """Return the panels of C. Decoders with the most noise alone have one: with less, all are at
    the ceiling. The table has them all."""
    panels = panel_names(single)
    most = max(noise for _, noise in panels)
    return {
        (measure, noise): title
        for (measure, noise), title in panels.items()
        if noise in (0.0, most) and measure not in (LARGE, LESS)
    }


def _draw_networks(
    ax: Any, table: pd.DataFrame, single: pd.DataFrame, names: dict, style: Style
) -> None:
    """Draw the measure after training as dots, and before it as ticks."""
    rows = single[single["measure"] == LARGE]
    looks = {name: dot_of(name, style) for name in activations(table)}
    nothing = why_nothing(table[table["seed"].notna()])
    before, after = (_spread(rows[rows["step"] == step]) for step in (0, style.step))
    ticks = {name: look | {"marker": "|", "markersize": 5} for name, look in looks.items()}
    if len(before):
        before = before.assign(low=None, high=None)
        draw_dots(ax, before, INPUTS, names, "activation", ticks, nothing)
    draw_dots(ax, after, INPUTS, names, "activation", looks, nothing)
    set_range(ax)
    ax.set_title(TITLES[LARGE])
    dots = {activation_name(name): MARKED | look for name, look in looks.items()}
    dots["before training"] = MARKED | {"marker": "|", "markersize": 5, "color": DARK}
    add_key(ax, dots, loc="upper center", bbox_to_anchor=(0.5, -0.13), handletextpad=0.1,
        columnspacing=1)  # fmt: skip


def _draw_effects(ax: Any, effects: pd.DataFrame, names: dict, title: str) -> None:
    """Draw the paired differences of a measure, a row for each kind of inputs."""
    draw_dots(ax, effects, INPUTS, names, "all", ALL, NO_PAIRS)
    ax.axvline(0, **GUIDE)
    set_range(ax)
    ax.set_title(title)
    ax.set_xlabel("Tanh \N{MINUS SIGN} ReLU")


def _spread(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over networks, with the standard deviation to either side, if they are
    enough.

    The ends are limited to the range of the measure.
    """
    by = ["activation", "measure", "variant", "deviation", *INPUTS]
    refuse_mixed_kinds(rows, by)
    return with_sd(rows, by, limits_of(rows))


def _with_fractions(effects: pd.DataFrame, fractions: pd.DataFrame) -> pd.DataFrame:
    """Return the effects, each with the text of its fraction and of the interval, if it has
    them."""
    by = ["measure", "variant", "deviation", *INPUTS]
    defined = fractions.dropna(subset="value")
    texts = [_percent(*ends) for ends in defined[["value", "low", "high"]].to_numpy(float)]
    joined = effects.merge(defined[by].assign(text=texts), on=by, how="left")
    return joined.fillna({"text": ""})


def _percent(value: float, low: float, high: float) -> str:
    found, *ends = (f"{100 * end + 0.0:.0f}" for end in (value, low, high))
    return f"{found} %" if pd.isna(low) else f"{found} % [{', '.join(ends)}]"


def _distributions(names: dict[tuple, str]) -> str:
    """Return what the names of the inputs mean."""
    text = ""
    if any(name.startswith("U[") for name in names.values()):
        text += " U: uniform, scaled to variance 1" + ", except for raw" * (RAW in names) + "."
    if any("cut" in name for name in names.values()):
        text += " Cut: at 0, with the noise."
    return text


def _percentages(effects: pd.DataFrame) -> str:
    if not effects["text"].astype(bool).any():
        return ""
    return f" Percentages: of the difference for {NAMES[REFERENCE]}."
