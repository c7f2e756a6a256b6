"""Your own representations, from a notebook: measures with intervals, nulls and chance levels.

`measure` is for one representation and what its rows were, `compare` for two, or for many at a
time. Both return a pandas DataFrame with one row for each number, and both need pandas beside numpy
and scipy. The numbers are those of repatlas.geometry, similarity and inference; here is which of
them is right for whom.
"""

from repatlas.own.compare import compare
from repatlas.own.measure import measure

__all__ = ["compare", "measure"]
