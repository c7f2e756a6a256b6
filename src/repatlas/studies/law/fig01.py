"""Figure 1: what the law predicts, and what networks learn."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, UNDECIDED
from repatlas.dynamics.activation_law import PROPERTIES, RANGES, predict, properties
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, legend
from repatlas.inference.pooling import not_diverged
from repatlas.networks.activation import activation
from repatlas.networks.drawn import shape
from repatlas.plots.marks import add_key
from repatlas.plots.palette import BLACK, DARK, GREY, LIGHT, PURPLE, WHITE
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
from repatlas.plots.words import counted, listed, why_nothing
from repatlas.streams import stream

MEASURES = {"accuracy", "alignment", "ccgp", "parallelism"}
OF_THE_LAW = {
    "task.kind": ("separable",),
    "task.inputs": (120,),
    "task.delta": (0.5, 1.0),
    "task.noise_variance": (1.0,),
    "network.width": (120,),
    "training.learning_rate": (0.1,),
    "training.batch": (200,),
    "training.samples": (5000,),
}
"""The networks that the law is about."""
PLAIN = {
    "network.depth": (1,),
    "network.initial": ("uniform",),
    "network.hidden_bias": ("trained",),
    "network.readout": ("binary",),
    "training.optimiser": ("sgd",),
}

FIGURE = Figure(
    "What the law of activation functions predicts, and what networks learn.",
    {
        "drawn": Role(
            "The sweep of networks with drawn functions that had no part in the fit of the law.",
            MEASURES,
            {"experiment": ("drawn",)} | OF_THE_LAW,
            shown=legend("network.function", "task.delta"),
        ),
        "named": Role(
            "The sweep of networks whose activation functions have a name.",
            MEASURES,
            {"experiment": ("clusters",)} | OF_THE_LAW | PLAIN,
            shown=legend(ACTIVATION, "task.delta"),
        ),
    },
    step="The training step that the figure shows: 2000, for which the law was fitted.",
    finding=Finding(
        "Three properties predict a network's geometry, but with R² below 0.9 for input alignment"
        " and CCGP; the rest is undecided.",
        {"1": UNDECIDED, "2": CONTRADICTED, "3": UNDECIDED, "4": CONTRADICTED},
    ),
)
CAPTION = """**Figure 1: a law for the activation function (our choice).** Three properties of an
activation function predict the geometry that a network learns: gain, evenness and skew. They are
moments of the function for normal inputs, and no network is needed. A: target alignment that the
law predicts, and target alignment of trained networks. Each dot is the median of {{
n(facts.drawn.seeds) }} with one of the functions that were drawn at random and had no part in the
fit. Markers: functions with a name ({{ n(facts.named.seeds) }} each), also without a part in the
fit. Dots on the line are predicted exactly. B to D: the same for input alignment, parallelism and
CCGP. E: R2 over the drawn functions, with a 95 % interval from a bootstrap of functions. Open: the
ceiling, R2 if the other seeds predict a seed. The law is supported above the limit. {{ lost }}"""

VARIANTS = {name: "samples" if name == "ccgp" else "centres" for name in RANGES}
"""What each measure is computed on."""
FUNCTION = ["function", "activation"]
GROUP = ["functions", "delta", "noise_variance", "step", "measure"]
DRAWS = 10_000
"""Bootstrap samples of functions."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    kinds = [rows[name].assign(functions=name) for name in ("drawn", "named")]
    both = pd.concat(kinds, ignore_index=True)
    both = both[both["step"] == step]
    of_law = both[both["measure"].map(VARIANTS) == both["variant"]]
    accuracy = both[(both["measure"] == "accuracy") & (both["variant"] == "test")]
    lost = both[both["variant"] == "diverged"]
    found = _with_predictions(of_law)
    over = [
        _over_functions(dict(zip(GROUP, key, strict=True)), group)
        for key, group in found.groupby(GROUP)
    ]
    return pd.concat([found, accuracy, lost, *over], ignore_index=True)


