"""How well units are predicted from units of another network, for disjoint pairs; both directions
are averaged."""

from typing import get_args

import numpy as np
import pandas as pd

from repatlas.similarity.prediction import OF_THE_MEAN, CodeClass
from repatlas.studies.convergence.rows.similarities import (
    PAIR,
    PLACE,
    both_directions,
    is_floor,
    over_pairs,
    seed_rows,
    with_settings_of,
)

CURVES = ["training_loss", "held_out_loss", "nonzeros"]
"""Functions of the penalty."""
OF_PAIR = [*PLACE, *PAIR, "step"]
CLASSES = [name for name in get_args(CodeClass) if name != "dead"]
DECAYS = (0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
SLIDES = {
    1: (0.170, 0.169, 0.162, 0.172, 0.484, 0.517),
    2: (0.372, 0.368, 0.337, 0.392, 0.518, 0.514),
    3: (0.434, 0.427, 0.383, 0.462, 0.497, 0.496),
    4: (0.478, 0.470, 0.423, 0.477, 0.489, 0.488),
    5: (0.484, 0.478, 0.439, 0.436, 0.478, 0.477),
}
"""The validation losses that the talk prints for conv1 to conv5 of CaffeNet, at each decay."""


def curves(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return losses and numbers of weights at each penalty, as means over pairs. Only held-out
    losses have floors."""
    found = both_directions(_positions(pairs))
    shown = found["measure"].isin(CURVES)
    floor = found["variant"] != ""
    found = found[shown & (~floor | (found["measure"] == "held_out_loss"))]
    found = over_pairs(found.assign(variant=found["variant"].str.strip()))
    return with_settings_of(pairs, found)


def summaries(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of a layer, of each pair and as means over pairs, before and after
    training:

    dense_loss, L0, and one_to_one_loss, L1: held-out losses.
    one_to_one_excess: (L1 - L0) / (0.5 - L0), nan if least squares explains nothing.
    predictors_share: the units that a layer needs, divided by the number of its units.
    code_class: the share of units of each class.
    chosen_penalty_gain: L0 minus the held-out loss at the penalty that is best for the pair's other
    direction.
    """
    own = _positions(pairs)
    own = own[~is_floor(own)]
    if own.empty:
        return own
    both = both_directions(own)
    dense = _named(both[(both["measure"] == "held_out_loss") & (both["at"] == 0)], "dense_loss")
    alone = both[both["measure"] == "one_to_one_loss"]
    wide = dense.merge(alone[[*OF_PAIR, "value"]], on=OF_PAIR, suffixes=("", "_alone"))
    explained = OF_THE_MEAN - wide["value"]
    excess = (wide["value_alone"] - wide["value"]) / explained.where(explained > 0)
    excess = wide.drop(columns="value_alone").assign(value=excess, measure="one_to_one_excess")
    needed = own[own["measure"] == "predictors"]
    units = needed["h_a"].where(needed["variant"] == "a to b", needed["h_b"]).astype(float)
    share = _named(
        both_directions(needed.assign(value=needed["value"] / units)), "predictors_share"
    )
    classes = both[(both["measure"] == "code_class") & both["variant"].isin(CLASSES)]
    parts = [dense, alone, excess, share, classes, chosen_penalty_gain(own)]
    rows = pd.concat([part.assign(at=np.nan) for part in parts], ignore_index=True)
    return with_settings_of(own, _both(rows))


def chosen_penalty_gain(own: pd.DataFrame) -> pd.DataFrame:
    """Return the held-out loss of least squares minus the held-out loss at a chosen penalty.

    The penalty predicts the other direction of the pair best, so it isn't chosen by what it is
    judged by.
    """
    losses = own[own["measure"] == "held_out_loss"].dropna(subset="at")
    other = {"a to b": "b to a", "b to a": "a to b"}
    least = losses.groupby([*OF_PAIR, "variant"], dropna=False)["value"].idxmin()
    best = losses.loc[least, [*OF_PAIR, "variant", "at"]]
    best = best.assign(variant=best["variant"].map(other))
    at_best = losses.merge(best, on=[*OF_PAIR, "variant", "at"])
    dense = losses[losses["at"] == 0][[*OF_PAIR, "variant", "value"]]
    both = at_best.merge(dense, on=[*OF_PAIR, "variant"], suffixes=("", "_dense"))
    gain = both.drop(columns="value_dense").assign(value=both["value_dense"] - both["value"])
    return _named(both_directions(gain.assign(at=np.nan)), "chosen_penalty_gain")


def published_rows(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return losses by the published procedure and by its optimum at each decay.

    There are values of each pair, and means over pairs.
    """
    if pairs.empty:
        return pairs
    found = both_directions(_positions(pairs))
    return with_settings_of(pairs, _both(found))


def slide_rows() -> pd.DataFrame:
    """Return the losses that the talk prints, which belong to no network here."""
    return pd.DataFrame(
        [
            {"measure": "slide_loss", "variant": f"conv{layer}", "layer": layer, "at": decay}
            | {"value": value}
            for layer, values in SLIDES.items()
            for decay, value in zip(DECAYS, values, strict=True)
        ]
    )


def _both(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means over pairs, and the value of each pair."""
    return pd.concat([over_pairs(rows), seed_rows(rows)], ignore_index=True)


def _positions(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows, for convolutions only the rows whose items are positions."""
    return pairs[pairs["reduction"].isin(["", "spatial"])]


def _named(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    return rows.assign(measure=measure)
