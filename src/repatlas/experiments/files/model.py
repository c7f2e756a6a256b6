"""A torch model as a source of representations: its layers, recorded in one pass over the items."""

import csv
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from pkgutil import resolve_name

import torch

from repatlas.experiments.files.opened import columns_of, item_name
from repatlas.experiments.files.table import refuse_repeated
from repatlas.own.recording import chosen_layers, code_of_the_user, write_layers
from repatlas.own.texts import listed
from repatlas.record import Refused

ROWS = "rows.csv"


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
    tensor, or has no axis of items, which may be any axis. Raises Refused if what a layer gives for
    an item depends on the others of its batch: items of the first batch are passed alone and in
    another order. Raises Refused if the first batch, passed twice, gives different results, and if
    names are repeated or not as many as the items.
    """
    module, loader, names = _built(model)
    names = [item_name(name) for name in names]
    refuse_repeated(names, f"the items of {model}")
    rows = _rows(names, table, item)
    chosen = chosen_layers(module, layers)
    if named_as_folder := [name for name in chosen if "/" in name]:
        raise Refused(f"layer {named_as_folder[0]!r}: its array is a file of this name; found a /")
    was_training, module = module.training, module.to(device).eval()
    folder.mkdir(parents=True, exist_ok=True)
    written = {name: folder / f".{name}.part" for name in chosen}
    try:
        shapes = write_layers(model, module, loader, names, chosen, written, device)
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
    with code_of_the_user(model):
        try:
            _import_from_here(model.partition(":")[0].partition(".")[0])
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
    with code_of_the_user(model):
        return module, loader, list(names)


def _import_from_here(name: str) -> None:
    """Import the module that a config names, if it is in this folder, before one elsewhere."""
    found = PathFinder.find_spec(name, [os.getcwd()])
    if found and found.loader and name not in sys.modules:
        sys.modules[name] = module_from_spec(found)
        found.loader.exec_module(sys.modules[name])


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
