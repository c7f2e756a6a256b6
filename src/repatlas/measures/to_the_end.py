"""How similar the layers of a network are, during training, to its layers at the end of training
(Raghu et al. 2017, section 4.1: learning dynamics)."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from repatlas.geometry import kernel_alignment
from repatlas.representation import Decoders, Row, RunOnImages
from repatlas.similarity import Overlap, ThinSVD, noise_floor, thin_svd

OF = "run"
DIRECTIONS = 8
"""The number of directions of SVCCA with a fixed number, so that a trend cannot be a trend of this
number."""


INPUT = 0
"""The number of the input, which is not a layer of the network."""


def _alignment(both: Overlap) -> float:
    x, y = both.x, both.y
    return kernel_alignment(x.left * x.values, y.left * y.values, debiased=True)


BETWEEN_LAYERS: dict[str, Callable[[Overlap], float]] = {
    "pwcca_to_end": lambda both: both.pwcca("both"),
    "svcca_to_end": lambda both: both.svcca().similarity,
}
SIMILARITIES = BETWEEN_LAYERS | {
    "svcca_8_to_end": lambda both: both.svcca("directions", DIRECTIONS).similarity,
    "alignment_to_end": _alignment,
}


def rows(seen: RunOnImages, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield a step and a row, for each checkpoint, layer `layer` at this checkpoint, and layer
    `neuron` at the last checkpoint, over the same images. The variant is the set of images.

    "pwcca_to_end", weighted from both sides, and "svcca_to_end", with the directions with 99 % of
    the variance, are for all pairs of layers. "svcca_8_to_end", with 8 directions, and
    "alignment_to_end", debiased kernel alignment, are for a layer and itself. "kept_directions" is
    the number of directions that "svcca_to_end" keeps of the layer at this checkpoint; all others
    are similarities.

    At the first checkpoint each similarity has its noise floor: of a layer and itself with the
    images of one side in random order (mean of 20 draws). Its variant ends with " floor". The input
    has none, since it is the same at all checkpoints.

    There is no value, but a reason, where there are too few images for the features, as with
    perceptrons on a part of CIFAR-10. Checkpoints that are not finite yield nothing, and so does a
    network whose last checkpoint is not finite.
    """
    first, *_ = seen.checkpoints
    *_, end = seen.checkpoints.values()
    if not end.finite:
        return
    items = end.usual_items
    last = {layer.number: thin_svd(layer.rows) for layer in end.layers_of_items(items)}
    # The input is the same at each checkpoint, and for photographs it is by far the widest layer.
    of_input: list[Row] = []
    for step, checkpoint in seen.checkpoints.items():
        if not checkpoint.finite:
            continue
        for layer in checkpoint.layers_of_items(items):
            if layer.number == INPUT and of_input:
                yield from ((step, row) for row in of_input)
                continue
            then = last[INPUT] if layer.number == INPUT else thin_svd(layer.rows)
            found = list(_layer_rows(layer.number, then, last, items))
            yield from ((step, row) for row in found)
            if layer.number == INPUT:
                of_input = found
            elif step == first:
                yield from ((step, row) for row in _floors(layer.number, then, last, items))


def _layer_rows(number: int, then: ThinSVD, last: dict[int, ThinSVD], items: str) -> Iterator[Row]:
    """Yield the similarities of a layer at a checkpoint with all layers at the end."""
    for other, final in last.items():
        both = Overlap(then, final)
        for name, similarity in (SIMILARITIES if other == number else BETWEEN_LAYERS).items():
            yield _row(name, items, number, other, partial(similarity, both))
    itself = Overlap(then, last[number])
    yield _row("kept_directions", items, number, number, lambda: float(itself.svcca().kept[0]))


def _floors(number: int, then: ThinSVD, last: dict[int, ThinSVD], items: str) -> Iterator[Row]:
    """Yield the noise floor of each similarity of a layer with itself at the end."""
    for name, similarity in SIMILARITIES.items():
        value = partial(_floor, similarity, then, last[number])
        yield _row(name, f"{items} floor", number, number, value)


def _floor(similarity: Callable[[Overlap], float], x: ThinSVD, y: ThinSVD) -> float:
    return noise_floor(lambda a, b: similarity(Overlap(a, b)), x, y).mean


def _row(name: str, variant: str, number: int, other: int, value: Callable[[], float]) -> Row:
    """Return the row with a value; or, where it is refused for these images, with the reason."""
    try:
        found, reason = value(), None
    except ValueError as error:
        found, reason = np.nan, str(error)
    return Row(name, variant, found, number, neuron=other, reason=reason)
