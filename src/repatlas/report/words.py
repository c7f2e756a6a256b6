"""Words of the report page and the gallery."""

import re
from collections import Counter
from collections.abc import Sequence

from repatlas.claims.summary import ORDER
from repatlas.report.rows import Row


def figure_name(name: str) -> str:
    """Return the name of a figure in a text: fig01 is Figure 1, figS4 is Figure S4, and over_layers
    is over layers."""
    found = re.fullmatch(r"fig0?(\w+)", name)
    return f"Figure {found[1]}" if found else name.replace("_", " ")


def capitalized(name: str) -> str:
    return name[0].upper() + name[1:]


def verdict_sentence(rows: Sequence[Row]) -> str:
    """Return how many claims of a figure have which verdict; an empty text without claims."""
    counts = Counter(row.verdict for row in rows)
    parts = [f"{counts[verdict]} {verdict}" for verdict in ORDER if counts[verdict]]
    return f"Claims: {', '.join(parts)}." if parts else ""
