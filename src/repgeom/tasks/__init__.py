"""Tasks: a few clusters of inputs with binary labels, one family of tasks per module.

A family is a frozen record of its parameters with one method, `draw(seed)`. To add one, write its
module and name its class in `AnyTask`.
"""

from typing import Annotated

from pydantic import Field

from repgeom.tasks.arrays import TaskArrays
from repgeom.tasks.separable import Separable
from repgeom.tasks.unstructured import Unstructured

FAMILIES = (Unstructured, Separable)
AnyTask = Annotated[Unstructured | Separable, Field(discriminator="kind")]

__all__ = ["FAMILIES", "AnyTask", "Separable", "TaskArrays", "Unstructured"]
