"""The rules and what each waits for, as a drawing."""

from markupsafe import Markup

STEP = 44
"""Pixels between two rules"""
AXIS = 60
"""Pixels to the left of the rules, for the arcs of what skips a rule"""


def rule_graph(labels: dict[str, str], edges: list[tuple[str, str]]) -> Markup:
    """Return an SVG of the rules, from top to bottom in the order of `labels`, each with its label.

    Lines and arcs lead from each rule to the rules that read its files.
    """
    heights = {name: 20 + STEP * number for number, name in enumerate(labels)}
    parts = [_line(heights[source], heights[target]) for source, target in edges]
    for name, label in labels.items():
        parts += [
            Markup('<circle cx="{}" cy="{}" r="5"/>').format(AXIS, heights[name]),
            Markup('<text x="{}" y="{}"><tspan class="name">{}</tspan> {}</text>').format(
                AXIS + 14, heights[name] + 4, name, label
            ),
        ]
    names = ", ".join(f"{source} to {target}" for source, target in edges)
    start = Markup('<svg class="graph" viewBox="0 0 360 {}" role="img" aria-label="{}">').format(
        STEP * len(labels), f"What each rule passes on: {names}"
    )
    return start + Markup("").join(parts) + Markup("</svg>")


def _line(top: int, bottom: int) -> Markup:
    """Return a line between two rules. It bends farther to the left the more rules it skips."""
    out = AXIS - 0.42 * (bottom - top - STEP)
    return Markup('<path d="M{} {} C{} {} {} {} {} {}"/>').format(
        AXIS, top, out, top, out, bottom, AXIS, bottom
    )
