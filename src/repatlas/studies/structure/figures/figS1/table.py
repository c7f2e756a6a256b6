"""Figure S1: other distributions of inputs."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.intervals import ratio_interval
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import GROUP, panel_rows

INPUTS = ["distribution", "centred"]
REFERENCE = ("normal", True)
"""Distribution and centring of Figure 1."""
FRACTION = f"{TANH_RELU}, over that of Figure 1"
TRAINING = "after - before training"


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return the measures of every network before and after training, and what training changes.

    The effect of the activation is there for each kind of inputs, and as a fraction of the effect
    for the inputs of Figure 1.
    """
    inputs = rows["inputs"]
    shown = panel_rows(inputs[inputs["step"].isin([0, step])])
    by = [*GROUP, *INPUTS]
    effects = tanh_minus_relu(not_diverged(shown), by)
    last = not_diverged(shown[shown["step"] == step])
    # The rows of a change in training have no step.
    before = not_diverged(shown[shown["step"] == 0])
    without_step = [name for name in (*by, "activation") if name != "step"]
    changes = contrast_rows(last, before, TRAINING, without_step)
    fractions = _fractions(effects[effects["step"] == step])
    return pd.concat(
        [shown, median_rows(effects, by).assign(contrast=TANH_RELU), fractions, changes],
        ignore_index=True,
    )


def _fractions(effects: pd.DataFrame) -> pd.DataFrame:
    """Return each effect divided by the effect of the reference, for the same seeds."""
    is_reference = (effects["distribution"] == REFERENCE[0]) & (effects["centred"] == REFERENCE[1])
    reference = effects[is_reference].drop(columns=INPUTS)
    pairs = effects[~is_reference].merge(reference, on=[*GROUP, "seed"], suffixes=("", "_of"))
    by, rows = [*GROUP, *INPUTS], []
    for values, group in pairs.groupby(by, dropna=False):
        ratio = ratio_interval(group["value"].to_numpy(), group["value_of"].to_numpy())
        rows.append(dict(zip(by, values, strict=True)) | {"contrast": FRACTION} | ratio._asdict())
    return pd.DataFrame(rows, columns=[*by, "contrast", "value", "low", "high"])
