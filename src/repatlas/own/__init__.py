"""Your own representations, from a notebook: measures with intervals, nulls and chance levels.

`measure` is for one representation and the labels of its rows. `compare` is for two or more
representations, and `over_time` for decoders of trials over time. `ceiling_of_trials` and
`ceiling_of_units` estimate how large a similarity can be. The functions decoding_ceiling_... do so
for the accuracy of decoders. All return a pandas DataFrame with one row for each number, and need
numpy, scipy and pandas. The functions plot_... draw these tables, and `report` makes a page of all;
both need matplotlib. repatlas.geometry, similarity and inference compute the numbers. This package
chooses the right ones for your data.
"""

from repatlas.own.ceilings import ceiling_of_trials, ceiling_of_units
from repatlas.own.compare import compare
from repatlas.own.decoding_ceilings import decoding_ceiling_of_trials, decoding_ceiling_of_units
from repatlas.own.figures import plot_layers, plot_nulls, plot_over_time, plot_pairs
from repatlas.own.measure import measure
from repatlas.own.over_time import over_time
from repatlas.own.prepare import prepare
from repatlas.own.report import report

__all__ = [
    "ceiling_of_trials",
    "ceiling_of_units",
    "compare",
    "decoding_ceiling_of_trials",
    "decoding_ceiling_of_units",
    "measure",
    "over_time",
    "plot_layers",
    "plot_nulls",
    "plot_over_time",
    "plot_pairs",
    "prepare",
    "report",
]
