"""How well, and from how many units, the units of one network are predicted from the units of
another. (Li et al. 2016, section 3.3; repatlas.similarity.prediction defines losses and
classes.)"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import get_args

import numpy as np

from repatlas import similarity
from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity.prediction import CodeClass

ON = "train"
"""The items that the map is fitted on. It is scored on the set "test"."""
DRAWS = 1
"""The noise floor is the prediction of units whose items were permuted: 0.5 or more."""


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield numbers for the prediction of the units of b from a ("a to b"), and of a from b ("b to
    a").

    At each penalty, `at`: "training_loss" and "held_out_loss", the mean over living units, and
    "nonzeros", the mean number of weights. "one_to_one_loss": the held-out loss from the most
    correlated unit alone. "dead_units": their number. "code_class", with the class after the
    direction ("a to b, local"): the share of the living units. "layer_code_class": 1 for the class
    of the layer as a whole, 0 for others. "predictors": the mean number of units that the layer
    needs.
    """
    both = (("a to b", x, y), ("b to a", y, x))
    held_out = {"a to b": (x.on("test").rows, y.on("test").rows)}
    held_out["b to a"] = held_out["a to b"][::-1]
    for direction, one, other in both:
        try:
            found = similarity.sparse_prediction(one.rows, other.rows, held_out[direction])
        except ValueError as error:  # for example least squares from more units than items
            reason = str(error)
            yield Row("held_out_loss", direction, np.nan, similarity=False, reason=reason)
            continue
        classes = similarity.code_classes(found)
        living = ~found.dead_targets
        if not living.any():
            reason = "all units are dead"
            yield Row("held_out_loss", direction, np.nan, similarity=False, reason=reason)
            continue

        row = partial(_row, direction)
        for place, penalty in enumerate(found.penalties.tolist()):
            yield row("training_loss", found.training[place, living].mean(), at=penalty)
            yield row("held_out_loss", found.held_out[place, living].mean(), at=penalty)
            yield row("nonzeros", found.nonzeros[place, living].mean(), at=penalty)
        yield row("one_to_one_loss", found.one_to_one[living].mean())
        yield row("dead_units", np.count_nonzero(found.dead_targets))
        yield row("predictors", classes.layer_predictors)
        for name in get_args(CodeClass):
            if name != "dead":
                yield row("code_class", np.mean(classes.units[living] == name), f", {name}")
            yield row("layer_code_class", classes.layer == name, f", {name}")


def _row(
    direction: str, measure: str, value: float, more: str = "", at: float | None = None
) -> Row:
    return Row(measure, f"{direction}{more}", float(value), at=at, similarity=False)
