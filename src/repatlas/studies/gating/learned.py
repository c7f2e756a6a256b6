"""Which networks on a few items have learned their task, in a multiverse."""

import pandas as pd

from repatlas.claims.claims_file import LEARNED
from repatlas.studies.gating.rows.curves import THEORIES

MEASURES = {"loss"}
"""The rows of tables from which this follows."""
COLUMNS = ["network", "variant"]
"""The columns of these rows that it needs."""
KNOWN_BY_ALL = True
"""Tables without loss curves, too, are about networks whose curves are in other tables of a
setting."""


def learned(rows: pd.DataFrame) -> pd.Series:
    """Return True for each network that has learned, by run and seed.

    The loss is half a sum of squares, and starts at the loss without any output. A network has
    learned if its last loss is at most 1 - 0.95 of its first one: it explains 95 % of the targets.
    """
    trained = rows[(rows["variant"] == "") & ~rows["network"].isin(THEORIES)]
    of_network = trained.sort_values("step").groupby(["run", "seed"])["value"]
    return of_network.last() <= (1 - LEARNED) * of_network.first()
