"""Stored networks, loaded as numpy arrays."""

from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from repatlas.artifacts.files import Arrays
from repatlas.atlas.table import networks
from repatlas.named import named
from repatlas.representation import Decoders
from repatlas.runs import Parameters, run_arrays

NETWORKS = "networks"
"""The kind of checkpoint files, and their folder in the store."""
MOST_SHOWN = 20
"""Values that a message names."""


class Network:
    """A stored network at one training step. Files are read when an array is first asked for.

    about: its row of the table of `networks`, as a dictionary.
    """

    def __init__(self, about: dict[str, Any]):
        self.about = about

    def __repr__(self) -> str:
        names = ("experiment", "task", "activation", "seed", "step")
        return f"Network({', '.join(f'{n}={self.about[n]!r}' for n in names if n in self.about)})"

    @cached_property
    def weights(self) -> dict[str, np.ndarray]:
        """The arrays that training changes, by name, at this step. Raises Unreadable for a damaged
        file."""
        file, name = _checkpoints(Path(self.about["path"])), self.about["identity"]
        index = file.header["runs"][name]["steps"].index(self.about["step"])
        return Parameters(file, name, run_arrays(file, name), index)

    @cached_property
    def representation(self) -> Any:
        """What the measures of the workflow read of the network: its `layers`, `samples`, `scores`
        and whatever else its experiment has. Raises Unreadable for damaged data."""
        path = Path(self.about["path"])
        spec = _checkpoints(path).header["runs"][self.about["identity"]]["spec"]
        package = f"experiments.{self.about['experiment']}"
        store = next(each.parent for each in path.parents if each.name == NETWORKS)
        source = _source(package, store, self.about["data"], self.about["seed"])
        return source.of(named(package, "spec").Spec.model_validate(spec), self.weights)

    @cached_property
    def layers(self) -> list[np.ndarray]:
        """The activity of each layer, (items, units). Items are the centres of clusters, the items
        of a gating task, the class means of images, or images. The numbers of layers in `results`
        begin with `representation.first_layer`, where 0 is the input."""
        seen = self.representation
        if hasattr(seen, "layers"):
            return seen.layers
        return [layer.rows for layer in seen.layers_of_items(seen.usual_items)]

    @property
    def inputs(self) -> np.ndarray:
        """(items, inputs): what the network sees."""
        return getattr(self.representation, "inputs", self.layers[0])

    @property
    def targets(self) -> np.ndarray:
        """(items, outputs): what it learns. For networks that name images: (items,), their
        classes."""
        seen = self.representation
        return seen.targets if hasattr(seen, "targets") else seen.labels(seen.usual_items)


# Networks of one file share them. The files never change.
@lru_cache(maxsize=8)
def _checkpoints(path: Path) -> Arrays:
    return Arrays(path, NETWORKS)


@lru_cache(maxsize=8)
def _source(package: str, store: Path, data: str, seed: int) -> Any:
    # Not above, since a table of networks needs nothing of the workflow.
    from repatlas.workflow.stages.prepare import data_of_seed

    places = (f"tasks/*/*/*/{data}.safetensors", f"images/*/*/{data}.safetensors")
    found = [path for place in places for path in store.glob(place)]
    if not found:
        raise FileNotFoundError(f"{store}: the data {data} of these networks are gone")
    arrays = data_of_seed(Arrays(found[0], "data"), seed)
    return named(package, "represent").Source(arrays, seed, Decoders(), "cpu")


def load(folder: str | Path = "results", **settings: Any) -> list[Network]:
    """Return the stored networks that have these settings, in the order of `networks`.

    settings: columns of the table of `networks`, each with one value or a list of values:
    `load(activation="tanh", delta=0.5, step=2000, seed=[0, 1])`. Arrays are read from disk when
    they are asked for, so a long list costs no memory.

    Raises ValueError for a column that the table does not have, and for a value that no network
    has. The message names the values that there are.
    """
    table, asked = networks(folder), []
    for name, wanted in settings.items():
        if name not in table:
            raise ValueError(f"found the setting {name!r}, expected one of {', '.join(table)}")
        values = wanted if isinstance(wanted, list | range | np.ndarray) else [wanted]
        asked.append(f"{name}={wanted!r}")
        chosen = table[table[name].isin(list(values))]
        if chosen.empty:
            there = sorted(table[name].dropna().unique().tolist(), key=str)
            some = ", ".join(map(repr, there[:MOST_SHOWN])) or "none of the others has a value"
            raise ValueError(f"found no network with {', '.join(asked)}; expected {name}: {some}")
        table = chosen
    return [
        Network(
            {name: value for name, value in row.items() if value is not pd.NA and value == value}
        )
        for row in table.to_dict("records")
    ]
