"""Scales and bands of panels that do not fit their measure."""

import numpy as np
from fault import Fault
from matplotlib.collections import LineCollection, PolyCollection

RANGES = {
    "CCGP": (0, 1),
    "Decoding": (0, 1),
    "accuracy": (0, 1),
    "Parallelism": (-1, 1),
    "Target alignment": (0, 1),
    "Input alignment": (0, 1),
    "Recall": (0, 1),
    "Share": (0, 1),
    "Mass": (0, 1),
    "SVCCA": (0, 1),
    "Correlation": (-1, 1),
    "Similarity": (0, 1),
}
"""By a word of a title or of a vertical axis: what the measure cannot leave."""
FREE = ("over untrained", "over\nthose", "differ", "gain", "points", "debiased", "less", "norm")
FREE += ("tanh \N{MINUS SIGN}", "minus")
"""Words of titles and axes whose numbers are made of several values of the measure."""


def unlike_limits(figure):
    """Yield measures whose panels have different scales: one height means several numbers.

    A panel's title names its measure, or else its vertical axis does."""
    scales = {}
    for ax in figure.axes:
        said = ax.get_title() if _measures(ax.get_title()) else ax.get_ylabel()
        is_panel = ax.axison and ax.get_label() != "<colorbar>"
        if is_panel and _measures(said) and not is_free(said):
            scales.setdefault(said, []).append(np.sort(ax.get_ylim()))
    for said, limits in scales.items():
        if np.ptp(limits, axis=0).max() > 1e-6 * np.ptp(limits):
            ends = ", ".join(f"{low:.2f} to {high:.2f}" for low, high in limits)
            yield Fault("limits", f"{said!r}: {ends}")


def bands_beyond_the_range(figure):
    """Yield bands and error bars that leave the range of their measure."""
    for ax in figure.axes:
        said = f"{ax.get_title()} {ax.get_ylabel()}"
        limits = _measures(said)
        if not limits or is_free(said):
            continue
        low, high = min(limit[0] for limit in limits), max(limit[1] for limit in limits)
        for each in ax.collections:
            if isinstance(each, (PolyCollection, LineCollection)):
                ends = [path.vertices[:, 1] for path in each.get_paths() if len(path.vertices)]
                if all(np.ptp(heights) == 0 for heights in ends):
                    continue  # the measure is the horizontal axis
                ends = np.concatenate(ends)
                ends = ends[np.isfinite(ends)]
                if len(ends) and (ends.min() < low - 1e-6 or ends.max() > high + 1e-6):
                    yield Fault("range", f"{said.strip()!r}: {ends.min():.3f} to {ends.max():.3f}")
                    break


def _measures(said):
    return [limit for word, limit in RANGES.items() if word.lower() in said.lower()]


def is_free(said):
    return any(word in said.lower() for word in FREE)
