"""Tasks of separability delta that networks of several seeds learn, to be compared with another."""

from typing import Literal

from pydantic import Field

from repatlas.experiments.clusters.arrays import TaskArrays
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.record import LARGEST_WHOLE


class CommonSeparable(Separable):
    """The task of kind `separable`, but drawn without the network's seed.

    There a seed draws the task, too: networks of different seeds live in different input spaces,
    and their activity cannot be compared item by item. Here they differ in their start, in the
    noise and in the order of batches alone.
    """

    kind: Literal["common_separable"]
    frame: int = Field(0, ge=0, le=LARGEST_WHOLE)
    """Number of the random draw of the frame, the same for all seeds. Number n is the task that
    networks of seed n have in kind `separable`."""

    @property
    def geometry(self) -> int:
        """The number of what all seeds have in common, under the name that kind `aligned` has for
        it."""
        return self.frame

    def draw(self, seed: int) -> TaskArrays:
        """Return the geometry, whatever the seed."""
        return super().draw(self.geometry)
