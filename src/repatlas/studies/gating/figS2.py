"""Figure S2: where the theory breaks."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import TOO_FEW
from repatlas.dynamics.recruitment import flow_losses
from repatlas.experiments.items.networks.gated import Gated
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import legend, panels
from repatlas.plots.marks import add_key, draw_line, guide, set_plain_log
from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.plots.words import listed
from repatlas.studies.gating.look import FITTED, RELU_DOT, medians
from repatlas.studies.gating.roles import CONTEXTS, role
from repatlas.studies.gating.rows.curves import agreement_rows, losses, reference_rows, thinned

FIGURE = Figure(
    "Agreement of ReLU networks of several widths and scales of initial weights with the mean field"
    " whose recruitment was fitted to one of them.",
    {
        "relu": role(
            "The sweep of ReLU networks.",
            {"loss"},
            "relu",
            only=CONTEXTS | {"task.contexts": (3,)},
            shown=legend("network.sigma", "network.width") | panels("task.blocks"),
        ),
        "fits": role(
            "Sweeps of the mean field that was fitted on the same tasks.",
            {"pathways"},
            "recruited",
            only=CONTEXTS,
            shown=legend("task.contexts") | panels("task.blocks"),
            several=True,
            optional=True,
        ),
    },
    finding=Finding(
        "Too few networks say whether ReLU networks leave their gated network as initial weights"
        " become larger.",
        {"21": TOO_FEW},
    ),
)
CAPTION = """**Figure S2: where the theory breaks (our choice).** Agreement of ReLU networks with
the K-flow. Its recruitment was fitted to one network of 700 units and a scale of 7.1e-6. Shown are
the largest relative lag at other scales, and the largest difference of the loss, as a fraction of
the first loss, at other widths. They are medians over {{ n(facts.relu.seeds | reject("equalto", 0)
| list) }} of each, with 95 % intervals where there are networks enough for one. Blue: the same for
two ReLU networks of different seeds. A: trees, rings and crosses. B: the same tree in three
contexts. {{ lost }}"""

RATE = 1e-3


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, fits = rows["relu"], rows.get("fits", rows["relu"][:0])
    theory = theory_rows(relu, fits)
    same = ("blocks", "width", "sigma")
    return pd.concat(
        [
            thinned(relu),
            thinned(theory) if len(theory) else theory,
            reference_rows(relu),
            agreement_rows(theory, relu, "relu", same) if len(theory) else theory,
            kappas(fits),
        ],
        ignore_index=True,
    )


def kappas(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the fitted recruitment of three contexts."""
    found = fits[(fits["measure"] == "kappa") & (fits["contexts"] == 3)]
    return found[found["step"] == found["step"].max()]


