"""Figure C1: units of two networks, one to one."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import ACTIVATION, Role, legend
from repatlas.plots.marks import GUIDE, add_key, draw_line, look_of, looks_of
from repatlas.plots.palette import DARK, LIGHT
from repatlas.plots.spread import with_ends
from repatlas.plots.style import Style, activation_name, activations, finish, letter, page, say
from repatlas.studies.convergence.parts import (
    BEFORE,
    deviations,
    draw_mean,
    learned_ends,
    left_out,
    look_of_layer,
    name_of_layer,
    number_of_networks,
    with_deviations,
)
from repatlas.studies.convergence.roles import CNN, MLP
from repatlas.studies.convergence.rows.matching import unit_rows
from repatlas.studies.convergence.rows.networks import accuracies
from repatlas.studies.convergence.rows.similarities import (
    ONE_PAIR,
    OVER_PAIRS,
    TYPICAL,
    learned_pairs,
    over_pairs,
    with_settings_of,
)

UNITS = frozenset({"natural", "matching", "semi_matching"})

FIGURE = Figure(
    "How the units of two networks correlate in natural order, and matched one to one.",
    {
        "mlp": Role("The sweep of perceptrons.", {"accuracy"}, MLP),
        "cnn": Role("The sweep of convolutional networks.", {"accuracy"}, CNN, optional=True),
        "widths": Role(
            "The sweep of perceptrons of other widths.",
            {"accuracy"},
            MLP,
            shown=legend(ACTIVATION, "network.width"),
            optional=True,
        ),
    },
    comparisons={
        "mlp_units": Pairs("All pairs of perceptrons, unit by unit.", UNITS),
        "cnn_units": Pairs("All pairs of convolutional networks.", UNITS, optional=True),
        "widths_units": Pairs(
            "All pairs of perceptrons of other widths.", frozenset({"matching"}), optional=True
        ),
        "sorted_units": Pairs(
            "Disjoint pairs of perceptrons, a number for each unit.", frozenset({"sorted_units"})
        ),
        "one_pair": Pairs(
            "One pair of perceptrons, for heat maps and images.",
            frozenset({"unit_correlations", "preferred_images"}),
        ),
        "one_cnn_pair": Pairs(
            "One pair of convolutional networks, for what their units see of images: one layer.",
            frozenset({"preferred_patches"}),
            optional=True,
        ),
    },
    finding=Finding(
        "In ReLU perceptrons many units, permuted, have a partner in another network; some have"
        " none.",
        {"C2": SUPPORTED, "C3": SUPPORTED},
    ),
)
CAPTION = """**Figure C1: do units of two networks correspond?** Correlations over the {{ "test" if
"fashion_mnist" in facts.mlp.data_set else "training" }} images between units of networks that
differ in their start and in the order of batches ({{ n(facts.mlp.seeds) }} of each kind {{- "; " ~
n(facts.cnn.seeds) ~ " of convolutional ones" if facts.cnn }}). A: one pair of networks, layer 1:
absolute correlations within each, and between the two in natural order. At the right are the 20
units that match best, with the partners that matching without repetition gives them. Correlations
below 0.3 are white. B: the nine images that activate each of two matched units most, of the best,
the median and the worst pair. C: each unit of two layers with its match and with its best partner,
which several units may share, so that it is never lower. Units that correlate by less than 0.5 with
all others count as without a partner. D: means over units, of two typical networks, by layer (c:
convolution, whose positions are the items; out: logits), by signed correlations; absolute ones are
in Figure C10A. Best partners are in the table. Logit i always belongs to class i, so for logits the
natural order is already the correct matching. {{ "E: matched correlation minus its floor, by width,
after training. " if facts.widths }} {{- "Last, where one pair of convolutional networks is
compared: what the nine positions of different images that activate each of two matched channels
most see of them (grey: beyond the border), of the best, the median and the worst pair. " if
facts.cnn and "digits" not in facts.cnn.data_set }}Grey in C, thin in D: the same networks before
training. Noise floor: the items of one network in random order. If items are positions, whole
images are exchanged, so that what is common to a position stays in it. {{ "Digits are no
photographs. " if facts.mlp.data_set == ["digits"] }}{{ lost }} So are those below {{ "0.8" if
"fashion_mnist" in facts.mlp.data_set else "0.99" }} training accuracy{{ " (convolutions on
CIFAR-10: 0.5)" if facts.cnn and "cifar10" in facts.cnn.data_set }}."""

SHOWN = "relu"
"""The activation of heat maps, images and sorted units, or else the first of the pairs."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = pd.concat([rows[role] for role in ("mlp", "cnn", "widths") if role in rows])
    compared = [rows[key] for key in ("mlp_units", "cnn_units", "widths_units") if key in rows]
    one_pair = [
        _shown(learned_pairs(rows[key], networks))
        for key in ("one_pair", "one_cnn_pair")
        if key in rows
    ]
    in_order = _shown(learned_pairs(rows["sorted_units"], networks))
    signed = in_order["variant"].isin(["signed", "signed floor"])
    return pd.concat(
        [
            accuracies(networks),
            *(unit_rows(pairs, networks) for pairs in compared),
            with_settings_of(in_order, over_pairs(in_order[signed], ("unit",))),
            *(pair[pair["reason"].isna()].assign(contrast=ONE_PAIR) for pair in one_pair),
        ],
        ignore_index=True,
    )


def _shown(pairs: pd.DataFrame) -> pd.DataFrame:
    if SHOWN in set(pairs["activation"]) or pairs.empty:
        return pairs[pairs["activation"] == SHOWN]
    return pairs[pairs["activation"] == pairs["activation"].iloc[0]]


LINES = {"matching": "-", "semi_matching": (0, (4, 1.5)), "natural": "-."}
NAMES = {"matching": "matched", "semi_matching": "best partner", "natural": "natural order"}
KINDS = {"mlp": "MLP", "small_cnn": "CNN"}
COLOURS = 3
"""Colour channels of photographs."""
BEYOND = 0.88
"""The grey of what is beyond the border of a photograph, which may be white itself."""
LIMITS = (-0.15, 1.05)
"""Limits of axes of correlations; correlations in natural order are around 0."""
NOTHING = "No pair of networks that learned"
THIN = 0.5
"""Points: the width of lines before training."""
EQUIVALENT = 0.5
"""Units that correlate less with all units of another network have no partner."""
NOISE = {"color": LIGHT, "linewidth": 0.6, "linestyle": "--"}
BEST = 20
"""Pairs of matched units that a map shows."""
FAINT = 0.3
"""Smaller correlations are white in a map."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    table = with_deviations(table, learned_ends(table))
    means = table[table["contrast"].isin([OVER_PAIRS, TYPICAL])]
    main = _main(means)
    widths = means.loc[means["network"] == "mlp", "width"].nunique()
    patches = table[table["measure"] == "preferred_patch"]
    heights = [0.25, 0.56, 0.32] + ([0.22] if len(patches) else [])
    figure = page(style, (sum(heights) + 0.04) * style.width)
    parts = figure.subfigures(len(heights), 1, height_ratios=heights)
    letter(parts[0], "A")
    _draw_maps(parts[0], table)
    left, right = parts[1].subfigures(1, 2, width_ratios=[1, 2.1])
    letter(left, "B")
    _draw_images(left, table)
    letter(right, "C")
    _draw_units(right, means, style)
    left = parts[2]
    if widths > 1:
        left, right = parts[2].subfigures(1, 2, width_ratios=[2, 1])
        letter(right, "E")
        _draw_widths(right, means, style)
    letter(left, "D")
    _draw_layers(left, main, style)
    seen = ""
    if len(patches):
        last = "F" if widths > 1 else "E"
        letter(parts[-1], last)
        _draw_patches(parts[-1], table)
        seen = f" {last}: one pair of CNNs, layer {int(patches['layer'].iloc[0])}."
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}. A, B: {_pair(table)}. C: mean over disjoint pairs. "
        f"D{', E' if widths > 1 else ''}: two typical networks, "
        f"{deviations(learned_ends(table), ' over all pairs')}."
        f"{seen}{left_out(table)}",
    )
    return figure


