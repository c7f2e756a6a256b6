"""The piecewise linear tanh, min(max(u, -1), 1)."""

from repatlas.networks.clipped import clipped

ACTIVATION = clipped(-1.0, 1.0, colour="#9C4A1A")