def _with_predictions(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the properties of their functions, and what the law predicts."""
    functions = rows[FUNCTION].drop_duplicates().reset_index(drop=True)
    known = [
        shape(int(each.function)) if pd.isna(each.activation) else activation(each.activation)
        for each in functions.itertuples()
    ]
    values = np.array([properties(each.value, each.slope) for each in known])
    values = values.reshape(-1, len(PROPERTIES))
    functions[list(PROPERTIES)] = values
    rows = rows.merge(functions, on=FUNCTION).assign(predicted=np.nan)
    for (measure, delta), group in rows.groupby(["measure", "delta"]):
        found = group[list(PROPERTIES)].to_numpy()
        rows.loc[group.index, "predicted"] = predict(found, measure, delta)
    return rows


def _over_functions(key: dict[str, Any], rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows about all functions together, for one measure at one separability.

    "explained" is R^2 of each seed, and "explained by seeds" is R^2 where the median of the other
    seeds is the prediction, a ceiling. "explained of medians" is R^2 of the median over seeds, with
    an interval over functions.
    """
    name = rows["activation"].fillna(rows["function"].astype("string"))
    table = rows.assign(name=name).pivot_table(index="name", columns="seed", values="value")
    predicted = rows.assign(name=name).groupby("name")["predicted"].first()[table.index].to_numpy()
    values = table.to_numpy()  # (functions, seeds)
    common = {each: key[each] for each in GROUP if each != "measure"} | {"variant": key["measure"]}
    # Claims count rows with a run: the networks of a seed together have this name as theirs.
    of_seed = common | {"run": f"{key['functions']} at {key['delta']:g}"}
    made = []
    for column, seed in enumerate(table.columns):
        one = values[:, [column]]
        made.append(of_seed | {"measure": "explained", "seed": seed,
                              "value": float(_explained(one, predicted[:, None])[0])})  # fmt: skip
        others = np.delete(values, column, axis=1)
        if others.shape[1]:
            median = np.median(others, axis=1)[:, None]
            made.append(of_seed | {"measure": "explained by seeds", "seed": seed,
                                  "value": float(_explained(one, median)[0])})  # fmt: skip
    medians = np.median(values, axis=1)
    chosen = stream(0, "functions").integers(len(medians), size=(len(medians), DRAWS))
    drawn = _explained(medians[chosen], predicted[chosen])
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    r2 = float(_explained(medians[:, None], predicted[:, None])[0])
    made.append(common | {"measure": "explained of medians", "value": r2, "low": low, "high": high})
    return pd.DataFrame(made)


def _explained(found: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return R^2 over functions (n,): columns (functions, n) are separate."""
    error = ((found - predicted) ** 2).sum(axis=0)
    total = ((found - found.mean(axis=0)) ** 2).sum(axis=0)
    return 1 - np.divide(error, total, out=np.full(len(error), np.nan), where=total > 0)


LIMIT = 0.9
"""The R^2 above which the law is supported."""
PANELS = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism",
    "ccgp": "CCGP",
}
SHADES = {0.5: (LIGHT, "v"), 1.0: (PURPLE, "o")}
"""Colour and marker of drawn functions, by separability."""
WITHOUT_FACE = "1234"
"""Markers that are lines, without a face."""
NETWORK = ["functions", "function", "activation", "delta"]
GUIDE = {"color": DARK, "linewidth": 0.6, "zorder": 0}


def draw(table: pd.DataFrame, style: Style) -> Any:
    nothing = why_nothing(table[table["run"].notna()])
    rows = not_diverged(table[table["predicted"].notna() & table["run"].notna()])
    kept = rows.groupby(["measure", *NETWORK], dropna=False)[["value", "predicted"]]
    dots = kept.median().reset_index()

    figure = page(style, 0.98 * style.width)
    above, below = figure.subfigures(2, 1, height_ratios=[1.5, 1])
    left, right = above.subfigures(1, 2, width_ratios=[1.5, 1])
    parts = dict(zip("BCD", below.subfigures(1, 3), strict=True))
    for part, (mark, measure) in zip(
        [left, *parts.values()], zip("ABCD", PANELS, strict=True), strict=True
    ):
        letter(part, mark)
        _draw_dots(part.subplots(), dots, measure, style, nothing, large=mark == "A")
    letter(right, "E")
    _draw_explained(right.subplots(), table, nothing)
    look = {"linestyle": "", "marker": "o", "color": DARK, "markersize": 4}
    law = {"the law": look, "other seeds (ceiling)": look | {"markerfacecolor": WHITE}}
    add_key(right, law, loc="outside lower center", handlelength=1)
    looks = {rf"drawn, $\delta={delta:g}$": look | {"marker": marker, "color": colour}
             for delta, (colour, marker) in SHADES.items()}  # fmt: skip
    looks |= {activation_name(name): look | _look(name, style) for name in activations(rows)}
    add_key(below, looks, ncols=5, handlelength=1)
    numbers = [_number(rows, which) for which in ("drawn", "named")]
    finish(figure, table, style, f"A to D: {listed(list(filter(None, numbers)))}.")
    return figure


def _number(rows: pd.DataFrame, which: str) -> str:
    """Return how many functions and networks there are, in words; nothing if there are none."""
    of = rows[rows["functions"] == which]
    functions = len(of[["function", "activation"]].drop_duplicates())
    seeds = of["seed"].nunique()
    each = f"median of {counted(seeds)}" if seeds > 1 else counted(seeds)
    return f"{functions} {which} functions ({each} each)" if functions else ""


def _look(name: str, style: Style) -> dict[str, Any]:
    marker, colour = ACTIVATION_MARKERS.get(name, "o"), style.colours[name]
    edge = {"markeredgecolor": BLACK, "markeredgewidth": 0.5}
    if marker in WITHOUT_FACE:
        edge = {"markeredgecolor": colour, "markeredgewidth": 1.2}
    return {"marker": marker, "color": colour} | edge


def _draw_dots(
    ax: Any, dots: pd.DataFrame, measure: str, style: Style, nothing: str, large: bool
) -> None:
    """Draw the median over seeds of each function against its prediction."""
    shown = dots[dots["measure"] == measure]
    if not len(shown):
        say(ax, nothing)
        return
    least = -1.0 if measure == "parallelism" else 0.0
    low = max(least, min(shown["value"].min(), shown["predicted"].min()) - 0.05)
    ax.plot([low, 1], [low, 1], **GUIDE)
    drawn, named = shown[shown["functions"] == "drawn"], shown[shown["functions"] == "named"]
    for delta, (colour, marker) in SHADES.items():
        of = drawn[drawn["delta"] == delta]
        ax.plot(of["predicted"], of["value"], marker, color=colour, alpha=0.7,
                markersize=2.4 if large else 1.6, markeredgewidth=0)  # fmt: skip
    for each in named.itertuples():
        ax.plot(each.predicted, each.value, linestyle="", zorder=4,
                markersize=5 if large else 3.5, **_look(each.activation, style))  # fmt: skip
    ax.set(xlim=(low, 1.03), ylim=(low, 1.03), xlabel="Predicted", title=PANELS[measure])
    ax.set_ylabel("Found")


def _draw_explained(ax: Any, table: pd.DataFrame, nothing: str) -> None:
    """Draw R^2 over drawn functions for each measure and separability, and its ceiling."""
    of_drawn = table[table["functions"] == "drawn"]
    found = of_drawn[of_drawn["measure"] == "explained of medians"]
    ceilings = of_drawn[of_drawn["measure"] == "explained by seeds"]
    if not found["value"].notna().any():
        say(ax, nothing)
        return
    few = of_drawn["seed"].nunique() < 2
    least = LIMIT
    for row, measure in enumerate(PANELS):
        for delta, (colour, marker) in SHADES.items():
            y = row + (0.17 if delta == max(SHADES) else -0.17)
            cell = found[(found["variant"] == measure) & (found["delta"] == delta)]
            ceiling = ceilings[(ceilings["variant"] == measure) & (ceilings["delta"] == delta)]
            for each in cell.itertuples():
                ax.plot([each.low, each.high], [y, y], color=colour, linewidth=1)
                ax.plot(each.value, y, marker, color=colour, markersize=4)
                least = min(least, each.low)
            if len(ceiling) and not few:
                ax.plot(ceiling["value"].median(), y, marker, color=colour, markersize=4,
                        markerfacecolor=WHITE)  # fmt: skip
    ax.axvline(LIMIT, linestyle=":", **GUIDE)
    ax.annotate("limit", (LIMIT, len(PANELS) - 0.55), xytext=(-2, 0), textcoords="offset points",
                ha="right", va="center", color=GREY, size=small_type())  # fmt: skip
    ax.set_yticks(np.arange(len(PANELS)), [name.replace(" ", "\n") for name in PANELS.values()])
    ax.set(xlim=(max(0.0, np.floor(10 * least) / 10 - 0.02), 1.02), ylim=(len(PANELS) - 0.4, -0.6))
    ax.set(xlabel="$R^2$ over functions", title="Drawn functions")
