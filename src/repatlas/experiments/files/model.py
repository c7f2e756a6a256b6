"""A torch model as a source of representations: its layers, recorded in one pass over the items.

This module alone loads torch. What layers give is written as it comes, so that memory does not grow
with the number of items.
"""

import csv
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import torch
from numpy.lib.format import open_memmap

from repatlas.experiments.files.columns import listed
from repatlas.experiments.files.items import item_name, refuse_repeated
from repatlas.experiments.files.opened import columns_of
from repatlas.experiments.files.pattern import LONGEST_NAME
from repatlas.record import Refused

ROWS = "rows.csv"
AGREEMENT = 1e-5
"""Two passes over a batch may differ by so much of its largest number: products on a GPU are not
the same to the last bit. Dropout differs by far more."""


def record(
    model: str,
    layers: list[str],
    folder: Path,
    device: str = "cpu",
    table: Path | None = None,
    item: str = "item",
) -> dict[str, tuple[int, ...]]:
    """Record layers of a torch model for all items, and replace or remove unfinished files.

    Write each layer as folder/LAYER.npy, in float32 unless the layer has fewer digits. Write the
    names of the items as folder/rows.csv. Return the shapes.

    model: the module path of a function, "my_package:build", that takes nothing. It returns the
    model, a loader, and the names of the items in the loader's order. The loader is an iterable of
    batches, the same each time, such as a DataLoader with shuffle=False. A batch is the model's
    input, or a list that begins with it, or a dictionary of the model's arguments.

    layers: names of modules as in named_modules(); * matches any text.

    table, item: a table whose rows describe the items, and its column with their names. Its columns
    are written into rows.csv, joined by name.

    The function, the model and the loader are code of the user. What they raise is printed with its
    traceback, and Refused says that it is the user's. Raises Refused if a pattern matches no
    module. Raises Refused if a layer is never called, is called several times in a pass, returns no
    tensor, or does not have one row for each item. Raises Refused if the first batch, passed twice,
    gives different results, and if names are repeated or not as many as the items.
    """
    module, loader, names = _built(model)
    names = [item_name(name) for name in names]
    refuse_repeated(names, f"the items of {model}")
    rows = _rows(names, table, item)
    chosen = _chosen(module, layers)
    _check_file_names(chosen)
    was_training, module = module.training, module.to(device).eval()
    folder.mkdir(parents=True, exist_ok=True)
    written = {name: folder / f".{name}.part" for name in chosen}
    try:
        shapes = _recorded(model, module, loader, names, chosen, written, device)
        for name, path in written.items():
            path.rename(folder / f"{name}.npy")
    finally:
        module.train(was_training)
        for path in written.values():
            path.unlink(missing_ok=True)
    with (folder / ROWS).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return shapes


def _built(model: str) -> tuple[torch.nn.Module, Iterable, list]:
    with _code_of_the_user(model):
        try:
            build = resolve_name(model)
        except (ImportError, AttributeError, ValueError) as error:
            raise Refused(f"model: cannot find {model!r} ({error}); is it on PYTHONPATH?") from None
        found = build()
    if not isinstance(found, tuple) or len(found) != 3:
        raise Refused(f"{model}: returned {type(found).__name__}, allowed: model, loader, names")
    module, loader, names = found
    if not isinstance(module, torch.nn.Module):
        raise Refused(f"{model}: returned {type(module).__name__} first, allowed: a torch module")
    if isinstance(loader, Iterator):
        raise Refused(
            f"{model}: the loader can be read only once, allowed: a loader that can be read again,"
            " such as a DataLoader or a list"
        )
    with _code_of_the_user(model):
        return module, loader, list(names)


@contextmanager
def _code_of_the_user(model: str) -> Iterator[None]:
    """Print the traceback of an error within, and raise Refused that says whose it is."""
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:
        traceback.print_exc()
        told = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise Refused(f"in {model}, which is yours: {told} (its traceback is above)") from None


def _batches(model: str, loader: Iterable) -> Iterator[Any]:
    """Yield the batches of the user's loader."""
    with _code_of_the_user(model):
        batches = iter(loader)
    end = object()
    while True:
        with _code_of_the_user(model):
            batch = next(batches, end)
        if batch is end:
            return
        yield batch


def _chosen(module: torch.nn.Module, layers: list[str]) -> list[str]:
    """Return the names of the modules that match, in the order of the model."""
    there = [name for name, _ in module.named_modules() if name]
    for pattern in layers:
        if not any(fnmatchcase(name, pattern) for name in there):
            raise Refused(
                f"layers: no module matches {pattern!r}; the model has {listed(there, 20)}"
            )
    return [name for name in there if any(fnmatchcase(name, pattern) for pattern in layers)]


def _check_file_names(layers: list[str]) -> None:
    for name in layers:
        if "/" in name or not name.isprintable() or len(f".{name}.part".encode()) > LONGEST_NAME:
            raise Refused(
                f"layer {name!r}: its array is a file of this name; allowed: signs that can be"
                f" printed, no /, and fewer than {LONGEST_NAME} bytes"
            )


