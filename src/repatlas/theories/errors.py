"""How far predictions are from a network, as rows."""

from collections.abc import Iterator

import numpy as np

from repatlas.representation import Row
from repatlas.theories.prediction import Prediction

THEORIES = (
    *("lazy kernel", "kernel of the start", "gradient field", "frozen gates"),
    *("closed form", "free features"),
)
"""The names of all theories, in the order in which they are shown."""


def error(predicted: np.ndarray, actual: np.ndarray) -> float:
    """Return the mean difference where there is a prediction.

    >>> error(np.array([np.nan, 0.5]), np.array([0.2, 0.75]))
    0.25
    """
    return float(np.nanmean(np.abs(predicted - actual)))


def rows_of(
    epochs: np.ndarray, steps: list[int], actual: Prediction, predicted: dict[str, Prediction]
) -> Iterator[tuple[int, Row]]:
    """Yield epoch and row: of the network, and the error of each theory at the last checkpoint.

    epochs: of the losses; steps: of the checkpoints.
    """
    assert actual.losses is not None and actual.alignment is not None
    for epoch, value in zip(epochs, actual.losses, strict=True):
        yield int(epoch), Row("relative_loss", "network", float(value))
    for step, value in zip(steps, actual.alignment, strict=True):
        yield int(step), Row("target_alignment", "network", float(value))
    for theory, of in predicted.items():
        if of.losses is not None:
            yield steps[-1], Row("loss_error", theory, error(of.losses, actual.losses))
        if of.alignment is not None:
            yield steps[-1], Row("alignment_error", theory, error(of.alignment, actual.alignment))
