"""Figure 1: theories against networks."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, legend
from repatlas.inference.intervals import Interval, median_interval
from repatlas.plots.palette import FAILS, HOLDS, OPEN, WHITE
from repatlas.plots.style import Style, finish, letter, page, say, small_type
from repatlas.plots.words import why_nothing
from repatlas.theories.errors import THEORIES

FIGURE = Figure(
    "Errors of six theories for families of networks, in loss and in target alignment.",
    {
        "clusters": Role(
            "The sweeps of networks on clusters: with tasks of each seed, and with a common task."
            " Networks with the activation identity are the null model of the others.",
            {"theories_on_clusters"},
            {
                "experiment": ("clusters",),
                "task.kind": ("separable", "common_separable"),
                "network.activation": ("tanh", "relu", "identity"),
                "network.depth": (1,),
                "network.readout": ("binary",),
                "network.initial": ("uniform",),
                "training.optimiser": ("sgd",),
                "training.errors": ("output",),
            },
            shown=legend(ACTIVATION, "task.kind", "network.hidden_bias"),
            several=True,
        ),
        "few_items": Role(
            "The sweeps of networks on contexts and on XoR. Linear networks with the same initial"
            " weights are the null model of the others.",
            {"theories_on_items"},
            {
                "experiment": ("items",),
                "task.kind": ("contexts", "xor"),
                "task.contexts": (3,),
                "task.blocks": ("homogeneous",),
                "network.kind": ("linear", "relu", "tanh"),
                "network.depth": (1,),
            },
            shown=legend(
                *("task.kind", "task.delta", "training.rate"),
                *("network.kind", "network.width", "network.initial", "network.sigma"),
            ),
            several=True,
        ),
        "pathways": Role(
            "The sweep of the closed form of ReLU networks on the same contexts.",
            {"loss"},
            {
                "experiment": ("items",),
                "task.kind": ("contexts",),
                "task.contexts": (3,),
                "task.blocks": ("homogeneous",),
                "network.kind": ("closed_form",),
            },
        ),
    },
    finding=Finding(
        "Lazy learning predicts loss and geometry of ReLU networks on clusters better than two null"
        " models.",
        {"2": SUPPORTED, "3": SUPPORTED},
    ),
)
CAPTION = """**Figure 1: theories against networks (our choice).** Each theory predicts networks
from their start and their data alone. A: the mean difference of predicted and found loss, as a
fraction of the first loss. B: the mean difference of predicted and found target alignment of the
hidden layer. Each cell has the median over {{ n(facts.clusters.seeds) }} on clusters and {{
n(facts.few_items.seeds) }} on items, and below it the smaller error of two null models: no change
since the start, and a linear network. A theory holds (violet) if the exact 95 % interval of the
difference from the error of each null model ends below 0. It fails (grey,
\N{MULTIPLICATION SIGN}) if one begins above 0. Empty cells: the theory does not apply. ∞: the
prediction diverged. {{ lost }}"""

CLUSTERS = {"separable": "clusters", "common_separable": "common clusters"}
SMALL = 0.01
"""ReLU networks on contexts from smaller initial weights have the closed form of pathways."""
FAMILIES = (
    *("clusters tanh", "clusters relu", "common clusters tanh", "common clusters relu"),
    *("contexts linear", "contexts relu", "contexts relu, large start"),
    *("contexts tanh", "contexts tanh, large start", "xor relu", "xor tanh"),
)
"""All families, in the order in which they are shown."""
CURVES = {"relative_loss": "loss_error", "target_alignment": "alignment_error"}
"""The error of each quantity."""
OTHERS = "other seeds"
"""The variant of the error that the mean of all other seeds has, with the same settings."""
START, NO_CHANGE = "kernel of the start", "no change"
NULLS = (NO_CHANGE, "linear network")
"""The variants of the errors of null models: the value at the start, and the curve of a linear
network."""
LINEAR = ("linear", "identity")
SETTINGS = ["task", "delta", "initial", "sigma", "seed"]
"""What a network and its linear network have in common."""


def family_of(row: pd.Series) -> str:
    """Return the family of a network with these settings.

    >>> family_of(pd.Series({"task": "contexts", "network": "tanh", "sigma": 1.0}))
    'contexts tanh, large start'
    """
    name = f"{CLUSTERS.get(row['task'], row['task'])} {row['network']}"
    large = row["task"] == "contexts" and row["sigma"] is not None and row["sigma"] >= 1
    return f"{name}, large start" if large else name


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return errors. Networks of one seed share their random numbers, so each seed has one value:
    the mean over its settings. A network that diverged is left out, and has a row without a
    value."""
    clusters = rows["clusters"].assign(network=rows["clusters"]["activation"])
    both = pd.concat([each for each in (clusters, rows["few_items"]) if len(each)])
    both = both.assign(family=[*both.apply(family_of, axis=1)] if len(both) else [])
    is_lost = both["variant"] == "diverged"
    lost, both = both[is_lost], both[~is_lost]
    losses = rows["pathways"]
    form = losses[losses["measure"] == "loss"].sort_values("step")
    found = [_errors(both), *_other_seeds_errors(both), *_pathways_errors(both, form)]
    every = pd.concat([*found, *_null_errors(both)], ignore_index=True)
    every = every[every["family"].isin(FAMILIES)]
    by = ["family", "measure", "variant", "seed"]
    means = every.groupby(by, sort=False)["value"].mean().reset_index()
    lost = lost[lost["family"].isin(FAMILIES)]
    return pd.concat([means.assign(run=means["family"]), lost], ignore_index=True)


