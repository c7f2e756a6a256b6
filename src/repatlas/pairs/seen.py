"""What measures of pairs see of each of two networks, and the rows that they return."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from repatlas.networks.layer import Layer
from repatlas.pairs.compared import Compared
from repatlas.record import Record
from repatlas.similarity import ThinSVD, thin_svd


class Settings(Record):
    """The settings of measures of pairs that a config may choose."""

    svcca_k: list[int] = Field([8])
    """Numbers of leading directions that SVCCA keeps, in addition to the directions with 99 % of
    the variance."""


class Row(NamedTuple):
    """One number about two networks."""

    measure: str
    variant: str
    value: float
    unit: int | None = None
    r"""The rank of a unit in descending order, or its number"""
    other_unit: int | None = None
    """The number of a unit of the other network"""
    at: float | None = None
    """The value is a function of this: a penalty, or a number of directions"""
    similarity: bool = True
    """True if a larger value means more alike"""
    kept: tuple[int, int] | None = None
    """The numbers of directions of each that were kept"""
    sd: float = np.nan
    """The standard deviation over the draws that the value is a mean of"""
    reason: str | None = None
    """Why there is no value"""


class Network:
    """A network at one step. Its layers are made once for each set of items."""

    def __init__(
        self,
        compared: Compared,
        spec: Any,
        seed: int,
        parameters: dict[str, NDArray[Any]],
        numbers: list[int] | None = None,
    ):
        """Open a network. numbers: the numbers of the wanted layers; None for all."""
        self.spec, self.seed = spec, seed
        self._compared, self._parameters, self._numbers = compared, parameters, numbers
        self._layers: dict[str, dict[tuple[int, str], Layer]] = {}
        self._inputs: dict[str, NDArray[np.float64]] = {}

    def layers(self, items: str) -> dict[tuple[int, str], Layer]:
        """Return the layers that are wanted, by number and reduction. Raises ValueError for a set
        of items or a layer that there is not."""
        if items not in self._layers:
            if items not in self.sets:
                raise ValueError(f"found items {items!r}, allowed: {', '.join(self.sets)}")
            found = self._compared.layers(self.spec, self._parameters, items)
            numbers = sorted({layer.number for layer in found})
            wanted = numbers if self._numbers is None else self._numbers
            if absent := [number for number in wanted if number not in numbers]:
                allowed = ", ".join(map(str, numbers))
                raise ValueError(f"found layer {absent[0]}, allowed: {allowed}")
            self._layers[items] = {
                (layer.number, layer.variant): layer for layer in found if layer.number in wanted
            }
            for layer in found:
                if layer.number == 0:
                    self._inputs[items] = layer.rows
        return self._layers[items]

    def inputs(self, items: str) -> NDArray[np.float64]:
        """Return what the network is shown, (items, n), whichever layers are used."""
        self.layers(items)
        return self._inputs[items]

    @property
    def sets(self) -> tuple[str, ...]:
        return self._compared.sets(self.spec)

    def seen(self, items: str, number: int, variant: str = "") -> Seen:
        """Return a layer for a set of items."""
        layer = self.layers(items)[number, variant]
        return Seen(layer.rows, layer.groups, self, items, number, variant, layer.name)

    @property
    def goes_on(self) -> bool:
        """True if the experiment can compute the rest of a network from a changed layer."""
        return hasattr(self._compared, "logits_from")

    def logits_from(self, number: int, activity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (m, K): the logits that the rest of the network makes of a layer's activity, (m,
        n). Raises ValueError for a layer from which it cannot go on."""
        return self._compared.logits_from(self.spec, self._parameters, number, activity)

    def labels(self, items: str) -> NDArray[np.intp]:
        """Return (m,): the class of each item of a set."""
        return self._compared.labels(self.spec, items)


class Seen:
    """A layer of a network for m items. Its thin SVD is made once, whatever it is compared with."""

    def __init__(
        self,
        rows: NDArray[np.float64],
        groups: NDArray[np.intp] | None = None,
        network: Network | None = None,
        items: str = "",
        number: int = 0,
        variant: str = "",
        name: str = "",
        svd: Callable[[], ThinSVD] | None = None,
    ):
        """Store a layer.

        rows: (m, h). groups: (m,), the image of each row if rows are positions. svd: returns the
        thin SVD of the rows, if that is less work than to decompose them.
        """
        self.rows, self.groups, self._network = rows, groups, network
        self.items, self.number, self.variant, self.name = items, number, variant, name
        self._make_svd = svd or (lambda: thin_svd(rows))
        self._parts: dict[tuple[int, ...], Seen] = {}

    @property
    def network(self) -> Network:
        """The network, for measures that run a part of it."""
        assert self._network is not None, "these rows are of no network"
        return self._network

    @cached_property
    def svd(self) -> ThinSVD:
        return self._make_svd()

    @property
    def rank(self) -> int:
        return len(self.svd.values)

    def on(self, items: str) -> Seen:
        """Return the same layer for another set of items."""
        return self.network.seen(items, self.number, self.variant)

    def units(self, chosen: NDArray[np.intp]) -> Seen:
        """Return a representation of some units of the layer, (h', )."""
        key = tuple(chosen.tolist())
        if key not in self._parts:
            self._parts[key] = Seen(self.rows[:, chosen], self.groups)
        return self._parts[key]

    def in_order(self, order: NDArray[np.intp]) -> Seen:
        """Return the layer with its items in another order, (m,). It is not decomposed again."""
        return _Permuted(self, order)


class _Permuted(Seen):
    def __init__(self, whole: Seen, order: NDArray[np.intp]):
        super().__init__(
            whole.rows[order],
            whole.groups,
            whole._network,
            whole.items,
            whole.number,
            whole.variant,
            whole.name,
            lambda: whole.svd._replace(left=whole.svd.left[order]),
        )
        self._whole, self._order = whole, order

    def units(self, chosen: NDArray[np.intp]) -> Seen:
        return self._whole.units(chosen).in_order(self._order)


def row_or_reason(measure: str, variant: str, value: Callable[[], float], **more: Any) -> Row:
    """Return the row with a value; or, where that is refused for these data, with the reason."""
    try:
        found = float(value())
    except ValueError as error:
        return Row(measure, variant, np.nan, reason=str(error), **more)
    reason = "all items of a, or of b, are the same" if np.isnan(found) else None
    return Row(measure, variant, found, reason=reason, **more)
