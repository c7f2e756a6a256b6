"""Which directions of a network's last hidden layer settle early, and which continue to change
(Morcos et al. 2018, section 2.2)."""

from collections.abc import Iterator

import numpy as np

from repatlas.representation import Decoders, Row, RunOnImages
from repatlas.similarity import (
    ThinSVD,
    canonical_correlations,
    canonical_variates,
    noise_floor,
    thin_svd,
)

OF = "run"
EARLY, HALFWAY = 0.05, 0.5
"""The parts of training between which variates are found: at the checkpoints that are closest."""
QUARTER = 4
"""The top or bottom part is one in this number of variates: those with the largest or smallest
correlations."""


def rows(seen: RunOnImages, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield a step and a row, for the last hidden layer. The variant says which set of images, or
    which part.

    "correlation_with_end": the canonical correlations of the layer at each checkpoint with itself
    at the last checkpoint, in descending order; `neuron` is their number. At the first checkpoint
    also their noise floor, the mean over all of them with the images of one side in random order
    (20 draws). Its variant ends with " floor".

    "part_correlation": the early layer, at 5 % of training, shares variates with itself at 50 % of
    training. For the "top" and the "bottom" quarter of these: the mean canonical correlation of
    this part with the layer at each later checkpoint. The checkpoint at 50 % is left out, since the
    parts were found there. At the last one also the noise floor.

    "accuracy_without_part": the accuracy on the test images, early, when the part is removed from
    the layer's activity z. W are the part's coefficients, z0 = z - mean, and X is the centred
    activity that it was found in. By projection, z becomes z - z0 Q Q^T, with Q an orthonormal
    basis of W; what other directions have in common with the part stays. In the variant ",
    regressed" z becomes z - z0 W W^T X^T X, which removes all that the variates predict by least
    squares.

    Checkpoints that are not finite yield nothing, and so does a network whose last checkpoint is
    not finite. If there are too few images for the features of the layer, there is a row without a
    value, with the reason.
    """
    steps = [step for step, checkpoint in seen.checkpoints.items() if checkpoint.finite]
    end = max(seen.checkpoints)
    if end not in steps:
        return
    items = seen.checkpoints[end].usual_items
    layers = {step: seen.checkpoints[step].layers_of_items(items)[-3] for step in steps}
    found = {step: thin_svd(layer.rows) for step, layer in layers.items()}
    number = layers[end].number
    try:
        correlations = {step: canonical_correlations(found[step], found[end]) for step in steps}
    except ValueError as error:
        yield end, Row("correlation_with_end", items, np.nan, number, reason=str(error))
        return
    for step, values in correlations.items():
        for place, value in enumerate(values):
            yield step, Row("correlation_with_end", items, float(value), number, neuron=place)
    floor = noise_floor(_mean, found[steps[0]], found[end]).mean
    yield steps[0], Row("correlation_with_end", f"{items} floor", floor, number)

    early, halfway = (min(steps, key=lambda s: abs(s - part * end)) for part in (EARLY, HALFWAY))
    if not early < halfway:
        return
    shared = canonical_variates(found[early], found[halfway])
    each = len(shared.correlations) // QUARTER
    if not each:
        return
    checkpoint = seen.checkpoints[early]
    mean = layers[early].rows.mean(axis=0)
    centred = layers[early].rows - mean
    tested = checkpoint.layers_of_items("test")[-3].rows - mean
    for part, chosen in (("top", slice(None, each)), ("bottom", slice(-each, None))):
        variates = thin_svd(shared.x[:, chosen])
        for step in steps:
            if step > early and step != halfway:
                yield step, Row("part_correlation", part, _mean(variates, found[step]), number)
        floor = noise_floor(_mean, variates, found[end]).mean
        yield end, Row("part_correlation", f"{part} floor", floor, number)
        w = shared.x_coefficients[:, chosen]
        q, _ = np.linalg.qr(w)
        # X W are the variates.
        predicted = tested @ w @ (shared.x[:, chosen].T @ centred)
        for variant, taken in ((part, tested @ q @ q.T), (f"{part}, regressed", predicted)):
            outputs = checkpoint.logits_from(number, mean + tested - taken)
            accuracy = checkpoint.accuracy(outputs, "test")
            yield early, Row("accuracy_without_part", variant, accuracy, number)


def _mean(x: ThinSVD, y: ThinSVD) -> float:
    return float(canonical_correlations(x, y).mean())
