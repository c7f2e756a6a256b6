"""Negative numbers in words, as they are printed."""

import re


def true_minus(text: str) -> str:
    """The text with a minus sign before its negative numbers and between what is subtracted, in
    the place of a hyphen."""
    return re.sub(r"(?<![\w-])-(?=[\d.])|(?<=\s)-(?=\s[\d(])", "\N{MINUS SIGN}", text)
