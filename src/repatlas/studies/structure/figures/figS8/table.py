"""Figure S8: effective weights of deep networks."""

import pandas as pd

from repatlas.studies.structure.rows.effective import drawn_rows, effective_rows
from repatlas.studies.structure.rows.panels import accuracy_rows


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    deep = rows["deep"]
    parts = [effective_rows(deep), drawn_rows(deep), accuracy_rows(deep)]
    return pd.concat(parts, ignore_index=True)
