"""Figure C9: noise directions. Canonical correlations of the last hidden layer with itself at the
end of training, and accuracy without its stable or its unstable part."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.experiments.classification.columns import COLUMNS
from repatlas.experiments.classification.compared import MOST_ROWS
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import Role, networks
from repatlas.images.published import data_set
from repatlas.inference.intervals import FEWEST
from repatlas.plots.dots import MARKED
from repatlas.plots.marks import add_key, dot_of, draw_line, guide
from repatlas.plots.palette import BLACK, DARK, LILAC
from repatlas.plots.spread import with_ends
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
    say,
    small_type,
)
from repatlas.record import refuse
from repatlas.studies.convergence.parts import (
    FLOOR,
    deviations,
    draw_mean,
    first_shown,
    learned_ends,
    left_out,
    look_of_layer,
    number_of_networks,
    percent,
    time_axis,
    with_deviations,
)
from repatlas.studies.convergence.roles import MLP, last_hidden, training_images
from repatlas.studies.convergence.rows.networks import accuracies, learned, means
from repatlas.studies.convergence.rows.toy import affine_rows, toy_rows


def _enough_images(where: str, sweeps: dict) -> None:
    """Refuse layers so wide for the images that canonical correlations are 1 whatever the network
    has learned."""
    found = networks(sweeps)
    for one in found:
        images, features = training_images(one), last_hidden(one)
        if images > MOST_ROWS:  # then layers are compared on the test images
            images = data_set(one["data_set"]).SIZES["test"]
        if 2 * features > images - 1:
            refuse(
                f"{where}: found {features} features of the last hidden layer on {images} images,"
                f" allowed: at most {(images - 1) // 2}, or variates correlate whatever they are"
            )


FIGURE = Figure(
    "Noise directions: which directions settle, and which similarity tells them from the others.",
    {
        "networks": Role(
            "The sweep of networks, whose last hidden layer is compared over training.",
            {"accuracy", "variates"},
            MLP,
            over_steps=True,
            fits=(_enough_images,),
        ),
    },
    finding=Finding(
        "In ReLU networks directions that have not converged matter less for accuracy than those"
        " that have.",
        {"C12b": SUPPORTED},
    ),
)
CAPTION = """**Figure C9: noise directions.** {{ kind(facts.networks) }}, {{ n(facts.networks.seeds)
}} of each; their last hidden layer over the {{ "test" if "fashion_mnist" in facts.networks.data_set
else "training" }} images. A: its canonical correlations, in descending order, with itself at the
end; mean over networks, and standard deviation where there are networks enough. Four times and one
activation are drawn, and the table has all. The last ones are the smallest by construction. What
counts is how much of their rise comes after accuracy has converged, the first checkpoint from which
test accuracy stays within half a point of the last. B: the directions that the layer at 5 % of
training shares with itself at 50 %: how much of the top quarter and of the bottom quarter the layer
has at other times. Dotted, in A and B: the noise floor, with the images of one side in random
order. C (ours): test accuracy at 5 % of training after removing nothing, the top quarter or the
bottom quarter from the layer, by orthogonal projection or by subtracting its least-squares
prediction. D: a toy, no network: of 200 directions of two representations k are shared, up to a
random rotation, and all others are noise, 2,000 items. The paper's N(0, 0.1) does not say whether
0.1 is a variance or a standard deviation: both are drawn. The table has noise as strong as the
signal, and SVCCA of 8 directions, too. Grey, dotted: the noise alone. E: how much SVCCA and mean
CCA change when one side of such data (k = 100, noise of variance 0.1) goes through a random affine
map of condition 100 at most. Networks below {{ "80 %" if "fashion_mnist" in facts.networks.data_set
else "99 %" }} training accuracy at the end are left out and counted under the figure. {{ lost }}"""

SHOWN = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 0.75)
"""The fractions of training at which the canonical correlations are shown, in descending order."""
WITHIN = 0.005
"""Test accuracy has converged where it stays within this distance of its last value."""
HALFWAY = 0.5
QUARTER = 4
MEASURED = ("part_correlation", "accuracy_without_part")


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["networks"]
    seeds = max(networks["seed"].nunique(), 1)
    found = learned(networks)
    last = found.groupby("run")["step"].transform("max")
    found = found.assign(at=(found["step"] / last).astype(float), unit=found["neuron"])
    correlations = found[found["measure"] == "correlation_with_end"]
    is_floor = correlations["variant"].str.endswith(" floor")
    curves = correlations[~is_floor]
    places = curves["at"].unique()
    shown = [] if not len(places) else [places[np.abs(places - part).argmin()] for part in SHOWN]
    parts = found[found["measure"].isin(MEASURED)]
    early = parts.loc[parts["measure"] == "accuracy_without_part", "step"].unique()
    whole = found[(found["measure"] == "accuracy") & (found["variant"] == "test")]
    drawn = [_complete_positions(curves[curves["at"].isin(shown)]), correlations[is_floor], parts]
    drawn.append(whole[whole["step"].isin(early)])
    by = ["measure", "variant", "layer", "step", "at", "unit"]
    return pd.concat(
        [
            means(pd.concat(drawn), by),
            late_rows(curves, whole),
            late_part_rows(parts),
            lost_rows(parts, whole),
            accuracies(networks),
            toy_rows(seeds),
            affine_rows(seeds),
        ],
        ignore_index=True,
    )


def late_rows(correlations: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """Return "converged_at" and "late_share" of each network.

    "converged_at" is the fraction of training after which its test accuracy stays within half a
    point of the last. Correlations with the end rise from the start to 1. "late_share" is the share
    of this rise after "converged_at", for the mean of the largest ("top") and of the smallest
    ("bottom") quarter of the correlations. It is nan if there was no rise.
    """
    found = []
    for network, of_one in correlations.groupby(["run", "seed"], sort=False):
        own = accuracy[(accuracy["run"] == network[0]) & (accuracy["seed"] == network[1])]
        settled = converged_at(own)
        about = _about(of_one)
        found.append(about | {"measure": "converged_at", "variant": "", "value": settled})
        first, then = (
            np.sort(of_one.loc[np.isclose(of_one["at"], at), "value"])[::-1] for at in (0, settled)
        )
        for part in ("top", "bottom"):
            to_rise = 1 - _quarter(first, part)
            left = 1 - _quarter(then, part)
            share = left / to_rise if to_rise > 1e-9 else np.nan
            found.append(about | {"measure": "late_share", "variant": part, "value": share})
    return pd.DataFrame(found)


def converged_at(accuracy: pd.DataFrame) -> float:
    """Return the fraction of training after which accuracy stays, from the rows of one network."""
    accuracy = accuracy.sort_values("at")
    values = accuracy["value"].to_numpy(float)
    away = np.flatnonzero(np.abs(values - values[-1]) > WITHIN + 1e-9)
    return float(accuracy["at"].iloc[away[-1] + 1 if len(away) else 0])


def late_part_rows(parts: pd.DataFrame) -> pd.DataFrame:
    """Return "late_part_correlation" of each network.

    A part of the early layer correlates most ("top") or least ("bottom") with the layer halfway
    through training. The value is its correlation with the layer, mean over the checkpoints of the
    second half of training.
    """
    late = parts[(parts["measure"] == "part_correlation") & (parts["at"] > HALFWAY)]
    late = late[~late["variant"].str.endswith(" floor")]
    found = [
        _about(of_one)
        | {"measure": "late_part_correlation", "variant": part, "value": of_one["value"].mean()}
        for (_, _, part), of_one in late.groupby(["run", "seed", "variant"], sort=False)
    ]
    return pd.DataFrame(found)


def lost_rows(parts: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """Return "accuracy_lost" of each network: its test accuracy early in training less its accuracy
    when a part of the last hidden layer is taken off. The variant says which part, and how."""
    without = parts[parts["measure"] == "accuracy_without_part"]
    whole = accuracy.set_index(["run", "seed", "step"])["value"].rename("whole")
    found = without.join(whole, on=["run", "seed", "step"])
    lost = found.assign(measure="accuracy_lost", value=found["whole"] - found["value"])
    return lost.drop(columns="whole")


def _complete_positions(correlations: pd.DataFrame) -> pd.DataFrame:
    """Return the correlations at positions of the sorted list that all networks of a run have. Dead
    units lower the rank of a layer, so some lists are shorter."""
    there = correlations.groupby(["run", "step", "unit"])["seed"].transform("size")
    return correlations[there == correlations.groupby("run")["seed"].transform("nunique")]


def _quarter(correlations: np.ndarray, part: str) -> float:
    """Return the mean of the largest, or the smallest, quarter of correlations in descending
    order."""
    each = max(len(correlations) // QUARTER, 1)
    return float((correlations[:each] if part == "top" else correlations[-each:]).mean())


def _about(rows: pd.DataFrame) -> dict:
    return rows.iloc[0][["run", "seed", "layer", *COLUMNS]].to_dict()


NOTHING = "No network learned"
NO_STEPS = "No checkpoints near 5 % and 50 % of training"
PARTS = {"top": "-", "bottom": (0, (4, 1.5))}
MOST_TIMES = 4
"""The most curves of panel A; the table has all checkpoints."""
TOY = {
    "toy_cca": ("mean CCA", DARK, (0, (4, 1.5))),
    "toy_svcca": ("SVCCA, 99 %", LILAC, "-."),
    "toy_pwcca": ("PWCCA", BLACK, "-"),
    "toy_floor": ("CCA of noise", FLOOR, (0, (1, 3))),
}
"""The name, colour and line of each similarity in the toy."""
NOISES = {"variance 0.1": "Variance 0.1", "sd 0.1": "SD 0.1"}
"""The two readings of the paper's noise. Noise as strong as the signal is in the table alone."""
LIMIT, LEAST = 1e-6, 1e-17