def _errors(both: pd.DataFrame) -> pd.DataFrame:
    """Return the errors that were measured. A missing value is an infinite error."""
    errors = both[both["measure"].isin(CURVES.values())]
    return errors.assign(value=errors["value"].astype(float).fillna(np.inf))


def _other_seeds_errors(both: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the errors of the mean of all other seeds, for each setting of networks."""
    for (measure, _), found in both.groupby(["measure", "run"], sort=False):
        if measure not in CURVES or found["seed"].nunique() < 2:
            continue
        first = found.iloc[0]
        curves = {
            int(seed): (each["step"].to_numpy(float), each["value"].to_numpy(float))
            for seed, each in found.sort_values("step").groupby("seed")
        }
        made = []
        for seed, (x, values) in curves.items():
            others = [np.interp(x, *each) for s, each in curves.items() if s != seed]
            error = float(np.mean(np.abs(values - np.mean(others, axis=0))))
            made.append(_row(first["family"], CURVES[measure], OTHERS, seed, error))
        yield pd.DataFrame(made)


def _null_errors(both: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the errors of the null models, for networks that are not linear themselves. The kernel
    of the start predicts no change of alignment."""
    is_start = (both["measure"] == CURVES["target_alignment"]) & (both["variant"] == START)
    yield both[is_start].assign(variant=NO_CHANGE)
    # Missing settings are alike as texts.
    texts = both[SETTINGS].astype(object).fillna("").astype(str)
    curves = both.assign(**texts)[both["measure"].isin(CURVES)].sort_values("step")
    is_linear = curves["network"].isin(LINEAR)
    linear = dict([*curves[is_linear].groupby(["measure", *SETTINGS])])
    for (family, *key), found in curves[~is_linear].groupby(["family", "measure", *SETTINGS]):
        measure, seed = key[0], int(key[-1])
        steps, values = found["step"].to_numpy(float), found["value"].to_numpy(float)
        predicted = {NO_CHANGE: np.ones(len(values))} if measure == "relative_loss" else {}
        if (of := linear.get(tuple(key))) is not None:
            known = of["step"].to_numpy(float), of["value"].to_numpy(float)
            predicted["linear network"] = np.interp(steps, *known)
        for null, curve in predicted.items():
            error = float(np.mean(np.abs(values - curve)))
            yield pd.DataFrame([_row(family, CURVES[measure], null, seed, error)])


def _pathways_errors(both: pd.DataFrame, form: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the errors of the loss of the closed form, for ReLU networks on contexts from small
    weights."""
    small = (both["task"] == "contexts") & (both["network"] == "relu") & (both["sigma"] < SMALL)
    chosen = both[small & (both["measure"] == "relative_loss")]
    x, y = form["step"].to_numpy(float), form["value"].to_numpy(float)
    for (_, seed), found in chosen.groupby(["run", "seed"], sort=False):
        predicted = np.interp(found["step"].to_numpy(float), x, y) / y[0]
        error = float(np.mean(np.abs(predicted - found["value"].to_numpy(float))))
        family = found.iloc[0]["family"]
        yield pd.DataFrame([_row(family, "loss_error", "closed form", seed, error)])


def _row(family: str, measure: str, variant: str, seed: int, value: float) -> dict[str, Any]:
    about = {"family": family, "measure": measure, "variant": variant}
    return about | {"seed": seed, "value": value}


PANELS = {"loss_error": "Loss", "alignment_error": "Target alignment"}
COLOURS = {"holds": HOLDS, "open": OPEN, "fails": FAILS}
SIGNS = {"holds": "", "open": "?", "fails": "\u00d7"}


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 0.95 * style.width)
    there = [each for each in FAMILIES if (table["family"] == each).any()]
    parts = figure.subfigures(2, 1, height_ratios=[1, 1.32])
    for part, mark, (measure, title) in zip(parts, "AB", PANELS.items(), strict=True):
        letter(part, mark)
        ax = part.subplots()
        if not there:
            say(ax, why_nothing(table))
            continue
        _draw(ax, table[table["measure"] == measure], there)
        last = measure == list(PANELS)[-1]
        names = [each.replace("relu", "ReLU").replace("xor", "XoR") for each in there]
        ax.set_xticks(range(len(there)), names if last else [], rotation=35, ha="right")
        ax.set_title(f"{title}: error")
    finish(
        figure,
        table,
        style,
        "Median over seeds; below it, that of the better null model. Violet: smaller than both null"
        " models. Grey: larger than one. ?: neither. Empty: does not apply.",
    )
    return figure


def _draw(ax: Any, rows: pd.DataFrame, there: list[str]) -> None:
    from matplotlib.patches import Rectangle

    for (family, theory), found in rows.groupby(["family", "variant"], sort=False):
        if theory not in THEORIES:
            continue
        x, y = there.index(family), THEORIES.index(theory)
        error, of_family = found.set_index("seed")["value"], rows[rows["family"] == family]
        nulls = [
            of_family[of_family["variant"] == null].set_index("seed")["value"] for null in NULLS
        ]
        is_itself = theory == START and (found["measure"] == CURVES["target_alignment"]).all()
        wanted = [of for of in nulls[int(is_itself) :] if len(of)]
        outcome = verdict([median_interval((error - of).dropna()) for of in wanted])
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fc=COLOURS[outcome], ec=WHITE))
        text = f"{SIGNS[outcome]} {short(error.median())}".strip()
        if least := [of.median() for of in nulls if len(of)]:
            text += f"\n{short(min(least))}"
        box = {"facecolor": COLOURS[outcome], "edgecolor": "none", "pad": 0}
        ax.text(x, y, text, ha="center", va="center", size=small_type(), bbox=box)
    ax.set(xlim=(-0.5, len(there) - 0.5), ylim=(len(THEORIES) - 0.5, -0.5))
    ax.set_yticks(range(len(THEORIES)), THEORIES)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def verdict(differences: list[Interval]) -> str:
    """Return what an error, minus the errors of null models, says of a theory.

    >>> verdict([Interval(-0.2, -0.3, -0.1), Interval(0.2, -0.1, 0.3)])
    'open'
    """
    if differences and all(each.high < 0 for each in differences):
        return "holds"
    return "fails" if any(each.low > 0 for each in differences) else "open"


def short(value: float) -> str:
    """Return an error in a few signs."""
    if not np.isfinite(value):
        return "∞"
    return "> 1" if value > 1 else f"{value:.3f}"