def _pair(table: pd.DataFrame) -> str:
    """Return which pair of perceptrons A and B show, for the note."""
    rows = table[table["measure"] == "unit_correlation"]
    if rows.empty:
        return "no pair"
    first = rows.iloc[0]
    return f"one pair, {activation_name(first['activation'])}, layer {int(first['layer'])}"


def _main(means: pd.DataFrame) -> pd.DataFrame:
    """Return the rows without the perceptrons of other widths."""
    is_mlp = means["network"] == "mlp"
    with_natural = means.loc[is_mlp & (means["measure"] == "natural"), "run"]
    return means[~is_mlp | means["run"].isin(with_natural)]


def _draw_maps(part: Any, table: pd.DataFrame) -> None:
    axes = part.subplots(1, 4)
    rows = table[table["measure"] == "unit_correlation"]
    found = {
        variant: of.pivot_table(index="unit", columns="other_unit", values="value").to_numpy(float)
        for variant, of in rows[rows["variant"] != "partner"].groupby("variant")
    }
    if not found:
        for ax in axes:
            say(ax, NOTHING)
        return
    pairs = rows[rows["variant"] == "partner"].sort_values("value", ascending=False)
    order = (pairs[name].to_numpy(int) for name in ("unit", "other_unit"))
    first, second = (units[:BEST] for units in order)
    between = found["a to b"]
    shown = {
        "Within network a": found["in a"],
        "Within network b": found["in b"],
        "a and b, natural order": between,
        f"a and b, {len(first)} best pairs": between[np.ix_(first, second)],
    }
    image = None
    for ax, (title, values) in zip(axes, shown.items(), strict=True):
        # Small correlations would hide the diagonal: most units correlate a little with most
        # others.
        image = ax.imshow(np.abs(values), cmap="Greys", vmin=FAINT, vmax=1, interpolation="nearest")
        ax.set(title=title, xticks=[], yticks=[])
    axes[0].set(xlabel="Unit of a", ylabel="Unit of a")
    axes[1].set(xlabel="Unit of b", ylabel="Unit of b")
    axes[2].set(xlabel="Unit of b", ylabel="Unit of a")
    axes[3].set(xlabel="Partner in b", ylabel="Unit of a, best first")
    part.colorbar(image, ax=axes, shrink=0.8, label="|Correlation|", pad=0.01, ticks=[FAINT, 1])


