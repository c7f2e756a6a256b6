"""A fault of a layout."""

from typing import NamedTuple


class Fault(NamedTuple):
    """kind: a few words that all faults of one check have, such as "text on data"."""

    kind: str
    about: str
