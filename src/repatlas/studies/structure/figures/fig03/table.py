"""Figure 3: separability and training noise."""

import pandas as pd

from repatlas.studies.structure.rows.panels import at_step, effect_rows, panel_rows

TOGETHER = ["measure", "delta", "noise_variance"]


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    return panel_rows(at_step(rows["sweep"], step))


def over_networks(rows: pd.DataFrame) -> pd.DataFrame:
    return effect_rows(rows, "delta")