def _draw_images(part: Any, table: pd.DataFrame) -> None:
    axes = part.subplots(3, 2)
    pairs = _correlations(table, "mlp")
    images = table[table["measure"] == "preferred_image"]
    for row, which in zip(axes, ("best", "median", "worst"), strict=True):
        for ax, side in zip(row, "ab", strict=True):
            own = images[images["variant"] == f"{which}, {side}"]
            if own.empty:
                say(ax, NOTHING)
                continue
            pixels = own.pivot_table(index="unit", columns="other_unit", values="value").to_numpy()
            ax.imshow(mosaic(pixels), cmap="gray_r", vmin=0, interpolation="nearest")
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
            if which == "best":
                ax.set_title(f"Unit of {side}")
            if side == "a":
                ax.set_ylabel(_correlated(which, pairs[which]))


def _draw_patches(part: Any, table: pd.DataFrame) -> None:
    axes = part.subplots(1, 6)
    pairs = _correlations(table, "small_cnn")
    patches = table[table["measure"] == "preferred_patch"]
    shown = [(which, side) for which in ("best", "median", "worst") for side in "ab"]
    for ax, (which, side) in zip(axes, shown, strict=True):
        own = patches[patches["variant"] == f"{which}, {side}"]
        if side == "a":
            ax.set_title(_correlated(which, pairs[which]))
        if own.empty:
            say(ax, "Dead unit")
        else:
            pixels = own.pivot_table(
                index="unit", columns="other_unit", values="value", dropna=False
            ).to_numpy()
            ax.imshow(mosaic(pixels, COLOURS), interpolation="nearest")
        ax.set(xticks=[], yticks=[], xlabel=f"Unit of {side}")
        ax.spines[:].set_visible(False)


