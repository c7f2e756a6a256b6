"""How much of the score of each class is there at each layer (Raghu et al. 2017, section 4.3)."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from repatlas.representation import Decoders, OnImages, Row
from repatlas.similarity import multiple_correlations

OF = "checkpoint"


def rows(seen: OnImages, settings: Decoders) -> Iterator[Row]:
    """Yield two correlations of logits.

    "class_correlation", for each layer and class: the logit of the class is predicted from the
    layer by least squares, fitted on the training images. The value is its correlation R with this
    prediction over the test images. On the training images any wide layer would have R near 1.

    "logit_correlation", for two classes: the correlation of their logits over the training images,
    which says how similar the classes are to the network.

    The value is nan where all images have the same logit, and, with the reason, at a layer with
    more features than training images.
    """
    fitted, scored = seen.layers_of_items("train"), seen.layers_of_items("test")
    logits, held_out = seen.logits("train"), seen.logits("test")
    for layer, other in zip(fitted[:-2], scored[:-2], strict=True):
        found, reason = np.full(logits.shape[1], np.nan), None
        try:
            found = multiple_correlations(layer.rows, logits, (other.rows, held_out))
        except ValueError as error:
            reason = str(error)
        for label, value in enumerate(found):
            of_class = Row("class_correlation", "test", float(value), layer.number, cluster=label)
            yield of_class._replace(reason=reason)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations = np.corrcoef(logits, rowvar=False)
    for a, b in combinations(range(len(correlations)), 2):
        value = float(correlations[a, b])
        yield Row("logit_correlation", "training", value, cluster=a, other_cluster=b)
