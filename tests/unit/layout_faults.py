"""Find what is wrong with the layout of a drawn figure, in the figure itself: no picture of a
correct figure is stored."""

import numpy as np
from drawn_words import Drawn
from fault import Fault
from looks_of_lines import alike_lines, seemingly_dashed
from overlaps_of_words import (
    legends_on_data,
    letters_on_axes,
    texts_at_the_edge,
    texts_on_data,
    texts_on_texts,
)
from readable_type import hyphens_for_minus, missing_glyphs, small_type
from scales_of_measures import bands_beyond_the_range, unlike_limits

PAGE = 235 / 25.4
"""Inches that a page of text is high: A4 and letter, minus their margins."""
CAPTION_SIZE = 8.0
"""Points of the type of captions, whose lines are 1.2 of it apart, with half of it a character."""
UNEVEN = 0.5
"""Points by which panels of one row may differ."""


def faults(figure, caption=""):
    drawn = Drawn(figure)
    return [
        *texts_on_texts(drawn),
        *texts_on_data(drawn),
        *texts_at_the_edge(drawn),
        *letters_on_axes(drawn),
        *small_type(drawn),
        *missing_glyphs(drawn),
        *hyphens_for_minus(drawn),
        *legends_on_data(drawn),
        *uneven_rows(figure),
        *unlike_limits(figure),
        *bands_beyond_the_range(figure),
        *alike_lines(figure),
        *seemingly_dashed(figure),
        *too_high(figure, caption),
    ]


def uneven_rows(figure):
    """Yield rows of a grid whose panels do not begin and end at one height."""
    rows = {}
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is not None and ax.axison and ax.get_visible():
            span = place.rowspan
            row = rows.setdefault((id(place.get_gridspec()), span.start, span.stop), [])
            row.append(ax.get_window_extent())
    for boxes in rows.values():
        for end in ("y0", "y1"):
            places = [getattr(box, end) * 72 / figure.dpi for box in boxes]
            if np.ptp(places) > UNEVEN:
                side = "bottom" if end == "y0" else "top"
                yield Fault("rows", f"{np.ptp(places):.1f} points between panels at the {side}")


def too_high(figure, caption):
    """Yield a fault if a figure does not fit on a page with its caption, which is as wide."""
    width, height = figure.get_size_inches()
    lines = np.ceil(len(caption) * 0.5 * CAPTION_SIZE / (72 * width))
    below = lines * 1.2 * CAPTION_SIZE / 72
    if height + below > PAGE + 1e-6:
        yield Fault("height", f"{height:.1f} inches and {below:.1f} of caption on {PAGE:.1f}")
