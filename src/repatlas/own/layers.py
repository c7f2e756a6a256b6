"""Layers of a torch model, and tokens of a sequence, as arrays for measure and compare."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_array
from repatlas.named import named

PACKAGE = "own.reductions"
BATCH = 64
"""Items that are passed at a time, if data is one tensor."""


def tokens(
    states: ArrayLike, which: Literal["first", "last", "mean"], mask: ArrayLike | None = None
) -> NDArray[Any]:
    """Return one pattern for each sequence, (m, n).

    states: (m, T, n), sequences x tokens x features.
    which: the first or the last token, or the mean over tokens.
    mask: (m, T), true for tokens that are no padding, such as an attention mask. Without it tokens
    whose features are all NaN are padding.
    Raises ValueError for other shapes, and for sequences without a token.

    >>> states = np.arange(12.0).reshape(2, 3, 2)
    >>> tokens(states, "last", mask=[[1, 1, 0], [1, 1, 1]])
    array([[ 2.,  3.],
           [10., 11.]])
    """
    if which not in ("first", "last", "mean"):
        raise ValueError(f'which is {which!r}; allowed are "first", "last" and "mean".')
    array = as_array("states", states)
    if array.ndim != 3:
        raise ValueError(f"states has shape {array.shape}; allowed is (m, T, n), with tokens.")
    if mask is not None:
        counts = as_array("mask", mask).astype(bool)
        if counts.shape != array.shape[:2]:
            raise ValueError(f"mask has shape {counts.shape}; allowed is {array.shape[:2]}.")
        array = np.where(counts[:, :, None], array, np.nan)
    lacking = np.flatnonzero(np.isnan(array).all(axis=(1, 2)))
    if len(lacking):
        raise ValueError(f"sequence {lacking[0]} has no token that is no padding; leave it out.")
    found: NDArray[Any] = named(PACKAGE, "tokens" if which == "mean" else which).reduced(array, 2)
    return found


def layers_of(
    model: Any,
    data: Any,
    names: str | Sequence[str] = "*",
    reduction: str = "flat",
    channels: int = 1,
    device: str = "cpu",
) -> dict[str, NDArray[Any]]:
    """Return layers of a torch model by name, each (m, n), for measure and compare.

    model: a torch module.
    data: a tensor of items, or a loader that can be read again, as for `repatlas record`.
    names: of modules as in named_modules(); * matches any text.
    reduction: for layers with more than two axes, "flat" or "pooled". For tokens it is "first",
    "last" or "tokens" (the mean over those that are not NaN).
    channels: the axis of channels or features.

    The model is in evaluation mode during the pass. The checks are as in `repatlas record`, such as
    for a layer that fires twice, or a model that gives other numbers the second time.
    Raises repatlas.record.Refused for these, and needs torch.

    Two networks are compared in one call:

    >>> import torch
    >>> images = torch.rand(60, 8, generator=torch.Generator().manual_seed(0))
    >>> a, b = (torch.nn.Sequential(torch.nn.Linear(8, 5), torch.nn.ReLU()) for _ in range(2))
    >>> from repatlas.own import compare
    >>> found = compare(layers_of(a, images), layers_of(b, images), draws=0)
    >>> found[["a", "b"]].values.tolist()
    [['0', '0'], ['0', '1'], ['1', '0'], ['1', '1']]
    """
    from repatlas.own import recording  # here, since it needs torch

    loader = list(data.split(BATCH)) if hasattr(data, "split") else data
    patterns = [names] if isinstance(names, str) else list(names)
    chosen = recording.chosen_layers(model, patterns)
    called = type(model).__name__
    batches = recording.batches_of(called, loader)
    number = sum(recording.number_of_items(recording.inputs_of(batch)) for batch in batches)
    of_reduction, found = named(PACKAGE, reduction), {}
    was_training, module = model.training, model.to(device).eval()
    with TemporaryDirectory() as folder:
        written = {name: Path(folder, f"{place}.npy") for place, name in enumerate(chosen)}
        try:
            items = list(map(str, range(number)))
            recording.write_layers(called, module, loader, items, chosen, written, device)
        finally:
            module.train(was_training)
        for name, path in written.items():
            array = np.load(path, allow_pickle=False)
            found[name] = array if array.ndim < 3 else of_reduction.reduced(array, channels)
    return {name: array.reshape(len(array), -1) for name, array in found.items()}
