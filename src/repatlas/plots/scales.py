"""Scales whose ticks are plain numbers."""

from typing import Any

from matplotlib.ticker import LogLocator, NullFormatter


def set_plain_log(ax: Any, subs: tuple[float, ...] = (1, 3)) -> None:
    """Make the vertical scale logarithmic, with ticks such as 0.01 and 0.03, and no powers of 10.

    `subs` are the multiples of powers of 10 that have a tick with a number.
    """
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=subs))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())