def draw(table: pd.DataFrame, style: Style) -> Any:
    kinds = activations(table)
    toy = table[table["measure"] == "toy_least_gap"]
    networks = learned_ends(table)
    # Rows of the toy, and its draws, belong to no run.
    shown = with_deviations(table[table["contrast"] == "mean"], pd.concat([networks, toy]))
    first = first_shown(shown[shown["measure"] == "correlation_with_end"], kinds)
    figure = page(style, 0.9 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.25, 1])
    left, right = top.subfigures(1, 2, width_ratios=[1.5, 1])
    letter(left, "A")
    letter(right, "B")
    _draw_sorted(left.subplots(), table, shown, first, style)
    no_parts = NOTHING if networks.empty else NO_STEPS
    _draw_parts(right.subplots(), shown, kinds, style, no_parts)
    left, middle, right = bottom.subfigures(1, 3, width_ratios=[1.15, 1.5, 0.8])
    letter(left, "C")
    letter(middle, "D")
    letter(right, "E")
    _draw_accuracies(left.subplots(), shown, kinds, style, no_parts)
    _draw_toy(middle, shown)
    _draw_changes(right.subplots(), table)
    finish(
        figure,
        table,
        style,
        f"A to C: {number_of_networks(table)}, mean, {deviations(networks)}, last hidden layer."
        f" D: the toy, mean {_over_draws(toy)}. E: each dot is an affine map of data as in D;"
        f" at {LEAST:g} nothing changes.{left_out(table)}",
    )
    return figure


