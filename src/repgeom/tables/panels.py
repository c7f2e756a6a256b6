"""The rows of the six measures that Figures 1B, 2B and 3 draw, and what tells about their tasks."""

import pandas as pd

PANELS = (
    "target_alignment",
    "input_alignment",
    "parallelism",
    "ccgp",
    "decoding_trained",
    "decoding_untrained",
)
TOLD = ("accuracy", "input_output_alignment")
"""Whether a network has learned its task, and how hard that is."""
DRAWN_VARIANT = r"centres|test|sigma_test=[\d.]+"
"""Robustness variants stay in the metrics."""


def panel_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    drawn = metrics["variant"].str.fullmatch(DRAWN_VARIANT)
    lost = metrics["variant"] == "diverged"
    return metrics[(metrics["measure"].isin([*PANELS, *TOLD]) & drawn) | lost]