def theory_rows(relu: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """Return the losses of the mean field for each width and scale of initial weights.

    The recruitment was fitted to one of them.
    """
    parts = []
    found = kappas(fits)
    for (blocks, width, sigma), group in losses(relu).groupby(["blocks", "width", "sigma"]):
        fitted = found[found["blocks"] == blocks].set_index("variant")["value"]
        if not len(fitted):
            continue
        task = Contexts(kind="contexts", blocks=blocks)
        items, gates = task.draw(), Gated(kind="gated").gates(task)
        kappa = (float(fitted["common"]), float(fitted["context"]))
        epochs = int(group["step"].max()) + 1
        with np.errstate(over="ignore", invalid="ignore"):
            curve = flow_losses(
                kappa, gates.seen(items), gates.masks, items.targets, width, sigma, RATE, epochs
            )
        about = group.iloc[0].to_dict() | {
            "run": f"mean field of {blocks}, {width} units, {sigma:g}",
            "network": "recruited",
            "pathways": "all_but_one",
            "gradient": "joint",
            "depth": None,
            "initial": None,
            "seed": 0,
        }
        of_curve = pd.DataFrame({"step": np.arange(epochs), "value": curve})
        parts.append(of_curve.assign(**{k: v for k, v in about.items() if k not in of_curve}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


TASKS = {"A": "heterogeneous", "B": "homogeneous"}
"""The blocks of the task of each panel."""
NOTHING = "No two networks of one kind, and no fit, to compare"
NETWORK = ["blocks", "width", "sigma"]
SMALL = {"markersize": 3, "linewidth": 0.7}
LOOKS = {
    "next seed": ("another ReLU network", RELU_DOT | SMALL | {"linestyle": "-"}),
    "relu": ("theory, fitted once", SMALL | {"color": FITTED, "marker": "D"}),
}
"""Names and looks of what networks are compared with, by reference."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    agreement = table[table["measure"] == "agreement"]
    fit = table[table["measure"] == "kappa"]
    width, sigma = _main(fit if len(fit) else agreement)
    shown = [mark for mark, blocks in TASKS.items() if (agreement["blocks"] == blocks).any()]
    figure = page(style, 0.44 * max(len(shown), 0.5) * style.width)
    if not shown:
        say(figure.subplots(), NOTHING)
        finish(figure, table, style, f"{NOTHING}.")
        return figure
    parts = figure.subfigures(len(shown), 1, squeeze=False)[:, 0]
    _name_looks(parts[-1], agreement)
    for part, mark in zip(parts, shown, strict=True):
        letter(part, mark)
        blocks = TASKS[mark]
        scales, widths = part.subplots(1, 2, width_ratios=[2, 1])
        rows = agreement[agreement["blocks"] == blocks]
        of_width = rows[rows["width"] == width]
        _draw_scales(scales, of_width[of_width["variant"] == "D4"])
        scales.set(title="Largest relative lag", ylabel=f"{blocks.capitalize()} task")
        if len(fit) and scales.lines:
            guide(scales, sigma, "fitted here", 1, across=False)
        of_sigma = np.isclose(rows["sigma"].astype(float), sigma)
        _draw_widths(widths, rows[of_sigma & (rows["variant"] == "D1")])
    said = medians(agreement, [*NETWORK, "reference", "variant"])
    of = f"{width} units and a scale of {_number(sigma)}"
    fitted = f"The theory is the K-flow with the recruitment fitted at {of}."
    finish(
        figure,
        table,
        style,
        f"{fitted if len(fit) else 'No fit in this run, so no theory.'} "
        f"{said[0].upper()}{said[1:]}. Scales at {width} units, widths "
        f"(right) at {_number(sigma)}.{_not_drawn(agreement, width, sigma)}",
    )
    return figure


def _main(rows: pd.DataFrame) -> tuple[int, float]:
    """Return the width at which scales are shown, and the scale at which widths are shown. Most of
    these rows have them."""
    if rows.empty:
        return 0, 1.0
    return int(rows["width"].mode().iloc[0]), float(rows["sigma"].mode().iloc[0])


def _number(sigma: float) -> str:
    factor, power = f"{sigma:.1e}".split("e")
    return rf"${factor}\times 10^{{{int(power)}}}$"


def _not_drawn(rows: pd.DataFrame, width: int, sigma: float) -> str:
    """Return a sentence that lists the networks that no panel shows, or an empty string."""
    other = rows[(rows["width"] != width) & ~np.isclose(rows["sigma"].astype(float), sigma)]
    found = other[["width", "sigma"]].drop_duplicates().itertuples(index=False, name=None)
    names = [f"{units} units at {_number(scale)}" for units, scale in found]
    return f" Not drawn: {listed(names)}." if names else ""


def _name_looks(part: Any, rows: pd.DataFrame) -> None:
    """Add a legend of what networks are compared with."""
    found = {*rows["reference"]}
    looks = {name: look for reference, (name, look) in LOOKS.items() if reference in found}
    if looks:
        add_key(part, looks, loc="outside lower center", title="A ReLU network compared with")


def _draw_scales(ax: Any, rows: pd.DataFrame) -> None:
    for reference, (_, look) in LOOKS.items():
        found = with_interval(rows[rows["reference"] == reference], ["sigma"])
        draw_line(ax, found, "sigma", bars=1, **look)
    ax.set(xscale="log", xlabel=r"Scale of initial weights $\sigma$")
    if rows["value"].isna().all():
        say(ax, "Nothing to compare" if rows.empty else "No loss fell to these levels")
    if rows["value"].gt(0).any():
        set_plain_log(ax)


def _draw_widths(ax: Any, rows: pd.DataFrame) -> None:
    for reference, (_, look) in LOOKS.items():
        found = with_interval(rows[rows["reference"] == reference], ["width"])
        draw_line(ax, found, "width", bars=1, **look | {"linestyle": "none"})
    ax.set(xlabel="Units", title="Largest difference", xscale="log")
    widths = sorted(rows["width"].dropna().unique())
    if not widths:
        say(ax, "Nothing to compare")
        return
    ax.set_xlim(0.65 * widths[0], 1.55 * widths[-1])
    ax.set_xticks([float(w) for w in widths], [str(w) for w in widths])
    ax.minorticks_off()
    if rows["value"].gt(0).any():
        set_plain_log(ax)
