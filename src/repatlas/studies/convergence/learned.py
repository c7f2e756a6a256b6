"""Which networks on images have learned what they were shown, in a multiverse."""

import pandas as pd

from repatlas.studies.convergence.rows.networks import accuracies, have_learned

MEASURES = {"accuracy"}
"""The rows of tables from which this follows."""
COLUMNS = ["variant", "contrast", "data_set", "frozen"]
"""The columns of these rows that it needs."""
KNOWN_BY_ALL = False
"""A table has the accuracy of its networks, at its last step."""


def learned(rows: pd.DataFrame) -> pd.Series:
    """Return True for each network that has learned, by run and seed.

    It has learned if its training accuracy at the end reaches the limit of its data set, below
    which tables leave networks out. Frozen layers may cost accuracy, and this is what Figure C5
    shows. So a network with frozen layers counts if the one without them, of the same seed, has
    learned. Tables leave out the latter if it has not.
    """
    ends = accuracies(rows[rows["contrast"].isna()])
    free = ends["frozen"].isna() | (ends["frozen"] == "none")
    enough = have_learned(ends)
    found = enough.where(free, ends["seed"].isin(ends.loc[free & enough, "seed"]))
    return found.groupby([ends["run"], ends["seed"]]).all()
