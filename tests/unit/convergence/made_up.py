"""Rows of networks whose answer is known, as tables get them."""

import pandas as pd

from repatlas.experiments.classification.columns import COLUMNS, columns_of
from repatlas.experiments.classification.spec import Spec
from repatlas.figures.columns import COLUMNS as OF_TABLES
from repatlas.plots.style import Style, applied

END = 100
COLOURS = {"tanh": "#D55E00", "relu": "#0072B2"}


def network(seed=0, activation="relu", width=64, depth=4):
    """Return the columns that identify the network of a row."""
    chosen = {"kind": "mlp", "activation": activation, "width": width, "depth": depth}
    spec = Spec(data_set="digits", network=chosen)
    return columns_of(spec) | {"run": spec.key, "seed": seed}


def frame(rows):
    """Return the rows, with every column of a table."""
    made = pd.DataFrame(rows).reindex(columns=list(OF_TABLES))
    return made.astype(dict.fromkeys(COLUMNS, "object"))


def accuracy(about, value=1.0, variant="training", step=END):
    return about | {"measure": "accuracy", "variant": variant, "step": step, "value": value}


def the(rows, **wanted):
    """Return the value of the only row with these values in its columns."""
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    [value] = rows["value"]
    return value


def drawn_text(figure, table, preview=False):
    style = Style(COLOURS, 5.5, 7, preview)
    with applied(style):
        drawn = figure.draw(frame(table), style)
    texts = drawn.findobj(match=lambda artist: hasattr(artist, "get_text"))
    return " ".join(" ".join(text.get_text().split()) for text in texts)
