"""What a run says at its end: where the figures are, and which file to open first."""

from collections.abc import Sequence
from pathlib import Path


def ending(pictures: Sequence[Path], drawn: int, pages: Sequence[Path]) -> str:
    """Return what a run says at its end; nothing if the command asks for no figure.

    pictures: the figures that the command asks for, in the order of the config. drawn: how many of
    them this run drew. pages: the report pages that the command asks for.

    >>> print(ending([Path("results/structure/figures/fig01.png")], 1, []))
    1 figure (1 drawn in this run) in results/structure/figures
    Open first: results/structure/figures/fig01.png
    """
    if not pictures:
        return ""
    folders = dict.fromkeys(str(path.parent) for path in pictures)
    figures = f"{len(pictures)} figure{'s' * (len(pictures) > 1)}"
    first = [*pages, *pictures][0]
    return f"{figures} ({drawn} drawn in this run) in {', '.join(folders)}\nOpen first: {first}"