def _correlations(table: pd.DataFrame, network: str) -> pd.Series:
    """Return the correlations of the pairs of units whose images are shown, indexed by "best",
    "median" and "worst"."""
    of_kind = (table["measure"] == "preferred_pair") & (table["network"] == network)
    return table[of_kind].set_index("variant")["value"]


def _correlated(which: str, value: float) -> str:
    return f"{which.capitalize()}: {value:.2f}"


def mosaic(images: np.ndarray, colours: int = 1) -> np.ndarray:
    """Return nine square images (9, colours x pixels) as three rows of three, with white lines
    between.

    Grey images give (height, width), in which white is 0. Coloured images give (height, width, 3),
    in which nan becomes grey.
    """
    side = round((images.shape[1] / colours) ** 0.5)
    if colours > 1:
        tiles = np.nan_to_num(images, nan=BEYOND).reshape(9, colours, side, side)
        shades = [mosaic(1 - tiles[:, shade].reshape(9, -1)) for shade in range(colours)]
        return 1 - np.stack(shades, axis=-1)
    tiles = np.pad(images.reshape(3, 3, side, side), ((0, 0), (0, 0), (0, 1), (0, 1)))
    return tiles.transpose(0, 2, 1, 3).reshape(3 * (side + 1), -1)[:-1, :-1]


def _draw_units(part: Any, means: pd.DataFrame, style: Style) -> None:
    """Draw the units of two layers in descending order. In the upper layer some have no partner."""
    rows = means[means["measure"].isin(["sorted_matching", "sorted_semi_matching"])]
    ax = part.subplots()
    last = rows["step"].max()
    if not last > 0:
        say(ax, NOTHING)
        return
    kind, depth = rows["activation"].iloc[0], int(rows["depth"].max())
    looks = {}
    for layer in sorted(rows["layer"].unique()):
        own = rows[rows["layer"] == layer]
        look = look_of_layer(int(layer), depth, style.colours[kind])
        for measure in ("matching", "semi_matching"):
            line = {"linestyle": LINES[measure]}
            _draw_sorted(ax, own, measure, "signed", last, look | line)
            looks[f"layer {int(layer)}, {NAMES[measure]}"] = look | line
        _draw_sorted(ax, own, "matching", "signed", 0, BEFORE)
        _draw_sorted(ax, own, "matching", "signed floor", last, NOISE)
    ax.axhline(EQUIVALENT, **GUIDE)
    looks |= {"matched before training": BEFORE, "noise floor": NOISE}
    looks[f"limit {EQUIVALENT:g}"] = GUIDE
    ax.set(title=activation_name(kind), xlabel="Unit, in descending order", ylabel="Correlation")
    ax.set_ylim(LIMITS)
    ax.xaxis.get_major_locator().set_params(integer=True)
    add_key(part, looks, loc="outside lower center", ncols=3, handlelength=3)


def _draw_sorted(
    ax: Any, own: pd.DataFrame, measure: str, variant: str, step: float, look: dict[str, Any]
) -> None:
    is_line = (own["variant"] == variant) & (own["step"] == step)
    line = own[is_line & (own["measure"] == f"sorted_{measure}")].sort_values("unit")
    ax.plot(line["unit"] + 1.0, line["value"], **look)


