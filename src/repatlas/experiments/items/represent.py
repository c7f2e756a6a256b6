"""What a network on a few items makes of them: hidden activity, outputs and maps of pathways."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.dynamics.units import masses
from repatlas.experiments.items.network import Seen
from repatlas.experiments.items.spec import Spec
from repatlas.experiments.items.task import Items
from repatlas.representation import Decoders
from repatlas.runs import Curve, Parameters, curves_of, run_arrays


class Source:
    """The representations of the networks of one seed."""

    def __init__(self, data: Arrays, seed: int, decoders: Decoders, device: str):
        self.data, self.seed, self.device = data, seed, "cpu"
        self.about: dict[str, Any] = {}

    def of(self, spec: Spec, parameters: dict[str, np.ndarray]) -> "Checkpoint":
        """Return what a network makes of its items. parameters: as stored, at one epoch."""
        items = Items(*(self.data[f"{spec.data}/{name}"] for name in Items._fields))
        return Checkpoint(spec, self.seed, items, parameters)

    def whole_run(self, spec: Spec, runs: Arrays, key: str) -> "Whole":
        """Return all that is stored of a run."""
        arrays = run_arrays(runs, key)
        steps = runs.header["runs"][key]["steps"]
        seen = {
            step: self.of(spec, Parameters(runs, key, arrays, index))
            for index, step in enumerate(steps)
        }
        return Whole(spec, self.seed, seen, curves_of(arrays))


class Checkpoint:
    """A network at an epoch, with its items."""

    variant = "items"
    first_layer = 1
    single_layer = None
    deviations = ()

    def __init__(self, spec: Spec, seed: int, items: Items, parameters: dict[str, np.ndarray]):
        self.spec, self.seed, self.items = spec, seed, items
        self.parameters = {
            name: values.astype(np.float64) if values.dtype.kind == "f" else values
            for name, values in parameters.items()
        }
        self.finite = all(np.isfinite(values).all() for values in self.parameters.values())
        self.inputs, self.targets = items.inputs.T, items.targets.T

    @cached_property
    def _seen(self) -> Seen:
        return self.spec.network.seen(self.spec.task, self.items, self.parameters)

    @property
    def layers(self) -> list[np.ndarray]:
        """(N, H) for each hidden layer."""
        return self._seen.layers

    @property
    def outputs(self) -> np.ndarray:
        """(N, n_out)"""
        return self._seen.outputs

    @property
    def maps(self) -> dict[str, np.ndarray]:
        """(n_out, n_in) for each pathway, by its name; none for a network without pathways."""
        return self.spec.network.maps(self.spec.task, self.parameters)

    def pathway_inputs(self) -> list[np.ndarray]:
        """Return (n_in, N) for each pathway: the inputs that reach it."""
        return self.spec.network.reached(self.spec.task, self.items)

    def pathway_outputs(self, number: int) -> dict[str, np.ndarray]:
        """Return (N, n_out), by its name, of the pathway of this number; none where there isn't
        one."""
        names = list(self.maps)
        if number >= len(names):
            return {}
        name = names[number]
        return {name: (self.maps[name] @ self.pathway_inputs()[number]).T}

    def activity(self, layer: int = -1) -> np.ndarray:
        """Return (H, C, n): of the units of a hidden layer, in each context, for each object."""
        task, hidden = self.spec.task, self.layers[layer]
        return hidden.T.reshape(-1, task.number_of_contexts, task.objects)

    @property
    def incoming(self) -> np.ndarray:
        """(H, n_in or H): the weights that go to the last hidden layer."""
        return self.parameters[f"weights{len(self.layers)}"]

    @property
    def outgoing(self) -> np.ndarray:
        """(n_out, H): the weights that come from the last hidden layer."""
        return self.parameters[f"weights{len(self.layers) + 1}"]

    @property
    def mass(self) -> np.ndarray:
        """(H,): of the units of the last hidden layer, |w_i| |v_i|."""
        return masses(self.incoming, self.outgoing)

    def samples(self, split: str, deviation: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the activity of the last hidden layer for each item, (N, H), and the number of
        each, (N,), for every split. No other items exist."""
        return self.layers[-1], np.arange(len(self.inputs))

    def scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield the loss, half the sum of squares over items and outputs."""
        yield "loss", "items", float(np.sum((self.outputs - self.targets) ** 2)) / 2


class Whole:
    """A run: a network at all of its checkpoints, and what was recorded between them."""

    def __init__(
        self, spec: Spec, seed: int, checkpoints: dict[int, Checkpoint], curves: dict[str, Curve]
    ):
        self.spec, self.seed, self.checkpoints, self.curves = spec, seed, checkpoints, curves

    def at_level(self, level: float) -> Checkpoint | None:
        """Return the network at the first epoch at which its loss was below this part of |Y|^2 / 2,
        one of 0.5, 0.25, 0.1, 0.05 and 0.01; None if it never was."""
        found = self.curves.get("level")
        if found is None or level not in found.values:
            return None
        place = found.values.tolist().index(level)
        parameters = {
            name.removeprefix("level/"): curve.values[place]
            for name, curve in self.curves.items()
            if name.startswith("level/")
        }
        first = next(iter(self.checkpoints.values()))
        return Checkpoint(self.spec, self.seed, first.items, parameters)
