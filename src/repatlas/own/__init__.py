"""Your own representations, from a notebook: measures with intervals, nulls and chance levels.

`measure` is for one representation and the labels of its rows. `compare` is for two or more
representations, `compare_models` for two models of the same data, and `over_time` for decoders of
trials over time. `read` reads any file for them. `ceiling_of_trials` and `ceiling_of_units`
estimate how large a similarity can be. The functions decoding_ceiling_... do so for the accuracy of
decoders. All but `read`, `layers_of` and `tokens` return a pandas DataFrame
with one row for each number, and need numpy, scipy and pandas. The functions plot_... draw these
tables, and `report` makes a page of all; both need matplotlib. repatlas.geometry, similarity and
inference compute the numbers. This package chooses the right ones for your data.
"""

from repatlas.own.ceilings import ceiling_of_trials, ceiling_of_units
from repatlas.own.compare import compare
from repatlas.own.decoding_ceilings import decoding_ceiling_of_trials, decoding_ceiling_of_units
from repatlas.own.figures import (
    plot_layers,
    plot_models,
    plot_nulls,
    plot_over_time,
    plot_pairs,
)
from repatlas.own.layers import layers_of, tokens
from repatlas.own.measure import measure
from repatlas.own.models import compare_models
from repatlas.own.over_time import over_time
from repatlas.own.prepare import prepare
from repatlas.own.read import read
from repatlas.own.report import report
from repatlas.own.save import save
from repatlas.similarity import Dissimilarities

__all__ = [
    "Dissimilarities",
    "ceiling_of_trials",
    "ceiling_of_units",
    "compare",
    "compare_models",
    "decoding_ceiling_of_trials",
    "decoding_ceiling_of_units",
    "layers_of",
    "measure",
    "over_time",
    "plot_layers",
    "plot_models",
    "plot_nulls",
    "plot_over_time",
    "plot_pairs",
    "prepare",
    "read",
    "report",
    "save",
    "tokens",
]
