"""The benchmark of tables.py for a table of 10^8 rows, of twelve million networks. It takes an
hour, and 15 GB of disk."""

from tables import section

ROWS = 100_000_000


def report(smoke: bool = False) -> str:
    """Return the section on large tables, in Markdown."""
    return section("A table of 100,000,000 rows", [2_000 if smoke else ROWS])
