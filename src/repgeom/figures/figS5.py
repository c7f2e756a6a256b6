"""Figure S5: deep networks that learn the parities of a hypercube, as Figure 5."""

from repgeom.figures.fig05 import draw

__all__ = ["draw"]
