"""Figure S6: the geometry of representations, XoR."""

import numpy as np
import pandas as pd

from repatlas.dynamics.xor import input_alignment, target_alignment
from repatlas.studies.gating.rows.geometry import at_levels, diverged, not_reached

LEVEL = "0.01"
"""Networks are compared when their loss is first below this part of |Y|^2 / 2."""
POINTS = 61


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    both = pd.concat([rows["relu"], rows["tanh"]])
    matched = at_levels(both)
    shown = matched[matched["variant"] == LEVEL]
    reached = not_reached(both)
    last = both["delta"].max()
    parts = [shown, reached[reached["variant"] == LEVEL], diverged(both), closed_forms(last)]
    return pd.concat(parts, ignore_index=True)


def closed_forms(last: float) -> pd.DataFrame:
    """Return the alignment of two pathways and of four, over delta."""
    delta = np.linspace(0, last, POINTS)
    parts = []
    for pathways in (2, 4):
        values = {
            "target_alignment": np.full(POINTS, target_alignment(pathways)),
            "input_alignment": input_alignment(delta, pathways),
        }
        parts += [
            pd.DataFrame({"delta": delta, "value": curve}).assign(
                measure=f"{name} in closed form", variant=f"{pathways} pathways", task="xor"
            )
            for name, curve in values.items()
        ]
    return pd.concat(parts)
