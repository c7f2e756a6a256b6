"""Negative numbers as they are printed."""

import re


def true_minus(text: str) -> str:
    """Return the text with minus signs instead of hyphens, before negative numbers and between the
    terms of a difference."""
    return re.sub(r"(?<![\w-])-(?=[\d.])|(?<=\s)-(?=\s[\d(])", "\N{MINUS SIGN}", text)
