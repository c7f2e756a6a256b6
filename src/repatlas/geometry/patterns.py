"""Patterns: a matrix of items x features, and its mean over the samples of each condition."""

from __future__ import annotations

import mmap
from collections.abc import Sized
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

BLOCK = 2**22
"""Numbers that are looked at, or are in double precision, at a time: 32 MiB."""


def on_cpu(value: Any) -> Any:
    """Return a tensor of torch without its gradient, in the memory that numpy reads.

    bfloat16 becomes float32 with the same values. Anything else is returned as it is. torch is not
    imported.
    """
    if not (hasattr(value, "detach") and hasattr(value, "cpu")):
        return value
    tensor = value.detach().cpu()
    return tensor.float() if "bfloat16" in str(tensor.dtype) else tensor


def as_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array of numbers, booleans or strings. `name` is used in the errors."""
    value = on_cpu(value)
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        raise ValueError(
            f"{name} has {np.count_nonzero(np.ma.getmaskarray(value))} masked values; allowed is "
            f"an array without any: leave their items out, or fill them."
        )
    if hasattr(value, "toarray"):  # of scipy
        raise ValueError(f"{name} is a sparse matrix; allowed is a dense one: {name}.toarray().")
    # numpy's arrays of bfloat16 are of the kind "V". Names of types take long to make.
    unknown = not isinstance(value, np.ndarray) or value.dtype.kind == "V"
    if unknown and "bfloat16" in str(getattr(value, "dtype", "")):
        raise ValueError(f"{name} is of type bfloat16: {name}.astype('float32') has its values.")
    try:
        array = np.asarray(value)
    except (TypeError, RuntimeError) as error:  # as another library's arrays on a GPU raise
        raise ValueError(f"{name} is no array for numpy. {error}") from None
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        sizes = sorted({np.shape(each) for each in cast("list[Any]", value)})
        raise ValueError(
            f"{name} has rows of {len(sizes)} shapes, such as {sizes[0]} and {sizes[-1]}; allowed "
            f"is one shape. Cut all to the shortest, or align them to an event."
        ) from None
    if array.dtype.kind in "ST":  # bytes, as HDF5 has them, and numpy's own type of strings
        array = array.astype(object)
    if array.dtype.kind == "O":  # as pandas hands over strings, and numbers that may be missing
        array = _array_of_one_type(name, array)
    if array.dtype.kind == "c":
        raise ValueError(
            f"{name} is complex; allowed are real numbers, such as its real and imaginary parts "
            f"side by side."
        )
    if array.dtype.kind not in "biufU":
        raise ValueError(f"{name} is of type {array.dtype}; allowed are numbers, or strings.")
    return array


def _array_of_one_type(name: str, array: NDArray[Any]) -> NDArray[Any]:
    values = array.ravel().tolist()
    if values and isinstance(values[0], bytes):
        values = [each.decode() if isinstance(each, bytes) else each for each in values]
    kind = str if values and isinstance(values[0], str) else (int, float, np.number, np.bool_)
    for value in values:
        if not isinstance(value, kind):
            raise ValueError(
                f"{name} holds {value!r}; allowed are numbers, or strings, alone and none missing."
            )
    return np.array(values).reshape(array.shape)


def as_matrix(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as a finite matrix of items x features, in its own precision."""
    matrix = as_array(name, value)
    if matrix.dtype.kind == "U":
        raise ValueError(f"{name} holds strings; allowed are numbers.")
    if matrix.ndim != 2 or 0 in matrix.shape:
        hint = f" ({name}[:, None] makes one of a vector)" if matrix.ndim == 1 else ""
        if matrix.ndim > 2 and matrix.size:
            hint = f" ({name}.reshape(len({name}), -1) makes one, and joins all other axes)"
        raise ValueError(
            f"{name} has shape {matrix.shape}; allowed is a non-empty matrix, items x features"
            f"{hint}."
        )
    for rows in parts(*matrix.shape):
        finite = np.isfinite(matrix[rows])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            raise ValueError(
                f"{name} holds NaN or infinite values; all values must be finite (the first that "
                f"is not: row {rows.start + row}, column {column})."
            )
        release(matrix)
    return matrix


def rounding_of(matrix: NDArray[Any]) -> float:
    """Return the relative rounding of the values of a matrix, by the type in which they came.

    It is the machine epsilon of the type, for whole numbers of float64. It is the epsilon of
    bfloat16 for float32 whose last 16 bits are all 0, unless all values are whole.

    >>> rounding_of(np.array([[1.5, 2.0]], dtype=np.float16)) == 2**-10
    True
    """
    least = float(np.finfo(np.float64).eps)
    if matrix.dtype.kind != "f" or matrix.dtype.itemsize >= 8:
        return least
    found = np.finfo(matrix.dtype).eps
    if matrix.dtype == np.float32:
        blocks = [matrix[rows] for rows in parts(*matrix.shape)]
        is_short = not any((block.view(np.uint32) & 0xFFFF).any() for block in blocks)
        if is_short and any((block != np.floor(block)).any() for block in blocks):
            return 2.0**-7
        release(matrix)
    return float(found)


