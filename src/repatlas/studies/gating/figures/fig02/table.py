"""Figure 2: XoR with a third input."""

import pandas as pd

from repatlas.dynamics.agreement import agreement
from repatlas.dynamics.xor import CROSSING, fit_initial, loss_curve
from repatlas.experiments.items.tasks.xor import Xor
from repatlas.studies.gating.rows.curves import VARIANTS, curves_of, thinned
from repatlas.studies.gating.rows.tasks import cells
from repatlas.studies.gating.rows.xor import RATE, last_units

EVERY = 4
"""Epochs between the points of curves; the steepest curves take tens of epochs."""
SHOWN = (0.0, CROSSING, 2.0)
"""The values of delta for which panel A shows the items."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    items = [
        cells(Xor(kind="xor", delta=delta).draw().inputs, "input", task="xor", delta=delta)
        for delta in SHOWN
    ]
    units = last_units(rows["transition"])
    return pd.concat(
        [*items, thinned(rows["losses"], EVERY), units, theory_rows(rows["losses"])],
        ignore_index=True,
    )


def theory_rows(losses: pd.DataFrame) -> pd.DataFrame:
    """Return the logistic of the faster pathways, four or two, for each delta.

    All networks of a delta have one fitted initial strength. The rows are the curve, this strength,
    and the agreement.
    """
    parts = []
    for about, seeds, epochs, curves in curves_of(losses):
        delta = float(about["delta"])
        pathways = 4 if delta < CROSSING else 2
        initial = fit_initial(curves, epochs, delta, pathways, RATE)
        theory = loss_curve(epochs, delta, pathways, initial, RATE)
        of_theory = {"task": "xor", "delta": delta, "variant": f"{pathways} pathways"}
        drawn = epochs % EVERY == 0
        parts.append(
            pd.DataFrame({"step": epochs[drawn], "value": theory[drawn]}).assign(
                measure="theory", **of_theory
            )
        )
        parts.append(pd.DataFrame([of_theory | {"measure": "initial", "value": initial}]))
        for seed, curve in zip(seeds, curves, strict=True):
            found = agreement(theory, curve, epochs)._asdict()
            common = about.to_dict() | {"seed": seed, "measure": "agreement"}
            common["reference"] = f"{pathways} pathways"
            parts.append(
                pd.DataFrame(
                    [
                        common | {"variant": VARIANTS[name], "value": float(value)}
                        for name, value in found.items()
                    ]
                )
            )
    return pd.concat(parts) if parts else pd.DataFrame()
