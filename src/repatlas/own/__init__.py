"""Your own representations, from a notebook: measures with intervals, nulls and chance levels.

`measure` is for one representation and what its rows were, `compare` for two, or for many at a
time, and `over_time` for decoders of trials over time. `ceiling_of_trials` and `ceiling_of_units`
say how large a similarity can be. All return a pandas DataFrame with one row for each number, and
need pandas beside numpy and scipy. The functions plot_... draw them, `report` makes a page of all,
and these need matplotlib. The numbers are those of repatlas.geometry, similarity and inference;
here is which of them is right for whom.
"""

from repatlas.own.ceilings import ceiling_of_trials, ceiling_of_units
from repatlas.own.compare import compare
from repatlas.own.figures import plot_layers, plot_nulls, plot_over_time, plot_pairs
from repatlas.own.measure import measure
from repatlas.own.over_time import over_time
from repatlas.own.report import report

__all__ = [
    "ceiling_of_trials",
    "ceiling_of_units",
    "compare",
    "measure",
    "over_time",
    "plot_layers",
    "plot_nulls",
    "plot_over_time",
    "plot_pairs",
    "report",
]
