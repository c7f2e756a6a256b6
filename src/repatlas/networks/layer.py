"""A layer of a network, as it is compared with those of others."""

from typing import NamedTuple

import numpy as np


class Layer(NamedTuple):
    """What a layer makes of some items."""

    number: int
    """0 is the input, 1 the first hidden layer"""
    name: str
    """"input", "hidden1", "conv2", "logits", "softmax" """
    variant: str
    """How positions of a convolution were reduced: "spatial", each position is a row; "pooled", the
    mean over them; "flat", each is a feature of its own; "" for a layer that has none"""
    rows: np.ndarray
    """(m, n) float64"""
    groups: np.ndarray | None = None
    """(m,): the image of each row, where rows are positions; None where they are items"""
