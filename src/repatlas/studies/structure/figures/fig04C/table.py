"""Figure 4C: networks on images."""

import pandas as pd

from repatlas.studies.structure.rows.images import bar_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    return bar_rows(rows["images"])
