"""The parts of images that activate units of two convolutional networks most, for pairs of units
that match."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from repatlas import similarity
from repatlas.images.published import data_set
from repatlas.pairs.seen import Row, Seen, Settings

DRAWS = 0
PATCHES = 9
"""Patches of each unit, no two of one image."""


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield three pairs of channels, of all pairs that matching finds over positions: the pair with
    the largest correlation ("best"), the median and the smallest ("worst").

    "preferred_pair": the correlation; `unit` and `other_unit` are the two channels.
    "preferred_patch": the image patches that the nine positions with the largest activity see, for
    the channel of x ("best, a") and the channel of y ("best, b"). `unit` is the rank of the
    position in descending order of activity, and `other_unit` the position in the patch (colour,
    then row, then column). The value is from 0, the smallest value of this colour in all images, to
    1, its largest. Beyond the border of an image there is none.

    A channel that is the same everywhere prefers nothing, and has no patches. There is no value,
    but a reason, for rows that are not positions. These are many rows: use `pairs: first` for the
    comparison.
    """
    if x.groups is None:
        reason = "only the positions of convolutions see a part of an image"
        yield Row("preferred_pair", "best", np.nan, reason=reason)
        return
    found = similarity.matching(x.rows, y.rows)
    last = len(found.correlations) - 1
    colours = [_colours(seen) for seen in (x, y)]
    for which, place in (("best", 0), ("median", last // 2), ("worst", last)):
        pair = found.pairs[place].tolist()
        value = float(found.correlations[place])
        yield Row("preferred_pair", which, value, unit=pair[0], other_unit=pair[1])
        for side, seen, unit, images in zip("ab", (x, y), pair, colours, strict=True):
            if not np.ptp(seen.rows[:, unit]):
                continue
            for (patch, pixel), value in np.ndenumerate(_preferred(seen, unit, images)):
                yield Row(
                    "preferred_patch", f"{which}, {side}", float(value), unit=patch,
                    other_unit=pixel,
                )  # fmt: skip


def receptive_field(position: int, layer: int) -> tuple[int, int]:
    """Return the first and the last pixel, on one side of the image, that a position of a
    convolutional layer sees. Each layer, from 1, is a convolution of 3 x 3 and then the maximum of
    2 x 2. Pixels beyond the border have numbers below 0, or from the size of the image.

    >>> receptive_field(0, 1), receptive_field(1, 1), receptive_field(0, 2)
    ((-1, 2), (1, 4), (-3, 6))
    """
    first = last = position
    for _ in range(layer):
        first, last = 2 * first - 1, 2 * last + 2
    return first, last


def _colours(seen: Seen) -> NDArray[np.float64]:
    """Return (m, colours, height, width): the images, each colour from 0 to 1."""
    shape = data_set(seen.network.spec.data_set).SHAPE
    images = seen.network.inputs(seen.items).reshape(-1, *shape)
    least, largest = (end(images, axis=(0, 2, 3), keepdims=True) for end in (np.min, np.max))
    return (images - least) / (largest - least)


def _preferred(seen: Seen, unit: int, images: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (9, n): what a unit sees where it is most active, the most active first."""
    assert seen.groups is not None
    order = np.argsort(-seen.rows[:, unit], kind="stable")
    _, first = np.unique(seen.groups[order], return_index=True)
    positions = np.count_nonzero(seen.groups == seen.groups[0])
    side = round(positions**0.5)
    return np.array(
        [
            _patch(images[seen.groups[row]], divmod(row % positions, side), seen.number)
            for row in order[np.sort(first)[:PATCHES]]
        ]
    )


def _patch(
    image: NDArray[np.float64], position: tuple[int, int], layer: int
) -> NDArray[np.float64]:
    """Return (n,): the part of an image (colours, height, width) that a position sees, nan beyond
    it."""
    rows, columns = (np.arange(a, b + 1) for a, b in (receptive_field(p, layer) for p in position))
    height, width = image.shape[1:]
    found = np.full((len(image), len(rows), len(columns)), np.nan)
    in_rows, in_columns = (
        (of >= 0) & (of < most) for of, most in ((rows, height), (columns, width))
    )
    inside = np.ix_(np.arange(len(image)), rows[in_rows], columns[in_columns])
    found[np.ix_(np.arange(len(image)), in_rows, in_columns)] = image[inside]
    return found.ravel()
