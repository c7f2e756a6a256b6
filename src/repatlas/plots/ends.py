"""The names of lines at their ends, instead of a legend."""

from typing import Any

import numpy as np

from repatlas.plots.style import ASIDE, END, LEADER, small_type


def name_ends(ax: Any, names: dict[str, Any], left: bool = False) -> None:
    """Write each name to the right, or the left, of the last point of its line, in the line's
    colour. Where names would touch one another, `settle` moves them apart, and shows thin lines
    from the points to names that moved far."""
    aside = {"xytext": (-ASIDE, 0), "ha": "right"} if left else {"xytext": (ASIDE, 0)}
    for name, line in names.items():
        places = np.asarray(line.get_xydata(), dtype=float)
        places = places[np.isfinite(places).all(axis=1)]
        if len(places):
            thin = {"arrowstyle": "-", "linewidth": 0.4, "color": line.get_color()}
            ax.annotate("", places[-1], **aside, textcoords="offset points", gid=LEADER,
                        arrowprops=thin | {"shrinkA": 2, "shrinkB": 2}, visible=False,
                        annotation_clip=False)  # fmt: skip
            ax.annotate(name, places[-1], **aside, textcoords="offset points", gid=END,
                        color=line.get_color(), size=small_type(), va="center",
                        linespacing=1, annotation_clip=False)  # fmt: skip
