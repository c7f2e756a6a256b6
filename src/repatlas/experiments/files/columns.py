"""Texts as values: texts from the names of files and from the cells of tables."""

import re
from collections import Counter
from collections.abc import Iterable

from repatlas.record import Refused

Value = int | float | str
WHOLE = re.compile(r"[+-]?\d+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)


def typed(texts: Iterable[str]) -> list[Value]:
    """Return texts as whole numbers where all of them are, else as numbers where all are, else as
    they are. One item that is called "nan" or "7a" leaves all of them texts.

    >>> typed(["10", "9"]), typed(["10", "9.5"]), typed(["10", "none"])
    ([10, 9], [10.0, 9.5], ['10', 'none'])
    """
    values = list(texts)
    if not values:
        return []
    if all(WHOLE.fullmatch(text) for text in values):
        return [int(text) for text in values]
    numbers = all(NUMBER.fullmatch(text) for text in values)
    # A column of words that are numbers only by chance, "nan" and "inf" alone, stays one of words.
    if numbers and any(text[-1:].isdigit() or text[-1:] == "." for text in values):
        return [float(text) for text in values]
    return list(values)


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


def refuse_equal_names(path: object, what: str, names: Iterable[str]) -> None:
    """Raise Refused where two columns or arrays of a file have one name: one would hide the other.

    Parameters
    ----------
    what: "columns" or "arrays", for the sentence.
    """
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        raise Refused(f"{path}: found several {what} named {twice[0]!r}, allowed: one")
