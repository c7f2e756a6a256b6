"""Rows of networks and of pairs of them as stages hand them to tables, made up, and tables as
figures and claims get them."""

from itertools import combinations
from pathlib import Path

import pyarrow as pa
import yaml
from claim_rows import rows_of
from figure_tables import as_drawn
from matplotlib.text import Text
from stages import network_rows

from repatlas.artifacts.files import METRICS_SCHEMA, NETWORK_PAIRS_SCHEMA
from repatlas.claims.claims_file import read_claims
from repatlas.claims.verdicts import judge
from repatlas.experiments.classification.spec import Grid
from repatlas.figures.rows import pair_rows
from repatlas.networks.activation import activation
from repatlas.plots.style import Style, applied

CONFIG = Path(__file__).parents[3] / "config/convergence.yaml"
SWEEPS = yaml.safe_load(CONFIG.read_text())["sweeps"]


def grid(sweep, **network):
    """Return a sweep of the study, stored at its first and its last step."""
    about = SWEEPS[sweep]
    kept = {name: about[name] for name in ("experiment", "data_set", "training")}
    steps = [about["steps"][0], about["steps"][-1]]
    return Grid(**kept, network=about["network"] | network, steps=steps)


def networks(of, seeds, accuracy=lambda seed: 1.0):
    """Return training accuracies at the last step."""
    rows = [
        {"run": spec.key, "seed": seed, "step": of.steps[-1], "by": "accuracy"}
        | {"measure": "accuracy", "variant": "training", "value": accuracy(seed)}
        for spec in of.specs()
        for seed in range(seeds)
    ]
    table = pa.Table.from_pylist(rows, schema=METRICS_SCHEMA).to_pandas()
    return network_rows([({}, table)], of)


class Pairs:
    """The rows of a comparison, added one by one."""

    def __init__(self, of, comparison, seeds, disjoint=False):
        self.of, self.comparison, self.rows = of, comparison, []
        every = list(combinations(range(seeds), 2))
        self.disjoint = [pair for pair in every if pair[0] % 2 == 0 and pair[1] == pair[0] + 1]
        self.pairs = self.disjoint if disjoint else every

    def add(self, measure, variant, value, step=-1, layers=(1,), pairs=None, names=None, **more):
        """Add rows of pairs. value: a number, or a function of activation, layer and both
        seeds."""
        for spec in self.of.specs():
            for layer in layers:
                for i, j in pairs or self.pairs:
                    activation = spec.network.activation
                    found = value(activation, layer, i, j) if callable(value) else value
                    one = {"run": spec.key, "step": self.of.steps[step], "layer": layer}
                    one |= {"name": (names or {}).get(layer, f"hidden{layer}")}
                    a = {f"a_{name}": each for name, each in (one | {"seed": i}).items()}
                    b = {f"b_{name}": each for name, each in (one | {"seed": j}).items()}
                    about = {"items": "train", "reduction": "", "by": measure, "similarity": True}
                    about |= {"measure": measure, "variant": variant, "value": found}
                    self.rows.append(a | b | about | more)

    def table(self):
        found = pa.Table.from_pylist(self.rows, schema=NETWORK_PAIRS_SCHEMA).to_pandas()
        return pair_rows(found.assign(comparison=self.comparison), [self.of], [self.of])


def judged(name, table):
    [claim] = [each for each in read_claims("convergence").claims if each.id == name]
    return judge(claim, rows_of(as_drawn(table)))


def drawn(figure, table, preview=False):
    """Return the figure without its layout."""
    colours = {name: activation(name).colour for name in ("tanh", "relu")}
    style = Style(colours, 5.5, 7, preview)
    with applied(style):
        found = figure.draw(as_drawn(table), style)
    return found


def texts(figure):
    return " ".join(" ".join(text.get_text() for text in figure.findobj(Text)).split())


def value(table, **of):
    """Return the value of the one row with these values in columns."""
    for name, wanted in of.items():
        table = table[table[name] == wanted]
    [found] = table["value"]
    return found


def contrasts(table, contrast=None):
    """Return the rows of a contrast; without one, the rows of single networks that come from
    pairs."""
    own = table["contrast"].isna() if contrast is None else table["contrast"] == contrast
    return table[own & table["comparison"].notna()]
