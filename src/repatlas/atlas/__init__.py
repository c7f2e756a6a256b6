"""Stored networks and results as data, from a notebook.

`networks` returns a table of all networks that a run has stored. `load` returns some of them, with
weights, data and activity as numpy arrays. `results` returns a table of everything that was
measured. All three read files of a folder of results, and change none.
"""

from repatlas.atlas.loaded import Network, load
from repatlas.atlas.results import results
from repatlas.atlas.table import networks

__all__ = ["Network", "load", "networks", "results"]
