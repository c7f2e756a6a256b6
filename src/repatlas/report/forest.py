"""A row of the forest plot of claims, as a small drawing in the table: how sure a verdict is."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from repatlas.claims.verdicts import CONTRADICTED, UNDECIDED
from repatlas.plots.forest import END, Found
from repatlas.report.rows import Row
from repatlas.stages.plot_claims import found_by

WIDTH, HEIGHT, MARGIN = 120, 16, 6
"""Pixels of the drawing; the ends of its scale are the margin away from its ends."""
MIDDLE = HEIGHT / 2
CROSS = "M{0:.1f} {1:.1f}l6 6m0 -6l-6 6"
ARROW = "M{0:.1f} {1:.1f}l{2} -4v8z"


def forest_row(row: Row) -> Markup:
    """Return the drawing of a claim's checks: its interval and how far it is from the limit.

    The line in the middle is the limit. Its right side is what the claim expects. Units of claims
    differ, so the unit is half the length of each interval: linear up to 1, logarithmic up to 100.
    The drawing is empty without an interval.
    """
    main = found_by(row.main) if row.main else None
    if main is None:
        return Markup("")
    others = [found_by(check) for check in row.checks if check is not row.main]
    parts = [
        f'<path class="scale" d="M{MARGIN} {MIDDLE:g}H{WIDTH - MARGIN}"/>',
        f'<path class="limit" d="M{WIDTH / 2} 0v{HEIGHT}"/>',
        *(f'<path class="other" d="M{_place(each.beyond):.1f} 4v8"/>' for each in others if each),
        *_mark(main, row.verdict),
    ]
    look = row.verdict.replace(" ", "-")
    return Markup(
        f'<svg class="forest {look}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def _mark(main: Found, verdict: str) -> Sequence[str]:
    """Return the interval with a dot, a cross or a circle, or an arrow where the scale ends."""
    x = _place(main.beyond)
    if abs(main.beyond) > END:
        back = -6 if main.beyond > 0 else 6
        return [f'<path class="dot" d="{ARROW.format(x + 3 * np.sign(-back), MIDDLE, back)}"/>']
    low, high = sorted((_place(main.low), _place(main.high)))
    line = f'<path class="interval" d="M{low:.1f} {MIDDLE:g}H{high:.1f}"/>'
    if verdict == CONTRADICTED:
        return [line, f'<path class="cross" d="{CROSS.format(x - 3, MIDDLE - 3)}"/>']
    look = "circle" if verdict == UNDECIDED else "dot"
    return [line, f'<circle class="{look}" cx="{x:.1f}" cy="{MIDDLE:g}" r="3"/>']


def _place(distance: float) -> float:
    """Return the pixels from the left of a distance.

    >>> [_place(each) for each in (-100, 0, 1, 10, 1000)]
    [6.0, 60.0, 78.0, 96.0, 114.0]
    """
    size = min(abs(distance), END)
    scaled = size if size <= 1 else 1 + np.log10(size)
    reach = (WIDTH / 2 - MARGIN) / (1 + np.log10(END))
    return float(WIDTH / 2 + np.sign(distance) * scaled * reach)
