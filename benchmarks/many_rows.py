"""The same as tables.py of a table of 10^8 rows, of twelve million networks: an hour, and 15 GB of
disk."""

from tables import section

ROWS = 100_000_000


def report(smoke: bool = False) -> str:
    """The section on large tables, in Markdown."""
    return section("A table of 100,000,000 rows", [2_000 if smoke else ROWS])