def parts(length: int, width: int, numbers: int | None = None) -> list[slice]:
    """Return slices of `length` lines of `width` numbers; each has about `numbers`, or BLOCK,
    numbers."""
    step = max(1, (numbers or BLOCK) // width)
    return [slice(start, start + step) for start in range(0, length, step)]


def release(array: NDArray[Any]) -> None:
    """Release the memory that holds what was read of a memory-mapped file.

    The system keeps the pages that were read, and counts them as the memory of this process. What
    is read again comes from the system's cache of the file, or from the file. Arrays that are no
    memory-mapped file are left alone, and so are files mapped to be changed in memory alone (mode
    "c"), whose changes would be lost.
    """
    mode: str | None = None
    base: Any = array
    while isinstance(base, np.ndarray):
        mode, base = getattr(base, "mode", mode), base.base
    if isinstance(base, mmap.mmap) and mode in ("r", "r+", "w+") and hasattr(base, "madvise"):
        base.madvise(mmap.MADV_DONTNEED)


def as_patterns(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return `value` as a finite float64 matrix of items x features. `name` is used in the
    errors."""
    return as_matrix(name, value).astype(np.float64, copy=False)


def refuse_other_items(name_x: str, x: Sized, name_y: str, y: Sized) -> None:
    """Refuse two representations with different numbers of items, their rows."""
    if len(x) != len(y):
        raise ValueError(
            f"{name_x} has {len(x)} items and {name_y} has {len(y)}; both must describe the same "
            f"items."
        )


def as_conditions(
    name: str, value: ArrayLike, n_samples: int, n_conditions: int | None = None
) -> NDArray[np.intp]:
    """Return `value` as one condition index in 0 ... n_conditions - 1 for each sample,
    (n_samples,).

    Without n_conditions they run up to the largest. Whole numbers may come as floats or booleans.
    """
    conditions = as_array(name, value)
    if conditions.shape != (n_samples,) or conditions.dtype.kind == "U":
        raise ValueError(
            f"{name} has shape {conditions.shape} and type {conditions.dtype}. Allowed is one "
            f"integer for each of the {n_samples} samples: the index of its condition. "
            f"np.unique({name}, return_inverse=True) makes integers from names."
        )
    whole = np.isfinite(conditions) & (conditions == np.floor(conditions))
    if not whole.all():
        raise ValueError(
            f"{name} holds {conditions[~whole][0]}; allowed are whole numbers, none missing."
        )
    conditions = conditions.astype(np.intp)
    n_conditions = conditions.max() + 1 if n_conditions is None else n_conditions
    if conditions.min() < 0 or conditions.max() >= n_conditions:
        raise ValueError(
            f"{name} runs from {conditions.min()} to {conditions.max()}; allowed are the condition "
            f"indices 0 to {n_conditions - 1}."
        )
    return conditions


def as_complete_samples(
    samples: ArrayLike, conditions: ArrayLike, n_conditions: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return samples, (m, n), and conditions, (m,), with at least one sample of every condition."""
    patterns = as_patterns("samples", samples)
    indices = as_conditions("conditions", conditions, len(patterns), n_conditions)
    counts = np.bincount(indices, minlength=n_conditions or 0)
    if not counts.all():
        raise ValueError(
            f"conditions has no sample of condition {counts.argmin()}; "
            f"every condition from 0 to {len(counts) - 1} needs one."
        )
    return patterns, indices


def condition_means(
    samples: ArrayLike, conditions: ArrayLike, n_conditions: int | None = None
) -> NDArray[np.float64]:
    """Return the mean pattern of every condition, (n_conditions, n), in the unit of the samples.

    samples: (m, n); conditions: (m,), the condition index of each sample; n_conditions: the number
    of conditions, the largest index + 1 unless given.
    Raises ValueError where a condition has no sample.

    >>> condition_means([[1.0, 0.0], [3.0, 0.0], [0.0, 5.0]], [0, 0, 1])
    array([[2., 0.],
           [0., 5.]])
    """
    patterns, indices = as_complete_samples(samples, conditions, n_conditions)
    belongs = (indices == np.arange(indices.max() + 1)[:, None]).astype(np.float64)
    means: NDArray[np.float64] = belongs @ patterns / belongs.sum(axis=1, keepdims=True)
    return means
