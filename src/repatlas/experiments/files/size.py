"""What measuring a user's arrays takes: in closed form, from their shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repatlas.experiments.files.spec import Spec
    from repatlas.representation import Decoders

SECONDS = {"measure": (2.0, 5e-9)}
"""Seconds of a job: before its first unit of work, and for each unit, a number that a measure
reads. One core's time of an AMD EPYC: 4 to 5 ns for a number in means over 16 conditions. What
decoders take is not in it."""
PRODUCTS_PER_SECOND = 1.5e10
"""Multiplications and additions in a second, of kernel_alignment as a whole: one core of an AMD
EPYC took 0.5 to 0.6 s for two arrays of 10,000 x 512. Products alone run at three times that."""
UNKNOWN = (10_000, 4096)
"""Rows and features of an array that has not been looked at yet."""

SECONDS_OF_PAIR = 2.0
"""Seconds for a pair of arrays of that size, with its permutations."""
MOST_BYTES = 4 * 10**9
"""Memory of a comparison: arrays stay mapped into memory, and it is full long before all are."""


def alignment_megabytes(rows: int, features: int) -> int:
    """Memory for the kernel alignment of two arrays of this shape: both, centred, in float64, and
    the smaller of the products of their features and the kernel of their rows.

    >>> alignment_megabytes(10_000, 512)
    84
    """
    return round(8 * (2 * rows * features + min(rows, features) ** 2) / 1e6)


def alignment_seconds(rows: int, features: int) -> float:
    """Time for it on one core: three products.

    >>> round(alignment_seconds(10_000, 512), 1)
    0.5
    """
    return 3 * rows * features * min(rows, features) / PRODUCTS_PER_SECOND


def training(spec: Spec, steps: int, data: dict[str, Any]) -> int:
    """Nothing is trained."""
    return 0


def measuring(
    spec: Spec, measures: dict[str, list[int]], decoders: Decoders, data: dict[str, Any]
) -> int:
    """Units of work in measuring a representation: numbers read, once for each measure.

    data: what the file of its data says of it; nothing where there is none yet.
    """
    rows, features = data.get("shapes", {}).get(spec.key, UNKNOWN)
    return len(measures) * rows * features


def stored_bytes(spec: Spec, steps: list[int]) -> int:
    """There are no runs."""
    return 0


def training_bytes(spec: Spec) -> int:
    """Nothing is trained."""
    return 0


def measuring_bytes(spec: Spec, decoders: Decoders) -> int:
    """Of an array of the size that is assumed of unknown ones, twice in float64. The first look
    says what each takes."""
    rows, features = UNKNOWN
    return 16 * rows * features
