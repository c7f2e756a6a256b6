"""What an experiment shows of its networks, to be compared with others. Experiments and measures of
pairs meet here alone.

It is not part of repatlas.representation: what measures of single networks say rests on that, and
must not be measured again when more of a network is compared.
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
        """data: the file that the networks of this seed were trained on."""

    def sets(self, spec: Any) -> tuple[str, ...]:
        """The names of the sets of items: ("train", "test", "all"), say."""

    def layers(self, spec: Any, parameters: dict[str, np.ndarray], items: str) -> list[Layer]:
        """The layers of a network for a set of items, in order of depth, each reduction after the
        other. parameters: those that are stored at one step."""

    # For `directions`, which changes a layer's activity; an experiment may do without.

    def logits_from(
        self, spec: Any, parameters: dict[str, np.ndarray], number: int, activity: np.ndarray
    ) -> np.ndarray:
        """(m, K): the logits that the rest of the network makes of activity, (m, n), in the place
        of that of layer `number`. Raises ValueError for a layer from which it cannot go on."""

    def labels(self, spec: Any, items: str) -> np.ndarray:
        """(m,): the class of each item of a set."""
