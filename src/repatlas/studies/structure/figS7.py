"""Figure S7: neural collapse against target alignment, separability, noise and training."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.curves import draw_curves
from repatlas.plots.marks import add_key, dashes_of, dot_of, looks_of
from repatlas.plots.palette import DARK, GREY
from repatlas.plots.panels import step_axis
from repatlas.plots.style import (
    ACTIVATION_MARKERS,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
    say,
    small_type,
)
from repatlas.plots.words import mean_and_networks, mean_over, why_nothing
from repatlas.studies.structure.roles import ONE_TARGET, SEPARABLE
from repatlas.studies.structure.rows.panels import accuracy_rows, at_step

NEEDED = {"collapse", "alignment"}

FIGURE = Figure(
    "Neural collapse and target alignment, over separability, training noise and training.",
    {
        "sweep": Role(
            "The sweep of separable tasks that panels A to D draw, at its last step: two values of"
            " delta and of the noise variance at least.",
            NEEDED,
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta", "task.noise_variance"),
        ),
        "training": Role(
            "The sweep whose networks panels E and F draw over training.",
            NEEDED,
            ONE_TARGET,
            over_steps=True,
        ),
        "longer": Role(
            "A sweep of separable tasks with longer training, which is only in the table.",
            NEEDED,
            SEPARABLE,
            optional=True,
            shown=legend(ACTIVATION, "task.delta"),
            over_steps=True,
        ),
    },
    finding=Finding(
        "From a separability of one half on neural collapse is stronger in tanh than in ReLU"
        " networks.",
        {"n1": CONTRADICTED, "n4": SUPPORTED},
    ),
)
CAPTION = """**Figure S7: neural collapse (our choice).** Is target alignment neural collapse, and
does collapse depend on the activation? Variance within classes is its share of all variance of the
hidden layer, 0 for complete collapse; a class is all samples of one label. A: target alignment of
the clusters against the variance within classes of the samples of training, of {{ kind(facts.sweep)
}} after {{ facts.sweep.steps | max }} steps. There is a dot for each separability and variance of
the training noise. B: the same for the clusters without noise. Lines: the least and the largest
alignment that a share allows. C, D: variance within classes against separability and against
training noise. E, F: networks on unstructured clusters over training, their variance within classes
and NC3. NC3 is the squared distance of readout weights from class means, each of length 1. The
readout is frozen here, so that only class means can turn. Dashed: the mean over all orders of the
clusters' labels; dotted: the same for NC3. A to D: {{ mean(facts.sweep.seeds) }}; E, F: {{
each(facts.training.seeds) }}. {{ lost }}"""

MEASURES = (
    "nc1",
    "within_share",
    "nc3",
    "nc4",
    "class_cosine",
    "feature_norm",
)
NETWORK = ["run", "seed", "step", "measure", "variant", "deviation", "layer"]
"""Columns that tell the rows of one number: two sweeps may have a network in common."""


def per_network(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    sweep = rows["sweep"]
    parts = [at_step(sweep, sweep["step"].max()), rows["training"]]
    if "longer" in rows:
        parts.append(rows["longer"])
    shown = pd.concat([_collapse_rows(part) for part in parts], ignore_index=True)
    return shown.drop_duplicates(NETWORK, ignore_index=True)


def _collapse_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of collapse, target alignment at the centres, and accuracy."""
    is_alignment = (rows["measure"] == "target_alignment") & (rows["variant"] == "centres")
    lost = rows["variant"] == "diverged"
    kept = rows[rows["measure"].isin(MEASURES) | is_alignment | lost]
    return pd.concat([kept, accuracy_rows(rows[~lost])])


CELL = ["activation", "delta", "noise_variance"]
"""What tells the dots."""
SHARE = "Variance within classes"
OF_CHANCE = ("training", "training, labels permuted")
"""Samples with their labels, and the mean over all orders of the clusters' labels."""
CHANCE_NC3 = 2.0
"""The mean of NC3 over both orders of the two classes."""
FEWEST_CLUSTERS = 4
GUIDE = {"color": DARK, "linewidth": 0.6}


