"""Figure S2: where the theory breaks."""

import numpy as np
import pandas as pd

from repatlas.dynamics.recruitment import flow_losses
from repatlas.experiments.items.networks.gated import Gated
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.studies.gating.rows.curves import agreement_rows, losses, reference_rows, thinned

RATE = 1e-3


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, fits = rows["relu"], rows.get("fits", rows["relu"][:0])
    theory = theory_rows(relu, fits)
    same = ("blocks", "width", "sigma")
    return pd.concat(
        [
            thinned(relu),
            thinned(theory) if len(theory) else theory,
            reference_rows(relu),
            agreement_rows(theory, relu, "relu", same) if len(theory) else theory,
            kappas(fits),
        ],
        ignore_index=True,
    )


def kappas(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the fitted recruitment of three contexts."""
    found = fits[(fits["measure"] == "kappa") & (fits["contexts"] == 3)]
    return found[found["step"] == found["step"].max()]


def theory_rows(relu: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """Return the losses of the mean field for each width and scale of initial weights.

    The recruitment was fitted to one of them.
    """
    parts = []
    found = kappas(fits)
    for (blocks, width, sigma), group in losses(relu).groupby(["blocks", "width", "sigma"]):
        fitted = found[found["blocks"] == blocks].set_index("variant")["value"]
        if not len(fitted):
            continue
        task = Contexts(kind="contexts", blocks=blocks)
        items, gates = task.draw(), Gated(kind="gated").gates(task)
        kappa = (float(fitted["common"]), float(fitted["context"]))
        epochs = int(group["step"].max()) + 1
        with np.errstate(over="ignore", invalid="ignore"):
            curve = flow_losses(
                kappa, gates.seen(items), gates.masks, items.targets, width, sigma, RATE, epochs
            )
        about = group.iloc[0].to_dict() | {
            "run": f"mean field of {blocks}, {width} units, {sigma:g}",
            "network": "recruited",
            "pathways": "all_but_one",
            "gradient": "joint",
            "depth": None,
            "initial": None,
            "seed": 0,
        }
        of_curve = pd.DataFrame({"step": np.arange(epochs), "value": curve})
        parts.append(of_curve.assign(**{k: v for k, v in about.items() if k not in of_curve}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
