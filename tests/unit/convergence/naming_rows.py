"""Rows of networks that name images, and of pairs of them, as the tables of figures find them."""

import numpy as np
import pandas as pd
from claim_rows import rows_of
from figure_tables import as_drawn
from matplotlib.axes import Axes
from matplotlib.text import Text

from repatlas.claims.claims_file import read_claims
from repatlas.claims.verdicts import judge
from repatlas.experiments.classification.columns import COLUMNS
from repatlas.figures.rows import DTYPES
from repatlas.networks.activation import activation
from repatlas.plots.style import Style, applied

USUAL = {"data_set": "digits", "labels": "original", "pixels": "original", "network": "mlp"}
USUAL |= {"activation": "relu", "width": 64, "depth": 2, "frozen": "none"}
OF_NETWORK = {"measure": "accuracy", "variant": "test", "step": 880, "diverged_step": np.nan}
OF_PAIR = {"measure": "pwcca", "variant": "both", "step": 880, "layer": 2, "items": "train"}
OF_PAIR |= {"layer_name": "hidden2", "reduction": "", "similarity": True, "m": 600, "h_a": 64}
OF_PAIR |= {"h_b": 64, "rank_a": 64, "rank_b": 64, "kept_a": 64, "kept_b": 64, "sd": np.nan}


def typed(rows, about):
    about = dict.fromkeys(COLUMNS) | USUAL | about
    whole = rows.assign(**{name: value for name, value in about.items() if name not in rows})
    return whole.astype({name: DTYPES[str(kind)] for name, kind in COLUMNS.items()})


def network_rows(values, run="a", **about):
    """Return a row for each seed, 0, 1, ..."""
    rows = pd.DataFrame({"value": values, "seed": range(len(values)), "run": run})
    return typed(rows, OF_NETWORK | about)


def learned_rows(seeds, run="a", accuracy=1.0, **about):
    """Return the training accuracies of networks at the last checkpoint."""
    values = np.broadcast_to(accuracy, seeds)
    return network_rows(values, run, **{"variant": "training"} | about)


def pair_rows(similarities, run="a", other_run=None, **about):
    """Return a row for each pair of a table (n, n) of similarities: i < j for one architecture, i
    != j for two."""
    number = len(similarities)
    pairs = [
        (i, j) for i in range(number) for j in range(number) if (i != j if other_run else i < j)
    ]
    rows = pd.DataFrame(pairs, columns=["seed", "other_seed"])
    rows["value"] = [similarities[i][j] for i, j in pairs]
    about = OF_PAIR | {"comparison": "pairs", "run": run, "other_run": other_run or run} | about
    return typed(rows, about | {"other_step": about["step"], "other_layer": about["layer"]})


def additive(distance, effects):
    """Return (n, n) similarities of networks that each add an effect to the distance of their
    pairs."""
    effects = np.asarray(effects, float)
    return 1 - (distance + effects[:, None] + effects)


def joined(*parts):
    return pd.concat(parts, ignore_index=True)


def value(rows, **of):
    for name, wanted in of.items():
        rows = rows[rows[name] == wanted]
    assert len(rows) == 1, len(rows)
    return rows["value"].iloc[0]


def verdicts(claim, table):
    found = {each.id: each for each in read_claims("convergence").claims}[claim]
    return [finding.verdict for finding in judge(found, rows_of(as_drawn(table)))]


def drawn(module, table, preview=False):
    texts = [each.get_text() for each in _figure(module, table, preview).findobj(Text)]
    return " ".join(" ".join(texts).split())


def panels(module, table):
    return _figure(module, table, False).findobj(Axes)


def _figure(module, table, preview):
    colours = {name: activation(name).colour for name in ("relu", "tanh")}
    style = Style(colours, 5.5, 7, preview)
    with applied(style):
        figure = module.draw(as_drawn(table), style)
    return figure