def draw(table: pd.DataFrame, style: Style) -> Any:
    lost = table["diverged_step"].notna()
    step = _step_of_settings(table[table["delta"].notna()])
    of_sweep = table[table["delta"].notna() & ((table["step"] == step) | lost)]
    over_steps = table[table["delta"].isna()]
    cells, training = not_diverged(of_sweep), not_diverged(over_steps)
    nothing, never = why_nothing(of_sweep), why_nothing(over_steps)

    figure = page(style, 0.98 * style.width)
    above, below = figure.subfigures(2, 1, height_ratios=[1.35, 1])
    left, right = above.subfigures(1, 2, width_ratios=[1.75, 1])
    letter(left, "A")
    key = left.subplots()
    _draw_dots(key, cells, "training", style, nothing)
    key.set(xlabel=f"{SHARE}, samples of training", ylabel="Target alignment of the clusters")
    letter(right, "B")
    without_noise = right.subplots()
    _draw_dots(without_noise, cells, "centres", style, nothing)
    _draw_bounds(without_noise, cells)
    without_noise.set(xlabel=f"{SHARE}, no noise", ylabel="Target alignment")

    parts = below.subfigures(1, 4)
    for part, name in zip(parts, "CDEF", strict=True):
        letter(part, name)
    axes = [part.subplots() for part in parts]
    shares = cells[cells["measure"] == "within_share"]
    noise = _nearest(shares["noise_variance"], training["noise_variance"])
    delta = shares["delta"].max()
    chosen = shares["noise_variance"] == noise, shares["delta"] == delta
    for ax, x, of in zip(axes, ("delta", "noise_variance"), chosen, strict=False):
        _draw_shares(ax, shares[of], x, style, nothing)
    axes[0].set_xlabel(r"Separability $\delta$")
    axes[1].set_xlabel(r"Noise variance $\sigma^2$")
    if len(shares):
        axes[0].set_title(rf"$\sigma^2={noise:g}$")
        axes[1].set_title(rf"$\delta={delta:g}$")
    axes[1].set_xscale("symlog", linthresh=0.125, linscale=0.5)
    axes[1].set_xticks([0, 1, 10], ["0", "1", "10"])
    over = training[training["measure"] == "within_share"]
    _draw_shares(axes[2], over, "step", style, never)
    duality = training[(training["measure"] == "nc3") & (training["variant"] == "training")]
    draw_curves(axes[3], duality, "step", style, never, spread="networks")
    for ax in axes[2:]:
        ax.set(xlabel="Training step", title="Unstructured")
        step_axis(ax, training[training["measure"] == "target_alignment"])
    axes[0].set_ylabel(SHARE)
    axes[3].set(ylabel="NC3", ylim=(-0.07, CHANCE_NC3 + 0.27))
    axes[3].axhline(CHANCE_NC3, linestyle=":", zorder=0, **GUIDE)
    for ax in axes[:3]:
        ax.set_ylim(-0.03, 1.03)

    kinds = dashes_of(("trained labels", "labels permuted"))
    add_key(below, looks_of(activations(table), style) | kinds)
    after = "" if step is None else f", after {step} steps"
    finish(
        figure,
        table,
        style,
        f"A to D: {mean_over(cells, 'within_share')} for each setting{after}."
        f" A, B: a dot for each separability and noise. E, F: "
        f"{mean_and_networks(training, 'within_share')}.",
    )
    return figure


def _step_of_settings(rows: pd.DataFrame) -> int | None:
    """Return the last step with the most noise variances: longer training has one of them."""
    numbers = rows.groupby("step")["noise_variance"].nunique()
    return int(numbers.index[numbers == numbers.max()].max()) if len(numbers) else None


def _nearest(found: pd.Series, wanted: pd.Series) -> float:
    """Return the value that is nearest to the wanted one, or the least if none is wanted."""
    values = np.sort(found.dropna().unique())
    if not len(values):
        return np.nan
    target = wanted.dropna().min() if wanted.notna().any() else values[0]
    return float(values[np.abs(values - target).argmin()])


def _draw_dots(ax: Any, cells: pd.DataFrame, variant: str, style: Style, nothing: str) -> None:
    """Draw the mean of each setting: target alignment against the share within classes."""
    share = cells[(cells["measure"] == "within_share") & (cells["variant"] == variant)]
    alignment = cells[cells["measure"] == "target_alignment"]
    means = []
    for rows in (share, alignment):
        refuse_mixed_kinds(rows, CELL)
        means.append(rows.groupby(CELL)["value"].mean())
    both = pd.concat(means, axis=1, keys=["share", "alignment"]).dropna().reset_index()
    if not len(both):
        say(ax, nothing)
        return
    for name in activations(both):
        dots = both[both["activation"] == name]
        look = dot_of(name, style) | {"marker": ACTIVATION_MARKERS.get(name, "o")}
        ax.plot(dots["share"], dots["alignment"], linestyle="", markersize=2.6,
                markeredgewidth=0.6, label=activation_name(name), **look)  # fmt: skip
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))


def _draw_bounds(ax: Any, cells: pd.DataFrame) -> None:
    """Draw the least and the largest target alignment that a share within classes allows.

    In the least case the clusters of a class differ along the line through the class means. In the
    largest case they differ equally in all other directions.
    """
    share = np.linspace(0, 1, 100)[:-1]
    odds = share / (1 - share)
    clusters = int(cells["clusters"].max()) if len(cells) else FEWEST_CLUSTERS
    for bound in (1 - share, 1 / np.sqrt(1 + odds**2 / (clusters - 2))):
        ax.plot(share, bound, zorder=0, **GUIDE)
    ax.annotate("bounds", (0.4, 0.6), xytext=(-2, -2), textcoords="offset points", va="top",
                ha="right", color=GREY, size=small_type())  # fmt: skip


def _draw_shares(ax: Any, rows: pd.DataFrame, x: str, style: Style, nothing: str) -> None:
    """Draw the share within classes of the samples of training, with its chance level dashed."""
    shown = rows[rows["variant"].isin(OF_CHANCE)]
    draw_curves(ax, shown, x, style, nothing, "variant", list(OF_CHANCE), spread="networks")
