"""Tasks: a few clusters of inputs with binary labels, one family of tasks per module.

A family is a frozen record of its parameters with one method, `draw(seed)`. To add one, write its
module and name its class in `AnyTask`.
"""

from typing import Annotated

from pydantic import Field

from repatlas.experiments.clusters.arrays import TaskArrays
from repatlas.experiments.clusters.tasks.aligned import Aligned
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.experiments.clusters.tasks.unstructured import Unstructured

FAMILIES = (Unstructured, Separable, Aligned)
AnyTask = Annotated[Unstructured | Separable | Aligned, Field(discriminator="kind")]

__all__ = ["FAMILIES", "Aligned", "AnyTask", "Separable", "TaskArrays", "Unstructured"]
