"""The measures of `together`, only on noisy samples of clusters. There are thousands of these."""

from repatlas.pairs.similarities.together import SETTINGS, rows

__all__ = ["DRAWS", "ON", "SETTINGS", "rows"]

DRAWS = 4
"""With this number of items the noise floor hardly differs between draws."""
ON = "samples"
