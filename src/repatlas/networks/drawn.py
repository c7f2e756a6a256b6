"""Activation functions drawn at random, each with a number.

A function is a line with three smooth bends: at -left, 0 and +right of a moved argument. Its dials
are drawn from the stream of its number, so the function of a number never changes:

    f(u) = g(u + offset)
    g(v) = a v + sum_k jump_k / 2 (sqrt((v - place_k)^2 + width^2) - |place_k|)

jump_k is the change of the slope at a bend, and `a` is the mean of the first and the last slope.
ReLU, leaky ReLU, hard tanh, the identity and |u| are limits of the family, for a width of 0.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from repatlas.streams import stream

BENDS = 3
MOST = 100_000
"""The number of functions."""


class Dials(NamedTuple):
    """What is drawn for a function."""

    gain: float
    """The slope between 0 and `right`: 0.5 to 2, uniform in its logarithm."""
    evenness: float
    """0 to 1: the slope between -left and 0 is gain (1 - 2 evenness). 0 is odd there, 1 is even."""
    left_saturation: float
    """Part of the slope that is lost below -left: nothing in a third of the functions, everything
    in a third, and uniform in between in a third."""
    right_saturation: float
    """Part of the slope that is lost above `right`, drawn in the same way."""
    left: float
    """Where the left side bends: 0.25 to 2.5, uniform in its logarithm."""
    right: float
    """Where the right side bends, drawn in the same way."""
    offset: float
    """How far the function is moved along its argument: normal, with a deviation of 0.5."""
    width: float
    """Width of the bends, the smoothness: 0.02 to 2, uniform in its logarithm."""


class Shape(NamedTuple):
    """The function as numbers."""

    offset: float
    line: float
    """The slope `a` of the line"""
    constant: float
    square: float
    """The width of a bend, squared"""
    places: tuple[float, ...]
    """Where the bends are"""
    halves: tuple[float, ...]
    """Half of the change of the slope at each bend"""

    def value(self, u: np.ndarray) -> np.ndarray:
        """Return f(u)"""
        v = u + self.offset
        found = self.line * v + self.constant
        for place, half in zip(self.places, self.halves, strict=True):
            # A power, because torch has it, too.
            found = found + half * ((v - place) ** 2 + self.square) ** 0.5
        return found

    def slope(self, u: np.ndarray) -> np.ndarray:
        """Return f'(u)"""
        v = u + self.offset
        found = np.full_like(v, self.line)
        for place, half in zip(self.places, self.halves, strict=True):
            found += half * (v - place) / np.sqrt((v - place) ** 2 + self.square)
        return found

    def module(self) -> Any:
        """Return a new torch module that computes f, for autograd."""
        import torch

        value = self.value

        class Drawn(torch.nn.Module):
            def forward(self, u):
                return value(u)

        return Drawn()

    def numbers(self) -> np.ndarray:
        """Return all numbers in one vector, for loops that take any function."""
        parts = self.offset, self.line, self.constant, self.square
        return np.array([*parts, *self.places, *self.halves])


@cache
def dials(number: int) -> Dials:
    """Return the dials of the function of this number."""
    generator = stream(number, "activation function")
    gain, evenness, left, right, width = generator.uniform(size=5)
    saturation = (_saturation(*generator.uniform(size=2)) for _ in range(2))
    return Dials(
        gain=float(2 ** (2 * gain - 1)),
        evenness=float(evenness),
        left_saturation=next(saturation),
        right_saturation=next(saturation),
        left=float(0.25 * 10**left),
        right=float(0.25 * 10**right),
        offset=float(0.5 * generator.standard_normal()),
        width=float(0.02 * 100**width),
    )


def _saturation(choice: float, part: float) -> float:
    """Return what is lost of the slope, from two numbers that are uniform in 0 to 1."""
    return 0.0 if choice < 1 / 3 else 1.0 if choice < 2 / 3 else float(part)


@cache
def shape(number: int) -> Shape:
    """Return the function of this number."""
    return shape_of(dials(number))


def shape_of(chosen: Dials) -> Shape:
    """Return the function with these dials."""
    right = chosen.gain
    left = right * (1 - 2 * chosen.evenness)
    slopes = [left * (1 - chosen.left_saturation), left, right]
    slopes.append(right * (1 - chosen.right_saturation))
    places = (-chosen.left, 0.0, chosen.right)
    halves = tuple(float(half) for half in np.diff(slopes) / 2)
    constant = -sum(half * abs(place) for half, place in zip(halves, places, strict=True))
    line = (slopes[0] + slopes[-1]) / 2
    return Shape(chosen.offset, line, constant, chosen.width**2, places, halves)
