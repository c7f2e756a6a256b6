"""Negative numbers in words, as they are printed."""

import re


def true_minus(text: str) -> str:
    """The text with a minus sign before its negative numbers, in the place of a hyphen."""
    return re.sub(r"(?<![\w-])-(?=[\d.])", "\N{MINUS SIGN}", text)
