"""What an experiment shows of its networks for comparisons. This is the only interface between
experiments and measures of pairs.

It is separate from repatlas.representation, on which the measures of single networks depend: they
must not be measured again when comparisons need more of a network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from repatlas.networks.layer import Layer

if TYPE_CHECKING:  # it loads pyarrow, and this is imported to read a config
    from repatlas.artifacts.files import Arrays


class Compared(Protocol):
    """The networks of one seed: the class `Compared` in the module `compared` of an experiment. Row
    i of a set of items is the same item in all networks that are compared."""

    def __init__(self, data: Arrays, seed: int) -> None:
        """Open the data. data: the file that the networks of this seed were trained on."""

    def sets(self, spec: Any) -> tuple[str, ...]:
        """Return the names of the sets of items, for example ("train", "test", "all")."""

    def layers(self, spec: Any, parameters: dict[str, np.ndarray], items: str) -> list[Layer]:
        """Return the layers of a network for a set of items, in order of depth, each reduction
        after the other. parameters: the parameters that are stored at one step."""

    # For `directions`, which changes a layer's activity; an experiment may do without.

    def logits_from(
        self, spec: Any, parameters: dict[str, np.ndarray], number: int, activity: np.ndarray
    ) -> np.ndarray:
        """Return (m, K): the logits that the rest of the network computes if layer `number` has
        this activity, (m, n). Raises ValueError for a layer from which the network cannot
        continue."""

    def labels(self, spec: Any, items: str) -> np.ndarray:
        """Return (m,): the class of each item of a set."""
