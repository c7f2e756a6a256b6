"""record CONFIG: record the layers of the torch models that a config names, so
that a workflow with this config can measure them. What is recorded already is left as it is.
"""

import argparse
import os
import sys
from pathlib import Path
from shutil import rmtree

from pydantic import ValidationError

from repatlas.config.config import by_study
from repatlas.config.file import read_values
from repatlas.config.representations import Representations
from repatlas.record import Refused


def main(arguments: list[str]) -> None:
    """Record all layers of all models of a config."""
    parser = argparse.ArgumentParser("repatlas record", description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    options = parser.parse_args(arguments)
    values = by_study(read_values(options.config), options.config.name)
    named = {
        name: chosen
        for study in values["studies"].values()
        for name, chosen in (study.get("representations") or {}).items()
        if isinstance(chosen, dict) and "model" in chosen
    }
    if not named:
        raise Refused(f"{options.config}: found no model, allowed: one in representations.NAME")
    sys.path.append(os.getcwd())  # where the user's own modules are: the last place
    for name, chosen in named.items():
        try:
            representations = Representations.model_validate(chosen)
        except ValidationError as error:
            place = f"{options.config}: representations.{name}"
            raise Refused(f"{place}: {error.errors()[0]['msg']}") from None
        _record(name, representations, options.device)


def _record(name: str, chosen: Representations, device: str) -> None:
    # Only here: it loads torch.
    from repatlas.experiments.files.model import record

    folder = chosen.recording(name)
    if folder.exists():
        print(f"{name}: is recorded already, in {folder}")
        return
    unfinished = folder.with_name(f".{folder.name}.part")
    rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        table = None if chosen.rows is None else Path(chosen.rows)
        item = chosen.item or "item"
        shapes = record(chosen.model, chosen.layers, unfinished, device, table, item)
        lines = "".join(f"{layer}\n" for layer in shapes)
        (unfinished / "layers.txt").write_text(lines, encoding="utf-8")
        unfinished.rename(folder)
    finally:
        rmtree(unfinished, ignore_errors=True)
    items = next(iter(shapes.values()))[0]
    print(f"{name}: recorded {len(shapes)} layers of {items} items in {folder}")