def _recorded(
    model: str,
    module: torch.nn.Module,
    loader: Iterable,
    names: list[str],
    chosen: list[str],
    written: dict[str, Path],
    device: str,
) -> dict[str, tuple[int, ...]]:
    _check_first_batch(model, module, loader, chosen, device)
    files: dict[str, np.memmap] = {}
    done = 0
    for batch in _batches(model, loader):
        size, found = _passed(model, module, batch, chosen, device)
        if done + size > len(names):
            raise Refused(f"the loader has more items than the {len(names)} names")
        for name, values in found.items():
            if name not in files:
                shape = (len(names), *values.shape[1:])
                files[name] = open_memmap(written[name], "w+", values.dtype, shape)
            if values.shape[1:] != files[name].shape[1:]:
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


def _check_first_batch(
    model: str, module: torch.nn.Module, loader: Iterable, chosen: list[str], device: str
) -> None:
    """Refuse a loader that gives another first batch the second time, and a model that gives
    another result for it."""
    first, second = (next(_batches(model, loader), None) for _ in range(2))
    if first is None:
        raise Refused("the loader has no batch")
    one, other = (list(_tensors(_inputs(batch))) for batch in (first, second))
    if len(one) != len(other) or not all(map(torch.equal, one, other)):
        raise Refused(
            "the loader gives another first batch the second time, so that names and items would"
            " not belong together; allowed: shuffle=False and no random augmentation"
        )
    (_, found), (_, again) = (_passed(model, module, first, chosen, device) for _ in range(2))
    for name, values in found.items():
        scale = float(np.nanmax(np.abs(values), initial=0))
        if not np.allclose(values, again[name], 0, AGREEMENT * scale, equal_nan=True):
            raise Refused(
                f"layer {name!r}: gives something else when the first batch is passed again, in"
                " evaluation mode; allowed: a model without randomness"
            )


def _passed(
    model: str, module: torch.nn.Module, batch: Any, chosen: list[str], device: str
) -> tuple[int, dict[str, np.ndarray]]:
    """Return how many items a batch has, and what the layers give for it."""
    inputs = _moved(_inputs(batch), device)
    size = next(_tensors(inputs)).shape[0]
    fired: dict[str, int] = {}
    found: dict[str, np.ndarray] = {}

    def hook(name: str) -> Callable:
        def keep(_: Any, __: Any, output: Any) -> None:
            fired[name] = fired.get(name, 0) + 1
            if name in wanted:
                # At once, and as a copy: what comes next may change it in place.
                found[name] = _values(name, output, size)

        return keep

    wanted = {*chosen}
    with _code_of_the_user(model), _hooks(module, hook), torch.inference_mode():
        module(**inputs) if isinstance(inputs, dict) else module(inputs)
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
    return size, found


@contextmanager
def _hooks(module: torch.nn.Module, hook: Callable[[str], Callable]) -> Iterator[None]:
    handles = [each.register_forward_hook(hook(name)) for name, each in module.named_modules()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _values(name: str, output: Any, size: int) -> np.ndarray:
    """Return the output of a layer as a separate array, with a row for each item."""
    if isinstance(output, (tuple, list)) and output:
        output = output[0]
    if not isinstance(output, torch.Tensor):
        kind = type(output).__name__
        raise Refused(f"layer {name!r}: gives {kind}, allowed: a tensor, or a tuple that begins so")
    if output.ndim == 0 or output.shape[0] != size:
        raise Refused(
            f"layer {name!r}: gives shape {tuple(output.shape)} for {size} items, allowed: a row"
            " for each item"
        )
    if output.dtype in (torch.bfloat16, torch.float16):
        output = output.float()
    return output.detach().cpu().numpy().copy()


def _inputs(batch: Any) -> Any:
    """Return the model's input: of a list what it begins with, since labels may follow."""
    if isinstance(batch, (tuple, list)) and batch:
        batch = batch[0]
    if isinstance(batch, torch.Tensor) or (
        hasattr(batch, "items") and any(isinstance(v, torch.Tensor) for _, v in batch.items())
    ):
        return batch if isinstance(batch, torch.Tensor) else dict(batch.items())
    raise Refused(
        f"the loader gives {type(batch).__name__}, allowed: a tensor, a list that begins with one,"
        " or a dictionary of tensors"
    )


def _tensors(inputs: Any) -> Iterator[torch.Tensor]:
    several = inputs.values() if isinstance(inputs, dict) else [inputs]
    yield from (each for each in several if isinstance(each, torch.Tensor))


def _moved(inputs: Any, device: str) -> Any:
    if isinstance(inputs, dict):
        return {k: v.to(device) if isinstance(v, torch.Tensor) else v for k, v in inputs.items()}
    return inputs.to(device)


def _rows(names: list[str], table: Path | None, item: str) -> list[list]:
    """Return the lines of rows.csv: the names of columns, and a line for each item."""
    if table is None:
        return [[item], *([name] for name in names)]
    columns = columns_of(table)
    if item not in columns:
        raise Refused(f"{table}: has no column {item!r} (item), found: {', '.join(columns)}")
    known = [item_name(cell) for cell in columns[item] if cell is not None]
    refuse_repeated(known, str(table))
    line = {item_name(cell): n for n, cell in enumerate(columns[item]) if cell is not None}
    if lacking := [name for name in names if name not in line]:
        raise Refused(
            f"{table}: has no row for {len(lacking)} items of the model ({listed(lacking)})"
        )
    return [[*columns], *([cells[line[name]] for cells in columns.values()] for name in names)]
