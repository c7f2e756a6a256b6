"""What the layers of a torch model give for the items of a loader, checked.

What they give is written as it comes, so that memory does not grow with the number of items.
"""

import math
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.lib.format import open_memmap

from repatlas.own.texts import listed
from repatlas.record import Refused

ALONE = 8
"""The most items of the first batch that are also passed alone."""
ROUNDING = 1e-4
"""What a layer gives for an item may differ by so much of its largest number between two batches:
products of matrices of another size are rounded elsewhere."""
AGREEMENT = 1e-5
"""Two passes over a batch may differ by so much of its largest number: products on a GPU are not
the same to the last bit. Dropout differs by far more."""


@contextmanager
def code_of_the_user(model: str) -> Iterator[None]:
    """Print the traceback of an error within, and raise Refused that says whose it is."""
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:
        traceback.print_exc()
        told = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise Refused(f"in {model}, which is yours: {told} (its traceback is above)") from None


def batches_of(model: str, loader: Iterable) -> Iterator[Any]:
    """Yield the batches of the user's loader."""
    with code_of_the_user(model):
        batches = iter(loader)
    end = object()
    while True:
        with code_of_the_user(model):
            batch = next(batches, end)
        if batch is end:
            return
        yield batch


def chosen_layers(module: torch.nn.Module, layers: list[str]) -> list[str]:
    """Return the names of the modules that match, in the order of the model."""
    there = [name for name, _ in module.named_modules() if name]
    for pattern in layers:
        if not any(fnmatchcase(name, pattern) for name in there):
            raise Refused(
                f"layers: no module matches {pattern!r}; the model has {listed(there, 20)}"
            )
    return [name for name in there if any(fnmatchcase(name, pattern) for pattern in layers)]


def write_layers(
    model: str,
    module: torch.nn.Module,
    loader: Iterable,
    names: list[str],
    chosen: list[str],
    written: dict[str, Path],
    device: str,
) -> dict[str, tuple[int, ...]]:
    axes = _axes_of_items(model, module, loader, chosen, device)
    files: dict[str, np.memmap] = {}
    done = 0
    for batch in batches_of(model, loader):
        inputs = inputs_of(batch)
        size = number_of_items(inputs)
        if done + size > len(names):
            raise Refused(f"the loader has more items than the {len(names)} names")
        for name, output in _passed(model, module, inputs, chosen, device).items():
            values = np.moveaxis(output, axes[name], 0)
            if name not in files:
                shape = (len(names), *values.shape[1:])
                files[name] = open_memmap(written[name], "w+", values.dtype, shape)
            if values.shape != (size, *files[name].shape[1:]):
                raise Refused(
                    f"layer {name!r}: found shape {values.shape[1:]} at item {names[done]!r} and"
                    f" {files[name].shape[1:]} before; allowed: the same for all items"
                )
            files[name][done : done + size] = values
        done += size
    if done != len(names):
        raise Refused(f"the loader has {done} items and there are {len(names)} names")
    for file in files.values():
        file.flush()
    return {name: file.shape for name, file in files.items()}


