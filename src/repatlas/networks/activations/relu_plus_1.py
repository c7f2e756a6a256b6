"""A ReLU moved along its argument, max(u + 1, 0) (paper, section 9)."""

from repatlas.networks.rectified import rectified

ACTIVATION = rectified(1.0, colour="#2E2E2E")
