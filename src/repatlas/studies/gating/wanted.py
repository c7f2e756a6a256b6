"""What figures of this study want in common of the networks that they draw."""

from typing import Any

from repatlas.figures.role import Role

CONTEXTS = {"task.kind": ("contexts",)}
XOR = {"task.kind": ("xor",)}
HETEROGENEOUS = CONTEXTS | {"task.blocks": ("heterogeneous",)}
HOMOGENEOUS = CONTEXTS | {"task.blocks": ("homogeneous",)}
WEIGHTS = {"network.sigma", "network.context_sigma"}
"""Initial weights, which the authors chose apart for each number of contexts."""


def role(
    about: str, measures: set[str], *kinds: str, only: dict[str, tuple], **settings: Any
) -> Role:
    """A role of networks on a few items, of these kinds. `axes` are the settings of which a figure
    shows several values."""
    axes = {"network.kind", *settings.pop("axes", ())}
    only = only | {"network.kind": kinds}
    return Role(about, measures, only, experiment="items", axes=axes, **settings)
