"""Figure C6: which layers tell which classes."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED, UNDECIDED
from repatlas.experiments.classification.columns import COLUMNS
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, legend, networks, panels
from repatlas.plots.images import DATA_SETS
from repatlas.plots.marks import name_ends, set_plain_log
from repatlas.plots.palette import BLACK, DARK, LIGHT, LILAC, PURPLE
from repatlas.plots.style import Style, counted, finish, letter, page, say
from repatlas.record import refuse
from repatlas.studies.convergence.parts import ends_of
from repatlas.studies.convergence.roles import EITHER, last_hidden, pixels, training_images
from repatlas.studies.convergence.rows.hidden import hidden_layers
from repatlas.studies.convergence.rows.networks import accuracies, have_learned, learned, limits


def _fits(where: str, sweeps: dict) -> None:
    """Refuse several architectures on one data set, since curves are means over networks.

    Refuse also layers with more features than training images: least squares predict any logit
    from them.
    """
    found = networks(sweeps)
    for one in found:
        widest, images = max(pixels(one), last_hidden(one)), training_images(one)
        if widest > images:
            refuse(
                f"{where}: found {images} training images for a layer of {widest} features (the"
                f" input has {pixels(one)}), allowed: task.images of {widest} or more, from which"
                " class_correlations predict the logits"
            )
        same = [each for each in found if each["data_set"] == one["data_set"]]
        if len(same) > 1:
            refuse(
                f"{where}: found {len(same)} kinds of networks on {one['data_set']}, allowed: one,"
                " over which curves are means"
            )


FIGURE = Figure(
    "Sensitivity of layers to classes: how much of the score of each class each layer has.",
    {
        "narrow": Role(
            "The sweeps of narrow and deep networks, one for each data set.",
            {"accuracy", "class_correlations"},
            EITHER,
            several=True,
            shown=legend(ACTIVATION, "network.width", "network.depth", "training.batch")
            | panels("data_set"),
            fits=(_fits,),
        ),
    },
    finding=Finding(
        "Deeper layers are more sensitive to classes; whether similar classes have similar curves"
        " is undecided.",
        {"C11": UNDECIDED, "C11c": SUPPORTED},
    ),
)
CAPTION = """**Figure C6: which layers tell which classes** (Raghu et al. 2017, section 4.3). R is
the correlation of the logit of a class with its least-squares prediction from a layer. The
prediction is fitted on the training images, and correlated on the test images, since any wide layer
has R near 1 in sample ({{ n(facts.narrow.seeds) }}; {{ activations(facts.narrow) }}, width {{
listed(facts.narrow.width) }}, {{ hidden(facts.narrow) }}, on {{ listed(facts.narrow.data_set) }}{{
"; of convolutions the means over positions" if facts.narrow.kind == ["small_cnn"] }}). The last
hidden layer, in which logits are linear, has R = 1 and is not shown. A: R by layer, means over
networks, on a scale on which equal steps are equal parts of what is left to 1; classes of similar
pairs have one hue. {% if facts.narrow.data_set == ["cifar10"] %} Similar by name are automobile and
truck (1 and 9) and cat and dog (3 and 5). {% else %} Similar are the three pairs of classes whose
logits correlate most over the training images{{ "; in Fashion-MNIST those similar by name, T-shirt
and shirt (0 and 6) and sneaker and ankle boot (7 and 9), while trousers (1), in black, are like no
other" if "fashion_mnist" in facts.narrow.data_set }}. {% endif %} B: the mean difference of the
curves of two classes, of similar pairs and of the others, a line for each network{{ "; which pairs
are similar is said by the other half of the networks" if facts.narrow.data_set != ["cifar10"] }}{{
", but where their names say it" if "fashion_mnist" in facts.narrow.data_set }}. Networks that name
less than {{ 50 if facts.narrow.data_set == ["cifar10"] else 99 }} % of their training images{{ "
(80 % of Fashion-MNIST)" if "fashion_mnist" in facts.narrow.data_set }} are left out. {{ lost }}"""

NETWORK = ["run", "seed", "step", *COLUMNS]
PAIRS = 3
"""Pairs of classes that count as similar: those whose logits correlate most."""
NAMED = {"fashion_mnist": [(0, 6), (7, 9)], "cifar10": [(1, 9), (3, 5)]}
"""Similar classes of data sets whose class names are known: T-shirt and shirt, sneaker and ankle
boot; automobile and truck, cat and dog."""
DISTINCT = {"fashion_mnist": 1}
"""A class that is like no other: trousers."""
SIMILAR, OTHER = "similar", "other"


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    narrow = rows["narrow"]
    whole = learned(narrow)
    # Logits are linear in the last hidden layer, so R is 1 there except for rounding.
    between = (whole["layer"] > 0) & (whole["layer"] < hidden_layers(whole))
    curves = whole[(whole["measure"] == "class_correlation") & between]
    logits = whole[whole["measure"] == "logit_correlation"]
    parts = [accuracies(narrow), curves, mean_curves(curves)]
    for data_set, own in curves.groupby("data_set"):
        of_data_set = logits[logits["data_set"] == data_set]
        parts += [
            curve_differences(own, of_data_set, data_set),
            similar_rows(of_data_set, data_set),
            distinct(own, data_set),
        ]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def mean_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over classes at each layer, for each network."""
    by = [*NETWORK, "layer", "variant"]
    found = curves.groupby(by, dropna=False, sort=False)["value"].mean().reset_index()
    return found.assign(measure="mean_class_correlation")


def most_similar(logits: pd.DataFrame, data_set: str) -> list[tuple[int, int]]:
    """Return the pairs of similar classes.

    They are the pairs that have names, or else the pairs whose logits correlate most in these
    networks, on average.
    """
    if data_set in NAMED:
        return NAMED[data_set]
    means = logits.groupby(["cluster", "other_cluster"])["value"].mean()
    best = means.sort_values(ascending=False, kind="stable").index[:PAIRS]
    return [(int(a), int(b)) for a, b in best]


def curve_differences(curves: pd.DataFrame, logits: pd.DataFrame, data_set: str) -> pd.DataFrame:
    """Return the mean difference of the correlations of similar and of other pairs, for each
    network.

    The mean is over layers and pairs of classes.

    The first half of the networks chooses similar pairs for the second half, and the second for the
    first. So no network is judged by pairs that it chose.
    """
    seeds = sorted(curves["seed"].unique())
    halves = set(seeds[: len(seeds) // 2]), set(seeds[len(seeds) // 2 :])
    found = []
    for own, others in (halves, halves[::-1]):
        chosen = logits[logits["seed"].isin(others)]
        if chosen.empty and data_set not in NAMED:
            continue
        similar = most_similar(chosen, data_set)
        of_half = curves[curves["seed"].isin(own)]
        for _, network in of_half.groupby(["run", "seed"]):
            table = network.pivot_table(index="cluster", columns="layer", values="value")
            values = table.to_numpy(float)
            distance = np.abs(values[:, None] - values[None]).mean(axis=2)
            first, second = np.triu_indices(len(values), 1)
            labels = table.index.to_numpy(int)
            pairs = zip(labels[first].tolist(), labels[second].tolist(), strict=True)
            is_similar = np.array([pair in similar for pair in pairs])
            about = network.iloc[0][NETWORK].to_dict() | {"measure": "curve_difference"}
            kinds = {SIMILAR: is_similar, OTHER: ~is_similar}
            found += [
                about | {"variant": name, "value": float(distance[first, second][kind].mean())}
                for name, kind in kinds.items()
            ]
    return pd.DataFrame(found)


def similar_rows(logits: pd.DataFrame, data_set: str) -> pd.DataFrame:
    """Return the similar pairs by all networks, with the mean correlation of their logits, for the
    drawing."""
    means = logits.groupby(["cluster", "other_cluster"])["value"].mean()
    return pd.DataFrame(
        {"measure": "similar_pair", "variant": "all networks", "data_set": data_set,
         "cluster": a, "other_cluster": b, "value": means.get((a, b)), "contrast": "mean"}
        for a, b in most_similar(logits, data_set)
    )  # fmt: skip


def distinct(curves: pd.DataFrame, data_set: str) -> pd.DataFrame:
    """Return the correlation of the distinct class at the first layer minus the mean of the others.

    There is a value for each network, and none for data sets without a class that is known to be
    distinct.
    """
    if data_set not in DISTINCT:
        return curves[:0]
    first = curves[curves["layer"] == curves["layer"].min()]
    is_distinct = first["cluster"] == DISTINCT[data_set]
    own = first[is_distinct]
    others = first[~is_distinct].groupby(["run", "seed"])["value"].mean()
    rest = pd.MultiIndex.from_frame(own[["run", "seed"]]).map(others)
    return own.assign(measure="distinct_class", value=own["value"].to_numpy() - rest.to_numpy())


HUES = (PURPLE, DARK, LILAC)
"""Colours of groups of similar classes."""
LINES = ("-", (0, (4, 1.2)), (0, (1, 0.8)), (0, (4, 1, 1, 1)))
"""Lines of the classes of a group."""
ALONE = BLACK
"""The colour of the class that is like no other, if its name says so."""
REST = LIGHT
RESTS = (0.5, 0.3, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.003, 0.002, 0.001, 5e-4, 1e-4)
"""What is left to 1 at the labels of an axis."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    data_sets = sorted(table.loc[table["measure"] == "class_correlation", "data_set"].unique())
    number = max(len(data_sets), 1)
    figure = page(style, (0.12 + 0.45 * number) * style.width)
    rows = np.atleast_1d(figure.subfigures(number, 1))
    for part, data_set in zip(rows, data_sets or [None], strict=True):
        left, right = part.subfigures(1, 2, width_ratios=[1.5, 1])
        own = table[table["data_set"] == data_set]
        letter(left, "A")
        _draw_curves(left.subplots(), own)
        letter(right, "B")
        _draw_differences(right.subplots(), own)
        if number > 1:
            part.suptitle(DATA_SETS.get(str(data_set), str(data_set)))
    ends = ends_of(table)
    lost = int((~have_learned(ends)).sum())
    by_name = [DATA_SETS[data_set] for data_set in data_sets if data_set in NAMED]
    similar = "by the correlation of their logits"
    chosen = "; similar pairs are chosen on other networks"
    if by_name and len(by_name) == len(data_sets):
        similar, chosen = "by name", ""
    elif by_name:
        chosen += f", those of {' and '.join(by_name)} by name"
    few = f", of which {lost} below {limits(ends)} on training images are left out" if lost else ""
    finish(
        figure,
        table,
        style,
        f"A: means over networks; similar classes, {similar}, have one hue. B: mean difference of"
        f" the curves of two classes, a line for each network{chosen}. {counted(len(ends))}{few}.",
    )
    return figure


def _draw_curves(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "class_correlation"]
    if rows.empty:
        say(ax, "No network has learned its images")
        return
    means = rows.assign(rest=1 - rows["value"]).groupby(["cluster", "layer"])["rest"].mean()
    pairs = table[table["measure"] == "similar_pair"]
    groups = joined(list(zip(pairs["cluster"].astype(int), pairs["other_cluster"].astype(int),
                             strict=True)))  # fmt: skip
    alone, named = DISTINCT.get(rows["data_set"].iloc[0]), {}
    for label, curve in means.groupby("cluster"):
        curve = curve.droplevel("cluster")
        hue, line = ALONE if label == alone else REST, "-"
        for number, group in enumerate(groups):
            if label in group:
                hue = HUES[number % len(HUES)]
                line = LINES[group.index(int(label)) % len(LINES)]
        look = {"linewidth": 0.8, "zorder": 1} if hue == REST else {"linewidth": 1.3, "zorder": 2}
        [named[str(int(label))]] = ax.plot(curve.index, curve, color=hue, linestyle=line, **look)
    name_ends(ax, named)
    layers = sorted(rows["layer"].unique())
    # R rises to 1, as in the paper; equal steps are equal parts of what is left.
    ax.set(yscale="log", xlabel="Layer", ylabel="Sensitivity $R$ to each class")
    low, high = ax.get_ylim()
    ax.set_ylim(high, low)
    ticks = [tick for tick in RESTS if low <= tick <= high]
    ax.set_yticks(ticks, [f"{1 - tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xticks(layers, [f"{layer:.0f}" for layer in layers])
    ax.set_xlim(layers[0] - 0.1, layers[-1] + 0.1)


def joined(pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Return groups of classes that pairs connect, each in order.

    >>> joined([(3, 8), (4, 9), (8, 9), (1, 7)])
    [[3, 4, 8, 9], [1, 7]]
    """
    groups: list[set[int]] = []
    for pair in pairs:
        touching = [group for group in groups if group & set(pair)]
        merged = set(pair).union(*touching)
        at = groups.index(touching[0]) if touching else len(groups)
        groups = [group for group in groups if group not in touching]
        groups.insert(at, merged)
    return [sorted(group) for group in groups]


def _draw_differences(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "curve_difference"]
    wide = rows.pivot_table(index="seed", columns="variant", values="value")
    wide = wide.reindex(columns=[SIMILAR, OTHER]).dropna()
    if wide.empty:
        say(ax, "Too few networks")
        return
    wide = 100 * wide  # figures widen scales below 0.05
    for _, network in wide.iterrows():
        ax.plot([0, 1], [network[SIMILAR], network[OTHER]], ".-", color=LIGHT, linewidth=0.6,
                markersize=3)  # fmt: skip
    ax.plot([0, 1], [wide[SIMILAR].median(), wide[OTHER].median()], "D", color=BLACK,
            markersize=4, label="median")  # fmt: skip
    ax.set_xticks([0, 1], ["similar", "other"])
    ax.set(
        xlim=(-0.4, 1.4), xlabel="Pairs of classes", ylabel="Mean |difference of $R$|, times 100"
    )
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), handlelength=0.8, borderpad=0)
    if (wide > 0).all(axis=None):
        # One network has three times the differences of all others.
        set_plain_log(ax, (1, 2, 5))
