"""Figure 3: the task and its network, of the task with a tree, a ring and crosses."""

import pandas as pd

from repatlas.studies.gating.rows.tasks import HETEROGENEOUS, item_rows, pathway_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    return pd.concat([item_rows(HETEROGENEOUS), pathway_rows(HETEROGENEOUS)], ignore_index=True)
