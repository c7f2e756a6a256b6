"""What measuring a user's arrays takes: in closed form, from their shapes."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repatlas.experiments.files.seconds import Size, seconds
from repatlas.record import Refused

if TYPE_CHECKING:
    from repatlas.experiments.files.spec import Spec
    from repatlas.representation import Decoders

MOST_SEEDS = 1
"""Seeds that a job makes at most."""
SECONDS = {"measure": (2.0, 1e-6)}
"""Seconds of a job: before its first unit of work, and for each unit, a microsecond of one core of
an AMD EPYC by the models of `seconds`."""
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
    """Return the memory for the kernel alignment of two arrays of this shape. It holds both arrays,
    centred, in float64, and the smaller of two products: of their features, or of their rows.

    >>> alignment_megabytes(10_000, 512)
    84
    """
    return round(8 * (2 * rows * features + min(rows, features) ** 2) / 1e6)


def alignment_seconds(rows: int, features: int) -> float:
    """Return time for it on one core: three products.

    >>> round(alignment_seconds(10_000, 512), 1)
    0.5
    """
    return 3 * rows * features * min(rows, features) / PRODUCTS_PER_SECOND


def training(spec: Spec, steps: int, data: dict[str, Any]) -> int:
    """Return 0, since nothing is trained."""
    return 0


def measuring(
    spec: Spec, measures: dict[str, list[int]], decoders: Decoders, data: dict[str, Any]
) -> int:
    """Return units of work in measuring a representation: microseconds that its measures are
    expected to take.

    data: what the file of its data says of it. Where there is none yet, its files say how large it
    is, and each variable without listed values counts as one of two.
    """
    rows, features = data.get("shapes", {}).get(spec.key) or _shape(spec)
    names, values = list(spec.variables), [len(v or [0, 1]) for v in spec.variables.values()]
    number = math.prod(values) if names else rows
    if table := data.get("conditions", {}).get(spec.key):
        number = len(table)
        values = [len({row[n] for row in table}) for n in range(len(names))]
    sample = (spec.features or ("sample" if spec.trials else "all")) == "sample"
    times = len(spec.times or [1])
    size = Size(rows, features, number, values, spec.null_draws, spec.trials, sample, times)
    return max(1, round(1e6 * sum(seconds(name, size) for name in measures)))


def _shape(spec: Spec) -> tuple[int, int]:
    """Return rows and features as the headers of its files say them, before any row is left out."""
    try:
        shapes = [_stored_shape(part.path, part.key) for part in spec.parts]
    except Refused:  # the job that reads them says why
        return UNKNOWN
    flat = spec.reduction in (None, "flat")
    features = sum(math.prod(s[1:]) if flat else max(s[1:], default=1) for s in shapes)
    return min(s[0] for s in shapes), features


@cache
def _stored_shape(path: str, key: str | None) -> tuple[int, ...]:
    # Only here: sizes are checked at each start, also of configs without files.
    from repatlas.experiments.files.opened import array_of

    return tuple(array_of(Path(path), key).shape)


def stored_bytes(spec: Spec, steps: list[int]) -> int:
    """Return 0, since there are no runs."""
    return 0


def training_bytes(spec: Spec) -> int:
    """Return 0, since nothing is trained."""
    return 0


def measuring_bytes(spec: Spec, decoders: Decoders) -> int:
    """Return the bytes of an array of the assumed size, twice in float64. True sizes are known only
    after the first look, which lists them."""
    rows, features = UNKNOWN
    return 16 * rows * features
