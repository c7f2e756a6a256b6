"""Figure S2: the paper's simplified dynamics, compared with standard training."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import GROUP, panel_rows

CONTRAST = "simplified - standard"
LARGEST = f"{CONTRAST}, largest"


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return the measures of every network and the effect of the activation in each training.

    The difference between the two trainings is there for each step, and the largest after step
    0.
    """
    simplified, standard = (panel_rows(rows[role]) for role in ("simplified", "standard"))
    by = [*GROUP, "activation"]
    differences = contrast_rows(not_diverged(simplified), not_diverged(standard), CONTRAST, by)
    kinds = [*GROUP, "readout", "errors"]
    effects = [
        median_rows(tanh_minus_relu(not_diverged(kind), kinds), kinds).assign(contrast=TANH_RELU)
        for kind in (simplified, standard)
    ]
    return pd.concat(
        [simplified, standard, *effects, differences, _largest(differences)], ignore_index=True
    )


def _largest(differences: pd.DataFrame) -> pd.DataFrame:
    """Return the row of the step with the largest median, for each measure and activation."""
    trained = differences[differences["step"] > 0].dropna(subset="value")
    kinds = [trained[name] for name in ("activation", "measure", "variant", "deviation")]
    sizes = trained["value"].abs().groupby(kinds, dropna=False)
    return trained.loc[sizes.idxmax()].assign(contrast=LARGEST)
