"""Tasks: a few clusters of inputs with binary labels, one family of tasks per module.

A family is a frozen record of its parameters with one method, `draw(seed)`. To add one, write its
module and name its class in `AnyTask`.
"""

from typing import Annotated

from pydantic import Field

from repgeom.tasks.aligned import Aligned
from repgeom.tasks.arrays import TaskArrays
from repgeom.tasks.separable import Separable
from repgeom.tasks.unstructured import Unstructured

FAMILIES = (Unstructured, Separable, Aligned)
AnyTask = Annotated[Unstructured | Separable | Aligned, Field(discriminator="kind")]

__all__ = ["FAMILIES", "Aligned", "AnyTask", "Separable", "TaskArrays", "Unstructured"]
