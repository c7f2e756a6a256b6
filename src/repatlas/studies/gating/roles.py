"""The parts of roles that figures of this study share: what they require of networks."""

from typing import Any

from repatlas.figures.role import Fits, Role, Settings, legend, networks, words
from repatlas.record import refuse

CONTEXTS = {"task.kind": ("contexts",)}
XOR = {"task.kind": ("xor",)}
HETEROGENEOUS = CONTEXTS | {"task.blocks": ("heterogeneous",)}
HOMOGENEOUS = CONTEXTS | {"task.blocks": ("homogeneous",)}
WEIGHTS = ("network.sigma", "network.context_sigma")
"""Initial weights, which the authors chose apart for each number of contexts."""
KIND = ("network.kind", "network.gradient", "network.constants", "task.blocks", "task.contexts")
"""What figures tell curves of networks and of theories apart by."""


def role(
    about: str,
    measures: set[str],
    *kinds: str,
    only: dict[str, tuple],
    shown: dict | None = None,
    **settings: Any,
) -> Role:
    """Return a role of networks on a few items, of these kinds.

    A figure may show several values of the settings in `shown`.
    """
    only = {"experiment": ("items",)} | only | {"network.kind": kinds}
    shown = legend("network.kind") | (shown or {})
    return Role(about, measures, only, shown=shown, **settings)


def one_of_each(*places: str) -> Fits:
    """Return a check for `Role.fits`. It refuses networks that are equal in these settings and
    differ in another. An example is two scales of initial weights for one number of contexts. The
    figure shows one median, or one line, for all of them."""

    def check(where: str, sweeps: dict) -> None:
        first: dict[tuple, Settings] = {}
        for each in networks(sweeps):
            told = {place: each[place] for place in places if each.get(place) is not None}
            one = first.setdefault(tuple(told.items()), each)
            for place in sorted(one.keys() | each.keys()):
                if one.get(place) != each.get(place):
                    about = ", ".join(f"{name} {words([value])}" for name, value in told.items())
                    refuse(
                        f"{where}: found {place} {words([one.get(place), each.get(place)])} for"
                        f" {about}, allowed: one value, since the figure shows all of them as one"
                    )

    return check
