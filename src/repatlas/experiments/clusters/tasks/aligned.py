"""Random tasks with a chosen alignment of inputs and targets (Figures 4 to 6; paper, section 6)."""

from functools import cache
from typing import Literal

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from repatlas.experiments.clusters.arrays import Task, TaskArrays
from repatlas.experiments.clusters.kernels import (
    alignment_range,
    flat_kernel,
    inputs_from_kernel,
    kernel_between,
    maximal_kernel,
    maximal_range,
    random_flat_kernel,
    random_kernel,
    rounded_up,
    simplex_kernel,
)
from repatlas.experiments.clusters.targets import (
    independent_targets,
    label_kernel,
    orthogonal_targets,
    parity_inputs,
)
from repatlas.record import LARGEST_WHOLE, Number
from repatlas.streams import stream


class Aligned(Task):
    """P clusters with k balanced targets and C(K_X, K_Y) = c exactly; squared norm N on average.

    Unlike the tasks of other families, a geometry is not drawn for each seed: it is one of the
    grid's settings, and all seeds train on it.
    """

    kind: Literal["aligned"]
    inputs: int = Field(100, ge=3, le=100_000)
    """Input dimensions N, at least P - 1."""
    clusters: Literal[4, 8, 16, 32, 64] = 32
    """Clusters P."""
    targets: int = Field(1, ge=1, le=63)
    """Binary targets k, fewer than P."""
    target_labels: Literal["orthogonal", "independent"] = "orthogonal"
    """"orthogonal": columns of a Hadamard matrix; the first log2 P columns index the clusters.
    "independent": drawn one by one."""
    kernel: Literal["maximal", "random", "flat", "hypercube"] = "maximal"
    """"maximal": of all geometries with alignment c, the geometry of the largest dimensionality;
    for P - 1 orthogonal targets, where all are alike, the geometry between a cube and equidistant
    inputs. "random": of any dimensionality. "flat": equal variance in random dimensions orthogonal
    to the targets, as many as `rank`. "hypercube": log2 P bits, whose highest parities are the
    targets."""
    alignment: Number = Field(0.0, ge=0, le=1)
    """Input-output alignment c. With P - 1 targets it cannot be 0, with "flat" and "hypercube" it
    can only be 0."""
    rank: int = Field(0, ge=0, le=62)
    """Input dimensions of "flat", at most P - 1 - k; 0 for other kernels."""
    geometry: int = Field(0, ge=0, le=LARGEST_WHOLE)
    """Number of the random draw of targets, kernel and directions, the same for all seeds."""

    @model_validator(mode="after")
    def _is_possible(self):
        last, bits = self.clusters - 1, self.clusters.bit_length() - 1
        if self.targets > last:
            _refuse("targets", self.targets, f"1 to {last}, one less than clusters")
        if self.inputs < last:
            _refuse("inputs", self.inputs, f"at least {last}, one less than clusters")
        if self.kernel != "flat" and self.rank != 0:
            _refuse("rank", self.rank, f"0 with kernel {self.kernel!r}, only 'flat' has a rank")
        if self.kernel == "flat" and self.targets == last:
            _refuse("targets", self.targets, f"1 to {last - 1} with kernel 'flat'")
        if self.kernel == "flat" and not 1 <= self.rank <= last - self.targets:
            _refuse("rank", self.rank, f"1 to clusters - 1 - targets, {last - self.targets}")
        if self.kernel == "hypercube" and self.target_labels != "orthogonal":
            _refuse("target_labels", self.target_labels, "'orthogonal' with kernel 'hypercube'")
        if self.kernel == "hypercube" and self.clusters < 8:
            _refuse("clusters", self.clusters, "at least 8 with kernel 'hypercube'")
        if self.kernel == "hypercube" and self.targets > bits:
            _refuse("targets", self.targets, f"1 to {bits} with kernel 'hypercube'")
        if self.kernel in ("flat", "hypercube") and self.alignment != 0:
            _refuse("alignment", self.alignment, f"0 with kernel {self.kernel!r}")
        if self.kernel in ("maximal", "random") and self.alignment < self.lowest_alignment:
            low = rounded_up(self.lowest_alignment)
            _refuse("alignment", self.alignment, f"{low} to 1 with {self.targets} targets")
        return self

    @property
    def lowest_alignment(self) -> float:
        """The smallest c there is with these targets and this kind of kernel."""
        if self.targets < self.clusters - 1:
            return 0.0
        target_kernel = label_kernel(self._labels())
        if self.kernel == "random":
            return alignment_range(target_kernel)[0]
        if self.target_labels == "orthogonal":
            return float(np.sqrt((self.clusters.bit_length() - 1) / (self.clusters - 1)))
        return maximal_range(target_kernel)[0]

    def draw(self, seed: int) -> TaskArrays:
        """Return the geometry, whatever the seed: networks of several seeds learn one and the same
        task, so that a geometry's mean over networks is defined (Figure 4 has 10 networks for
        each).

        A geometry number stands for the same targets and input directions at every alignment, and
        for kernels that belong together, so that comparisons along c are paired.
        """
        labels = self._labels()
        centres = inputs_from_kernel(
            self._input_kernel(labels), self.inputs, stream(self.geometry, "embedding")
        )
        return TaskArrays(centres, labels, np.empty((0, self.inputs)))

    def _labels(self) -> np.ndarray:
        return _labels(self.clusters, self.targets, self.target_labels, self.geometry).copy()

    def _input_kernel(self, labels: np.ndarray) -> np.ndarray:
        target_kernel = label_kernel(labels)
        generator = stream(self.geometry, "kernel")
        bits = self.clusters.bit_length() - 1
        if self.kernel == "random":
            return random_kernel(target_kernel, self.alignment, generator)
        if self.kernel == "flat":
            return random_flat_kernel(target_kernel, self.rank, generator)
        if self.kernel == "hypercube":
            # All log2 P bits that index the clusters. Fewer of them may be targets.
            index = _labels(self.clusters, bits, "orthogonal", self.geometry)
            return flat_kernel(parity_inputs(index))
        if self.target_labels == "orthogonal" and self.targets == self.clusters - 1:
            cube, simplex = flat_kernel(labels[:, :bits]), simplex_kernel(self.clusters)
            return kernel_between(cube, simplex, target_kernel, self.alignment)
        return maximal_kernel(target_kernel, self.alignment)


@cache
def _labels(clusters: int, targets: int, target_labels: str, geometry: int) -> np.ndarray:
    """Return the labels. They are kept, since a config asks for every c if these targets allow
    it."""
    draw = {"orthogonal": orthogonal_targets, "independent": independent_targets}[target_labels]
    return draw(clusters, targets, stream(geometry, "targets"))


def _refuse(field: str, found: object, allowed: str) -> None:
    raise PydanticCustomError(
        field,
        "task.{field}: found {found}, allowed: {allowed}",
        {"field": field, "found": repr(found), "allowed": allowed},
    )
