"""The centred kernel of the last layer, for means of kernels over networks."""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry import centred_kernel
from repatlas.representation import Decoders, OnClusters, Row

OF = "checkpoint"


def rows(seen: OnClusters, settings: Decoders) -> Iterator[Row]:
    """Yield the centred kernel of the last hidden layer at the centres, above and on its diagonal,
    and the targets: for means of kernels over networks."""
    values = centred_kernel(seen.layers[-1])
    for pair in zip(*np.triu_indices(len(values)), strict=True):
        one, other = map(int, pair)
        yield Row("kernel", "centres", values[one, other], cluster=one, other_cluster=other)
    for target, labels in enumerate(seen.targets.T):
        for cluster, label in enumerate(labels):
            yield Row("label", f"target {target}", label, cluster=cluster)
