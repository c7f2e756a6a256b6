"""A ReLU moved along its argument, max(u - 0.5, 0) (paper, section 9)."""

from repatlas.networks.rectified import rectified

ACTIVATION = rectified(-0.5, colour="#8C8C8C")
