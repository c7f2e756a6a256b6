"""Representations that are compared again and again, with what concerns each of them alone."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from numpy.typing import ArrayLike

from repatlas.geometry.balanced import at_least
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.alignment_pairs import own_alignment
from repatlas.inference.blocked import Blocked
from repatlas.own.arguments import number_of_threads
from repatlas.own.compare import array_name, matched, named_arrays
from repatlas.own.rows import refuse_named


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
    several = named_arrays("layers", layers)
    called = {name: array_name("layers", name) for name in several}
    refuse_named({called[name]: of for name, of in several.items()}, "a prepared representation")
    arrays, _, groups = matched(several, None, blocks, {}, ("layers", ""))

    def prepared(name: str) -> Blocked:
        found = Blocked(arrays[name], groups=groups, seed=seed, name=called[name])
        _ = found.sums, own_alignment(found)
        return found

    with ThreadPoolExecutor(threads) as pool:
        return dict(zip(arrays, pool.map(prepared, arrays), strict=True))
