"""Figure 2: separability."""

import pandas as pd

from repatlas.inference.contrasts import tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import (
    GROUP,
    accuracy_rows,
    at_step,
    effect_rows,
    panel_rows,
)
from repatlas.studies.structure.rows.patterns import pattern_rows
from repatlas.studies.structure.rows.sign_changes import sign_change_rows, threshold_rows
from repatlas.studies.structure.rows.trajectories import trajectory_rows
from repatlas.studies.structure.rows.weights import energy_rows, expected_rows, weight_rows

TOGETHER = ["measure", "noise_variance"]
WITH_BIAS = "hidden bias"
"""The variant of rows about networks with hidden biases."""


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    trajectories = rows["trajectories"]
    parts = [
        panel_rows(at_step(rows["sweep"], step)),
        trajectory_rows(trajectories),
        pattern_rows(trajectories),
        weight_rows(trajectories),
        accuracy_rows(trajectories),
    ]
    if "linear" in rows:
        parts += [weight_rows(rows["linear"]), expected_rows(rows["linear"])]
    if "biased" in rows:
        # The sweep has the same networks, and its rows include their accuracy.
        parts.append(energy_rows(rows["biased"]).assign(variant=WITH_BIAS))
    return pd.concat(parts, ignore_index=True)


def over_networks(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([effect_rows(rows, "delta"), *_crossing_rows(rows)], ignore_index=True)


def _crossing_rows(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the least delta at which tanh networks have the higher target alignment, and the least
    delta at which each activation has a high one."""
    alignment = not_diverged(rows[rows["measure"] == "target_alignment"])
    differences = tanh_minus_relu(alignment, [*GROUP, "delta"])
    return [
        sign_change_rows(differences, GROUP, "delta"),
        threshold_rows(alignment, ["activation", *GROUP], "delta"),
    ]
