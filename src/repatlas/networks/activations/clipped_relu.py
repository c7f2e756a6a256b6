"""The ReLU that saturates on both sides, min(max(u, 0), 1) (paper, section 9)."""

from repatlas.networks.clipped import clipped

ACTIVATION = clipped(0.0, 1.0, colour="#7A5BA6")
