"""The measures of `together`, on noisy samples of clusters alone, of which there are thousands."""

from repatlas.similarities.together import SETTINGS, rows

__all__ = ["DRAWS", "ON", "SETTINGS", "rows"]

DRAWS = 4
"""With so many items the floor hardly differs between draws."""
ON = "samples"