def _draw_layers(part: Any, means: pd.DataFrame, style: Style) -> None:
    """Draw a panel for each architecture. Best partners, which are never worse than the matched
    ones, are in C and in the table."""
    shown = means[means["reduction"].isin(["", "spatial"])]
    networks = [name for name in KINDS if (shown["network"] == name).any()]
    axes = part.subplots(1, max(len(networks), 1), sharey=True, squeeze=False)[0]
    axes[0].set(ylabel="Correlation", ylim=LIMITS)
    if not networks:
        say(axes[0], NOTHING)
    kinds = activations(shown)
    for ax, network in zip(axes, networks, strict=False):
        of_kind = shown[shown["network"] == network]
        if not of_kind["step"].max() > 0:
            say(ax, NOTHING)
            continue
        for kind in kinds:
            _draw_layers_of(ax, of_kind[of_kind["activation"] == kind], look_of(kind, style))
        ax.axhline(0, color=LIGHT, linewidth=0.5, zorder=0)
        names = of_kind.drop_duplicates("layer").sort_values("layer")
        ticks = [_short(name) for name in names["layer_name"].fillna("")]
        ax.set_xticks(names["layer"].astype(float), ticks)
        ax.set(title=KINDS[network], xlabel="Layer")
    if not shown["step"].max() > 0:
        return
    orders = {NAMES[m]: {"color": DARK, "linestyle": LINES[m]} for m in ("matching", "natural")}
    before = {"matched before training": {"color": DARK, "linewidth": THIN}, "noise floor": NOISE}
    add_key(part, looks_of(kinds, style) | orders | before, loc="outside lower center", ncols=3)


def _draw_layers_of(ax: Any, own: pd.DataFrame, look: dict[str, Any]) -> None:
    """Draw the matched and the natural order after training, and what is matched before it."""
    last = own["step"].max()
    is_floor = (own["measure"] == "matching") & (own["variant"] == "signed floor")
    floor = own[is_floor & (own["step"] == last)].sort_values("layer")
    ax.plot(floor["layer"], floor["value"], **NOISE)
    thick = look | {"markevery": None}
    thin = {"color": look["color"], "linewidth": THIN}
    for measure, step, line in (
        ("matching", 0, thin), ("matching", last, thick), ("natural", last, thick)
    ):  # fmt: skip
        is_line = (own["measure"] == measure) & (own["variant"] == "signed")
        rows = own[is_line & (own["step"] == step)]
        draw_mean(ax, rows, "layer", (-1, 1), linestyle=LINES[measure], **line)


def _short(name: str) -> str:
    """Return a short name: "2" for "hidden2", "c2" for "conv2", "out" for "logits"."""
    return name.replace("hidden", "").replace("conv", "c").replace("logits", "out")


def _draw_widths(part: Any, means: pd.DataFrame, style: Style) -> None:
    rows = means[
        (means["network"] == "mlp")
        & (means["measure"] == "matching")
        & (means["variant"] == "signed minus floor")
        & means["layer"].between(1, means["depth"])
    ]
    activation = _activation_of_widths(rows)
    rows = rows[rows["activation"] == activation]
    layers = sorted(rows["layer"].unique())
    ax = part.subplots()
    if not rows["step"].max() > 0:
        say(ax, NOTHING)
        return
    for layer in layers:
        of = rows[(rows["layer"] == layer) & (rows["step"] == rows["step"].max())]
        look = look_of_layer(layer, len(layers), style.colours[activation])
        look |= {"label": name_of_layer(int(layer), len(layers)), "markevery": 1}
        draw_line(ax, with_ends(of), "width", bars=0.8, **look)
    ax.set_xscale("log", base=2)
    ticks = sorted(rows["width"].unique())
    ax.set_xticks(ticks, [str(int(tick)) for tick in ticks])
    ax.minorticks_off()
    ax.set(title=f"MLP, {activation_name(activation)}", xlabel="Width",
           ylabel="Matched\n\N{MINUS SIGN} floor")  # fmt: skip
    part.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2,
                handlelength=1.6, columnspacing=1)  # fmt: skip


def _activation_of_widths(rows: pd.DataFrame) -> str:
    """Return the activation whose networks have the most widths; only this one is drawn."""
    several = rows.groupby("activation")["width"].nunique()
    return str(several.idxmax()) if len(several) else ""
