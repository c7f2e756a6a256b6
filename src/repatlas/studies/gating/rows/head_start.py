"""The head start of pathways of two contexts over pathways of one, in the theory of the race."""

import numpy as np
import pandas as pd

from repatlas.dynamics.logistic import effective_initial
from repatlas.studies.gating.rows.curves import NETWORK
from repatlas.studies.gating.rows.tasks import number_row

LEARNED = 0.9
"""The end of the common phase: where the common pathway has this part of its final strength."""
UNITS = 100
FINAL = float(np.sqrt(7) * np.sqrt(4 / 3))
"""The final strength of the first split of the tree in the common pathway, for C = 3 contexts.

The singular value of this split in the tree is sqrt(7). The common pathway ends at the best
linear map for all C + 1 blocks of targets, each with structure H, in C contexts. Its strength is
sqrt((C + 1) / C) times the singular value (`dynamics.symmetric.common_asymptote`).
"""


def head_start_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the head start for each scale of initial weights, and its slope against ln pi_0.

    It is the logarithm of the strength of two contexts divided by the strength of one. Strengths
    are along the first split of the tree, at the end of the common phase. `x` is ln pi_0.
    """
    found = rows[(rows["measure"] == "mode_strength") & (rows["neuron"] == 1)]
    points = []
    for _, of_run in found.groupby("run"):
        wide = of_run.pivot_table(index="step", columns="variant", values="value")
        common = wide["common"].to_numpy()
        reached = np.flatnonzero(common >= LEARNED * FINAL)
        if not len(reached) or not reached[0]:
            continue
        i = reached[0]
        part = (LEARNED * FINAL - common[i - 1]) / (common[i] - common[i - 1])
        mean = {
            size: wide[[n for n in wide if n != "common" and len(n) == size]].mean(axis=1)
            for size in (1, 2)
        }
        log_ratio = np.log(mean[2] / mean[1]).to_numpy()
        about = of_run.iloc[0]
        points.append(
            about[NETWORK].to_dict()
            | {
                "seed": 0,
                "measure": "head_start",
                "variant": "",
                "x": float(np.log(effective_initial(UNITS, about["sigma"]))),
                "value": float(log_ratio[i - 1] + part * (log_ratio[i] - log_ratio[i - 1])),
            }
        )
    parts = [pd.DataFrame(points)]
    if len(points) > 1:
        slope = np.polyfit([p["x"] for p in points], [p["value"] for p in points], 1)[0]
        parts.append(number_row("head_start_slope", slope))
    return pd.concat(parts)