def _over_draws(toy: pd.DataFrame) -> str:
    number = toy["seed"].nunique()
    if number < FEWEST:
        return f"over {number} draw{'s' * (number != 1)}, no SD: {FEWEST} needed"
    return f"and SD over {number} draws"


def _draw_sorted(
    ax: Any, table: pd.DataFrame, shown: pd.DataFrame, kind: str, style: Style
) -> None:
    rows = shown[shown["measure"] == "correlation_with_end"]
    own = rows[rows["activation"] == kind]
    if own.empty:
        say(ax, NOTHING)
        return
    is_floor = own["variant"].str.endswith(" floor")
    times = np.sort(own.loc[~is_floor, "at"].unique())
    chosen = np.linspace(0, len(times) - 1, min(MOST_TIMES, len(times))).round().astype(int)
    for place, at in enumerate(times[chosen]):
        curve = own[~is_floor & np.isclose(own["at"], at)]
        look = look_of_layer(place + 1, len(chosen), style.colours[kind])
        curve = curve.assign(unit=curve["unit"] + 1)
        draw_mean(ax, curve, "unit", (0, 1), label=percent(at), **look)
    for value in own.loc[is_floor, "value"]:
        guide(ax, value, "noise floor (mean)")
    settled = table[(table["measure"] == "converged_at") & (table["activation"] == kind)]
    settled_at = settled["value"].median()
    at_part = f": accuracy settles after {settled_at:.0%} of training" if len(settled) else ""
    ax.set(title=f"{activation_name(kind)}{at_part}", xlabel="Place in descending order",
           ylabel="Correlation with the end", ylim=(0, 1.03))  # fmt: skip
    ax.legend(title="after this\nfraction", loc="center left", bbox_to_anchor=(1, 0.5),
              handlelength=1.2)  # fmt: skip


