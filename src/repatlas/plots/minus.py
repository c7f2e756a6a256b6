"""Negative numbers and names of settings in words, as they are printed."""

import re

SYMBOLS = {"sigma_test": "\N{GREEK SMALL LETTER SIGMA}_test", "delta": "δ"}
"""What the names of columns and options are in print."""


def true_minus(text: str) -> str:
    """Return the text with minus signs instead of hyphens, before negative numbers and between the
    terms of a difference."""
    return re.sub(r"(?<![\w-])-(?=[\d.])|(?<=\s)-(?=\s[\d(])", "\N{MINUS SIGN}", text)


def typeset(text: str) -> str:
    """Return the text of a check, with δ for delta and a minus sign before numbers."""
    for name, symbol in SYMBOLS.items():
        text = re.sub(rf"\b{name}\b", symbol, text)
    return true_minus(text)
