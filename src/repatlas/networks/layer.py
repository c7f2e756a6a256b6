"""A layer of a network, for comparisons with other layers."""

from typing import NamedTuple

import numpy as np


class Layer(NamedTuple):
    """What a layer makes of some items."""

    number: int
    """0 is the input, 1 the first hidden layer"""
    name: str
    """"input", "hidden1", "conv2", "logits", "softmax" """
    variant: str
    """The reduction of the positions of a convolution. "spatial": each position is a row; "pooled":
    the mean over positions; "flat": each position is a separate feature; "" for a layer without
    positions"""
    rows: np.ndarray
    """(m, n) float64"""
    groups: np.ndarray | None = None
    """(m,): the image of each row, where rows are positions; None where they are items"""
