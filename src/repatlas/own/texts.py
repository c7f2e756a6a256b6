"""Texts as values: texts from the names of files and from the cells of tables."""

import re
from collections.abc import Iterable

Value = int | float | str


def natural(value: Value) -> tuple:
    """Return a key for sorting, by which "layer10" comes after "layer9" and numbers come before
    texts.

    >>> sorted(["layer10", "layer9", "conv"], key=natural)
    ['conv', 'layer9', 'layer10']
    """
    if not isinstance(value, str):
        return (0, value)
    parts = re.split(r"(\d{1,1000})", value)  # Python makes no number of more than 4300 digits
    numbered = [(int(part), "") if n % 2 else (-1, part) for n, part in enumerate(parts)]
    return (1, *numbered, value)


def listed(values: Iterable, most: int = 5) -> str:
    """Return the first few of some values, for a sentence, and how many more there are.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    values = list(values)
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(map(repr, values[:most])) + more