def _draw_parts(ax: Any, shown: pd.DataFrame, kinds: list[str], style: Style, nothing: str) -> None:
    rows = shown[shown["measure"] == "part_correlation"]
    if rows.empty:
        say(ax, nothing)
        return
    for kind in kinds:
        for name, line in PARTS.items():
            curve = rows[(rows["activation"] == kind) & (rows["variant"] == name)]
            look = {"markersize": 3} | dot_of(kind, style)
            draw_mean(ax, curve, "at", (0, 1), linestyle=line, **look)
    floor = rows[rows["variant"] == "bottom floor"]
    if len(floor):
        guide(ax, floor["value"].mean(), "noise floor")
    time_axis(ax)
    ax.set(xlabel="Fraction of training", ylabel="Mean CCA of a part\nwith the layer then")
    ax.set(xlim=(0.04, 1.1), ylim=(0, 1.03))
    ax.set_xticks([0.1, 0.5, 1], [".1", ".5", "1"])
    looks = {activation_name(kind): MARKED | dot_of(kind, style) for kind in kinds}
    looks |= {f"{name} quarter": {"color": DARK, "linestyle": PARTS[name]} for name in PARTS}
    add_key(ax, looks, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, columnspacing=1)


def _draw_accuracies(
    ax: Any, shown: pd.DataFrame, kinds: list[str], style: Style, nothing: str
) -> None:
    without = shown[shown["measure"] == "accuracy_without_part"]
    if without.empty:
        say(ax, nothing)
        return
    whole = shown[(shown["measure"] == "accuracy") & (shown["variant"] == "test")]
    names = ["whole", *(f"{part}{way}" for way in ("", ", regressed") for part in PARTS)]
    for number, kind in enumerate(kinds):
        aside = 0.16 * (number - (len(kinds) - 1) / 2)
        own = {"whole": whole[whole["activation"] == kind]}
        cut = without[without["activation"] == kind]
        own |= {name: cut[cut["variant"] == name] for name in names[1:]}
        for place, rows in enumerate(own.values()):
            label = activation_name(kind) if place == 0 else None
            own_place = with_ends(rows).assign(place=place + aside)
            draw_line(ax, own_place, "place", bars=0.8, label=label,
                  **dot_of(kind, style) | {"markersize": 3.5, "linestyle": "none"})  # fmt: skip
    ax.set_xticks(range(len(names)), ["none", *PARTS, *PARTS])
    for tick in ax.get_xticklabels():
        tick.set(rotation=45, ha="right", rotation_mode="anchor")
    for middle, way in ((1.5, "projected"), (3.5, "regressed")):
        ax.text(middle, 0.27, way, size=small_type(), color=DARK, ha="center")
    guide(ax, 0.1, "chance")
    ax.set(ylabel="Test accuracy at\n5 % of training", xlabel="Part taken off")
    ax.set(ylim=(0, 1.03), yticks=np.linspace(0, 1, 6), xlim=(-0.5, len(names) - 0.5))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), handlelength=0.8, ncols=2,
              columnspacing=1)  # fmt: skip


def _draw_toy(part: Any, shown: pd.DataFrame) -> None:
    axes = part.subplots(1, len(NOISES), sharey=True)
    floor = shown[shown["measure"] == "toy_floor"]
    for ax, (noise, title) in zip(axes, NOISES.items(), strict=True):
        own = shown[shown["variant"] == noise]
        for measure, (name, colour, line) in TOY.items():
            curve = floor if measure == "toy_floor" else own[own["measure"] == measure]
            curve = curve.assign(value=1 - curve["value"])
            draw_mean(ax, curve, "at", (0, 1), color=colour, linestyle=line, label=name)
        ax.set(title=title, ylim=(-0.03, 1.03))
    axes[1].set_xlabel("Shared directions k, of 200")
    axes[0].set_ylabel("Distance,\n1 \N{MINUS SIGN} similarity")
    axes[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), handlelength=1.8)


def _draw_changes(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "affine_change"]
    names = {"cca": "CCA", "svcca": "SVCCA"}
    for place, variant in enumerate(names):
        values = rows.loc[rows["variant"] == variant, "value"].sort_values()
        x = place + np.linspace(-0.2, 0.2, max(len(values), 1))[: len(values)]
        ax.plot(x, np.maximum(values, LEAST), ".", color=BLACK, markersize=3)
    guide(ax, LIMIT, "limit", 0.99, ha="right")
    ax.set_yscale("log")
    ax.set_xticks(range(len(names)), list(names.values()))
    ax.set(title="Affine maps", ylabel="Change of the similarity", ylim=(LEAST / 3, 3))
    ax.set_xlim(-0.5, 1.5)
