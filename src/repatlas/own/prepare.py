"""Representations that are compared again and again, with what concerns each of them alone."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from numpy.typing import ArrayLike

from repatlas.geometry.balanced import at_least
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.alignment_pairs import own_alignment
from repatlas.inference.blocked import Blocked
from repatlas.own.annotated import rows_of
from repatlas.own.arguments import as_representation, as_several
from repatlas.own.blocks import as_blocks
from repatlas.own.rows import matched_rows, refuse_named

MOST_THREADS = 4
"""The most threads unless a number is given, since each may need 1.2 GB."""


@on_one_thread
def prepare(
    layers: Mapping[str, ArrayLike],
    blocks: ArrayLike | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> dict[str, Blocked]:
    """Return representations for `compare`, with the products of each with itself.

    compare computes these products in each call, unless it is given what this function returns. So
    if new layers are compared with the same old ones, prepare the old ones once:

    >>> from repatlas.own import compare
    >>> rng = np.random.default_rng(0)
    >>> old = prepare({f"layer {number}": rng.standard_normal((300, 20)) for number in range(5)})
    >>> new = rng.standard_normal((300, 20))
    >>> compare({"new": new}, old, draws=0).value.round(3).tolist()
    [0.004, -0.001, -0.003, -0.004, 0.006]

    layers: by name, each (m, n), items x features. The arrays are not copied, and must not change
    afterwards. Other functions take a prepared layer as its array. blocks, seed: as for compare,
    which must have the same. threads: as for compare.
    Raises ValueError for malformed input, and for data frames whose rows have names.
    """
    at_least("seed", seed, 0)
    threads = number_of_threads(threads)
    if not isinstance(layers, Mapping):
        raise ValueError(
            f"layers is of type {type(layers).__name__}; allowed is a mapping from names to arrays."
        )
    several = as_several("layers", layers)
    arrays = {f"layers[{name!r}]": rows_of(value) for name, value in several.items()}
    refuse_named(arrays, "a prepared representation")
    arrays = matched_rows(arrays)
    groups = None
    if blocks is not None:
        groups = as_blocks(blocks, len(next(iter(arrays.values()))), "items")

    def prepared(name: str) -> Blocked:
        found = Blocked(as_representation(name, arrays[name]), groups=groups, seed=seed, name=name)
        _ = found.sums, own_alignment(found)
        return found

    with ThreadPoolExecutor(threads) as pool:
        return dict(zip(several, pool.map(prepared, arrays), strict=True))


def number_of_threads(threads: int | None) -> int:
    """Return the number of threads that is meant. None means as many as this process has cores, and
    4 at most."""
    if threads is not None:
        at_least("threads", threads, 1)
        return int(threads)
    # Not everywhere can a process be kept to some of the cores.
    has = getattr(os, "sched_getaffinity", None)
    return min(len(has(0)) if has else os.cpu_count() or 1, MOST_THREADS)
