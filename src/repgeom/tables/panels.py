"""The rows of the six measures that several figures draw, and what tells about their tasks."""

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
DRAWN_VARIANT = r"centres|test|sigma_test=[^ ]+"
"""Robustness variants stay in the metrics."""
GROUP = ["noise_variance", "clusters", "targets", "depth", "step", "measure", "variant"]
"""What the rows of a contrast keep, beside what the sweeps differ in."""


def panel_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    drawn = metrics["variant"].str.fullmatch(DRAWN_VARIANT)
    lost = metrics["variant"] == "diverged"
    return metrics[(metrics["measure"].isin([*PANELS, *TOLD]) & drawn) | lost]


def whole(rows: pd.DataFrame) -> pd.DataFrame:
    """Of the networks that did not diverge, as figures have it."""
    return rows[rows["diverged_step"].isna()]
