"""Items are joined by their names, never by their positions."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from repatlas.experiments.files.columns import Value, listed
from repatlas.record import Refused


def item_name(value: Value | bool) -> str:
    """Return the name of an item. The name of a whole number is its digits, whatever type a file
    gives it.

    >>> item_name(7), item_name(7.0), item_name("face 7")
    ('7', '7', 'face 7')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def refuse_repeated(names: Sequence[str], where: str) -> None:
    """Refuse names that occur in several rows. where: the words for these rows in a message."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    if repeated := {name: at for name, at in rows.items() if len(at) > 1}:
        first, at = next(iter(repeated.items()))
        raise Refused(
            f"{where}: {len(repeated)} items are repeated ({listed(repeated)}), {first!r} in rows"
            f" {listed(at)} counted from 0; allowed: each once, or trials: true if they are repeats"
        )


def common_items(names: Mapping[str, Sequence[Hashable]], inner: bool) -> list[Hashable]:
    """Return the items that all of some sets of rows have, in the order of the first set.

    names: the items of each set, by how a sentence names it; a repeated one counts once. inner:
    whether items that some lack may be dropped. Raises Refused where one lacks an item and this is
    not allowed, and where nothing is left.

    >>> common_items({"a": ["cat", "dog"], "b": ["dog", "cat"]}, inner=False)
    ['cat', 'dog']
    >>> common_items({"a": ["cat", "dog"], "b": ["dog", "cow"]}, inner=True)
    ['dog']
    """
    sets = {where: dict.fromkeys(items) for where, items in names.items()}
    everything = dict.fromkeys(item for items in sets.values() for item in items)
    shared = [item for item in everything if all(item in items for items in sets.values())]
    if not shared:
        first, *others = sets
        apart = [other for other in others if not sets[first].keys() & sets[other].keys()]
        other = (apart or others or [first])[0]
        raise Refused(
            f"{first} and {other} have no item in common: found {listed(sets[first], 3)} and"
            f" {listed(sets[other], 3)}"
        )
    if len(shared) < len(everything) and not inner:
        lacking = []
        for where, items in sets.items():
            if missing := [item for item in everything if item not in items]:
                lacking.append(f"{where} lacks {len(missing)} ({listed(missing)})")
        raise Refused(
            f"items are not the same in all: {'; '.join(lacking[:3])}; allowed: the same items, or"
            " join: inner to drop those that some lack"
        )
    return shared


def matched(names: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """Return, for each of these items, the number of its row. names: of all rows, each once.

    >>> matched(["dog", "cow", "cat"], ["cat", "dog"])
    array([2, 0])
    """
    row = {name: number for number, name in enumerate(names)}
    return np.array([row[name] for name in wanted], dtype=np.int64)
