"""Figure S5: deep networks that learn the parities of a hypercube, as Figure 5."""

from repatlas.studies.structure.tables.fig05 import tabulate

__all__ = ["tabulate"]
