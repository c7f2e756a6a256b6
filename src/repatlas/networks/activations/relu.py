"""The rectified linear unit, max(u, 0)."""

from repatlas.networks.rectified import rectified

ACTIVATION = rectified(0.0, colour="#0072B2")
