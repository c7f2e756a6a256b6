"""How similar the layers of a network are, on the way, to those at the end of its training (Raghu
et al. 2017, section 4.1: learning dynamics)."""

from collections.abc import Callable, Iterator
from typing import Any

from repatlas.geometry import kernel_alignment
from repatlas.representation import Decoders, Row
from repatlas.similarity import ThinSVD, noise_floor, pwcca, svcca, thin_svd

OF = "run"
NEEDS = ("whole",)
DIRECTIONS = 8
"""Of SVCCA with a fixed number of them, so that no trend is one of their number."""


def _alignment(x: ThinSVD, y: ThinSVD) -> float:
    return kernel_alignment(x.left * x.values, y.left * y.values, debiased=True)


BETWEEN_LAYERS: dict[str, Callable[[ThinSVD, ThinSVD], float]] = {
    "pwcca_to_end": lambda x, y: pwcca(x, y, "both"),
    "svcca_to_end": lambda x, y: svcca(x, y).similarity,
}
SIMILARITIES = BETWEEN_LAYERS | {
    "svcca_8_to_end": lambda x, y: svcca(x, y, "directions", DIRECTIONS).similarity,
    "alignment_to_end": _alignment,
}


def rows(seen: Any, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Step and row, for each checkpoint, of the layer `layer` then and the layer `neuron` at the
    last checkpoint, over the same images; the variant is their set.

    "pwcca_to_end", weighted from both sides, and "svcca_to_end", of the directions with 99 % of the
    variance: of all pairs of layers. "svcca_8_to_end", of 8 directions, and "alignment_to_end",
    debiased kernel alignment: of a layer and itself. At the first checkpoint each has its noise
    floor, that of a layer and itself with the images of one side in random order (mean of 20
    draws): the variant ends with " floor". "kept_directions": how many "svcca_to_end" keeps of the
    layer then. All but the last are similarities. Nothing is said of checkpoints that are not
    finite, nor where the last one is not.
    """
    first, *_ = seen.checkpoints
    *_, end = seen.checkpoints.values()
    if not end.finite:
        return
    items = end.usual_items
    last = {layer.number: thin_svd(layer.rows) for layer in end.of_items(items)}
    for step, checkpoint in seen.checkpoints.items():
        if not checkpoint.finite:
            continue
        layers = checkpoint.of_items(items)
        found = [thin_svd(layer.rows) for layer in layers]
        for layer, then in zip(layers, found, strict=True):
            for number, final in last.items():
                named = {"layer": layer.number, "neuron": number}
                itself = number == layer.number
                for name, similarity in (SIMILARITIES if itself else BETWEEN_LAYERS).items():
                    yield step, Row(name, items, similarity(then, final), **named)
                    if itself and step == first:
                        floor = noise_floor(similarity, then, final).mean
                        yield step, Row(name, f"{items} floor", floor, **named)
                if itself:
                    kept = float(svcca(then, final).kept[0])
                    yield step, Row("kept_directions", items, kept, **named)
