"""Colours as readers see them, also without a type of cones or in grey."""

import numpy as np
from matplotlib.colors import to_rgb

LEAST_DIFFERENCE = 20.0
"""CIELAB units. Colours that differ by 2 can be distinguished side by side. Thin lines at a
distance need about ten times as much."""
FAINT = 30.0
"""CIELAB units from white. Texts may lie on lines that are as faint: guides, not data."""


def hardest_to_tell(one, other):
    """Return the sight in which two colours are closest, and their distance there."""
    found = {
        name: float(np.linalg.norm(lab(seen(one)) - lab(seen(other))))
        for name, seen in SIGHTS.items()
    }
    return min(found.items(), key=lambda pair: pair[1])


def is_seen(colour):
    return (
        np.linalg.norm(lab(np.array(to_rgb(colour))) - lab(np.ones(3))) > FAINT
        if not isinstance(colour, str) or colour.lower() != "none"
        else False
    )


def lab(rgb):
    """Return the CIELAB values of an sRGB colour, (3,) from 0 to 1, under D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ _linear(np.asarray(rgb, float)) / [0.95047, 1, 1.08883]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def luminance(rgb):
    """Return the relative luminance of an sRGB colour, 1 for white."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ _linear(np.asarray(rgb, float)))


def _linear(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _gamma(linear):
    linear = np.clip(linear, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def _without(cones):
    """Return how colours look without one type of cones.

    The matrices have severity 1 in Machado, Oliveira and Fernandes (2009)."""
    matrix = np.array(cones)
    return lambda rgb: _gamma(matrix @ _linear(np.asarray(rgb, float)))


def _grey(rgb):
    return np.full(3, _gamma(luminance(rgb)))


SIGHTS = {
    "deuteranopia": _without(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": _without(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "grey": _grey,
}  # fmt: skip
"""How colours are seen."""
