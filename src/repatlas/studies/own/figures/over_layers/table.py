"""Every measure against the layer."""

import pandas as pd

from repatlas.studies.own.roles import LAYER
from repatlas.studies.own.rows import along


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the values of each layer, and medians over units."""
    return along(rows["of"], dict.fromkeys(rows["of"]["representation"], LAYER))
