"""Figure S5: deep networks that learn the parities of a hypercube, as Figure 5."""

from repatlas.studies.structure.figures.fig05 import draw

__all__ = ["draw"]
