"""The rows of the six measures that several figures draw, and what tells about their tasks."""

import pandas as pd

from repatlas.figures.rows import ending_at
from repatlas.inference.contrasts import TANH_RELU, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged

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
DRAWN_VARIANTS = ("centres", "samples", "test")
"""Robustness variants stay in the metrics."""
GROUP = ["noise_variance", "clusters", "targets", "depth", "step", "measure", "variant"]
GROUP += ["deviation"]
"""Columns that the rows of a contrast keep, in addition to settings in which sweeps differ."""


def panel_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    drawn = metrics["variant"].isin(DRAWN_VARIANTS)
    lost = metrics["variant"] == "diverged"
    return metrics[(metrics["measure"].isin([*PANELS, *TOLD]) & drawn) | lost]


def accuracy_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that show whether each network has learned its task."""
    return metrics[metrics["measure"] == "accuracy"]


def effect_rows(shown: pd.DataFrame, *axes: str) -> pd.DataFrame:
    """Return the paired differences between tanh and ReLU in the six measures of these networks.

    They are medians over seeds with intervals, along the columns `axes`. Networks that diverged are
    left out.
    """
    by = [*GROUP, *axes]
    kept = not_diverged(shown[shown["measure"].isin(PANELS)])
    return median_rows(tanh_minus_relu(kept, by), by).assign(contrast=TANH_RELU)


def at_step(rows: pd.DataFrame, step: int) -> pd.DataFrame:
    """Return the rows at a step, as if networks were trained up to this step."""
    return ending_at(rows[rows["step"] == step], step)
