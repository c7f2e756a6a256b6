"""Stored networks and results as data, from a notebook.

`networks` returns a table of all networks that a run has stored. `load` returns some of them, with
weights, data and activity as numpy arrays. `results` returns a table of everything that was
measured. All three read files of a folder of results, and change none. `look_up` finds the stored
networks whose geometry is nearest to a representation of your own. `write_page` writes a page for a
browser.
"""

from repatlas.atlas.loaded import Network, load
from repatlas.atlas.lookup import LookedUp, look_up
from repatlas.atlas.page import write_page
from repatlas.atlas.table import networks, results

__all__ = [
    "LookedUp",
    "Network",
    "load",
    "look_up",
    "networks",
    "results",
    "write_page",
]
