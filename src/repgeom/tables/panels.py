"""The rows of the six measures that Figures 1B, 2B, 3 and 7B draw."""

import pandas as pd

PANELS = (
    "target_alignment",
    "input_alignment",
    "parallelism",
    "ccgp",
    "decoding_trained",
    "decoding_untrained",
)
DRAWN_VARIANT = r"centres|sigma_test=[\d.]+"
"""Robustness variants stay in the metrics."""


def panel_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    drawn = metrics["variant"].str.fullmatch(DRAWN_VARIANT)
    lost = metrics["variant"] == "diverged"
    return metrics[(metrics["measure"].isin(PANELS) & drawn) | lost]
