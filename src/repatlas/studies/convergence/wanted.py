"""What figures of this study want in common of the networks that they draw."""

from typing import Any

from repatlas.figures.role import Role

MLP = {"network.kind": ("mlp",)}
CNN = {"network.kind": ("small_cnn",)}
EITHER = {"network.kind": ("mlp", "small_cnn")}
"""One of the two: a figure shows both only where its role has the kind among its axes."""


def role(about: str, measures: set[str], only: dict[str, tuple] | None = None, **more: Any) -> Role:
    """A role of networks that name images. `axes` are the settings of which a figure shows several
    values; it shows both activations where a sweep has them."""
    axes = {"network.activation", *more.pop("axes", ())}
    return Role(about, measures, only or {}, experiment="classification", axes=axes, **more)