def _axes_of_items(
    model: str, module: torch.nn.Module, loader: Iterable, chosen: list[str], device: str
) -> dict[str, int]:
    """Return which axis of each layer has the items, from the first batch: what a layer gives for
    an item must not depend on the other items. Raises Refused where it does, for a loader that
    gives another first batch the second time, and for a model that gives other numbers for it."""
    first, second = (next(batches_of(model, loader), None) for _ in range(2))
    if first is None:
        raise Refused("the loader has no batch")
    inputs, again = inputs_of(first), inputs_of(second)
    one, other = _tensors(inputs), _tensors(again)
    if len(one) != len(other) or not all(map(torch.equal, one, other)):
        raise Refused(
            "the loader gives another first batch the second time, so that names and items would"
            " not belong together; allowed: shuffle=False and no random augmentation"
        )
    if number_of_items(inputs) == 1:  # an axis of length 1 could be any
        inputs = _taken(inputs, [0, 0])
    size = number_of_items(inputs)

    def passed(rows: list[int]) -> dict[str, np.ndarray]:
        return _passed(model, module, _taken(inputs, rows), chosen, device)

    every = [*range(size)]
    all_at_once, repeated = passed(every), passed(every)
    # Some items alone, and half of them in another order.
    others = [[n] for n in sorted({*np.linspace(0, size - 1, ALONE).astype(int).tolist()})]
    others += [every[::-1][: (size + 1) // 2]]
    found = [(rows, passed(rows)) for rows in others]
    floats = [p.dtype for p in module.parameters() if p.is_floating_point()]
    rounding = max([ROUNDING, *(8 * torch.finfo(dtype).eps for dtype in floats)])
    axes = {}
    for name, whole in all_at_once.items():
        if not _agree(whole, repeated[name], AGREEMENT):
            raise Refused(
                f"layer {name!r}: gives something else when the first batch is passed again, in"
                " evaluation mode; allowed: a model without randomness"
            )
        # An axis as long as the batch, and of length 1, or left out, for an item alone.
        single = found[0][1][name].shape
        fitting = [
            axis
            for axis, length in enumerate(whole.shape)
            if length == size
            and single[axis : len(single) - len(whole.shape[axis + 1 :])] in ((1,), ())
            and math.prod(single) * size == whole.size
        ]
        agreeing = [
            axis
            for axis in fitting
            if all(_agree(whole.take(rows, axis), part[name], rounding) for rows, part in found)
        ]
        if not fitting:
            raise Refused(
                f"layer {name!r}: gives shape {whole.shape} for {size} items and {single} for one,"
                " allowed: an axis of items, and else the same shape"
            )
        if not agreeing:
            raise Refused(
                f"layer {name!r}: what it gives for an item depends on the other items of its"
                " batch (it is another alone, or in another order); allowed: a layer that takes"
                " each item by itself"
            )
        axes[name] = agreeing[0]
    return axes


def _agree(one: np.ndarray, other: np.ndarray, tolerance: float) -> bool:
    scale = float(np.nanmax(np.abs(one), initial=0))
    return one.size == other.size and np.allclose(
        one, other.reshape(one.shape), 0, tolerance * scale, equal_nan=True
    )


def _passed(
    model: str, module: torch.nn.Module, inputs: Any, chosen: list[str], device: str
) -> dict[str, np.ndarray]:
    """Return what the layers give for a batch."""
    inputs = _mapped(inputs, lambda tensor: tensor.to(device))
    fired: dict[str, int] = {}
    found: dict[str, np.ndarray] = {}

    def hook(name: str) -> Callable:
        def keep(_: Any, __: Any, output: Any) -> None:
            fired[name] = fired.get(name, 0) + 1
            if name in wanted:
                # At once, and as a copy: what comes next may change it in place.
                found[name] = _values(name, output)

        return keep

    wanted = {*chosen}
    with code_of_the_user(model), ExitStack() as hooks, torch.inference_mode():
        for name, each in module.named_modules():
            hooks.enter_context(each.register_forward_hook(hook(name)))
        module(inputs[""]) if "" in inputs else module(**inputs)
    if silent := [name for name in chosen if name not in fired]:
        raise Refused(
            f"layers: {listed(silent)} never fire in a pass; those that do:"
            f" {listed([name for name in fired if name], 20)}"
        )
    if often := [name for name in chosen if fired[name] > 1]:
        raise Refused(
            f"layer {often[0]!r}: fires {fired[often[0]]} times in a pass, and it is not known"
            " which is meant; allowed: layers that fire once"
        )
    return found


def _values(name: str, output: Any) -> np.ndarray:
    """Return the output of a layer as a separate array."""
    if isinstance(output, (tuple, list)) and output:
        output = output[0]
    if not isinstance(output, torch.Tensor):
        kind = type(output).__name__
        raise Refused(f"layer {name!r}: gives {kind}, allowed: a tensor, or a tuple that begins so")
    if output.dtype in (torch.bfloat16, torch.float16):
        output = output.float()
    return output.detach().cpu().numpy().copy()


def inputs_of(batch: Any) -> dict[str, Any]:
    """Return the model's arguments by name, and its only input as "". Of a list it is what it
    begins with, since labels may follow."""
    if isinstance(batch, (tuple, list)) and batch:
        batch = batch[0]
    inputs = dict(batch.items()) if hasattr(batch, "items") else {"": batch}
    if not _tensors(inputs):
        raise Refused(
            f"the loader gives {type(batch).__name__}, allowed: a tensor, a list that begins with"
            " one, or a dictionary of tensors"
        )
    return inputs


def _tensors(inputs: dict[str, Any]) -> list[torch.Tensor]:
    return [each for each in inputs.values() if isinstance(each, torch.Tensor)]


def number_of_items(inputs: dict[str, Any]) -> int:
    """Return how many items a batch has."""
    return _tensors(inputs)[0].shape[0]


def _mapped(inputs: dict[str, Any], change: Callable[[torch.Tensor], Any]) -> dict[str, Any]:
    return {k: change(v) if isinstance(v, torch.Tensor) else v for k, v in inputs.items()}


def _taken(inputs: dict[str, Any], rows: list[int]) -> dict[str, Any]:
    """Return some items of a batch, by their numbers, in this order."""
    size = number_of_items(inputs)
    return _mapped(inputs, lambda of: of[rows] if of.shape[:1] == (size,) else of)
