"""Pseudo-populations: neurons of sessions that were not recorded together, side by side.

A row of a pseudo-population is a pseudo-trial: of each session one trial in which the same item
was shown, drawn at random and used once. So what neurons of one session have in common on a trial
stays, and between sessions there is no such thing. Sessions have unequal numbers of trials: of each
item there are as many pseudo-trials as the session with the fewest has. NeuroDecodeR (Meyers 2013)
and decodanda (Posani) draw many times and average; here the config's `draws` says how often.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from repatlas.experiments.files.table import common_items
from repatlas.own.texts import listed
from repatlas.record import Refused
from repatlas.streams import stream


class Pool(NamedTuple):
    """The rows of a pseudo-population."""

    sessions: list[str]
    r"""The sessions that take part, in order"""
    rows: np.ndarray
    """(m, sessions): the row of each session in a pseudo-trial"""
    items: list[Hashable]
    """(m,): the item of each pseudo-trial"""
    left_out: dict[str, int]
    r"""The trials of each session that are not used, since another session has fewer"""
    excluded: dict[str, str]
    """Sessions that do not take part: the item with the fewest trials in the session, and their
    number"""


def pooled(
    names: Mapping[str, Sequence[Hashable]], draw: int, inner: bool = False, least_trials: int = 1
) -> Pool:
    """Draw a pseudo-population.

    names: by session, the item of each row; or item and condition, where one item is seen in
    several. draw: the number of the draw: another one matches other trials, the same one always the
    same. A session's order does not depend on other sessions.
    least_trials: sessions with fewer trials of any item don't take part. inner: whether items may
    be dropped that some session lacks; it is then asked before `least_trials`.
    Raises Refused for items that a session lacks, and if no session is left.

    >>> found = pooled({"a": ["cat", "cat", "dog"], "b": ["dog", "cat"]}, draw=0)
    >>> found.items, found.left_out
    (['cat', 'dog'], {'a': 1, 'b': 0})
    """
    counts = {session: Counter(items) for session, items in names.items()}
    wanted = dict.fromkeys(item for items in names.values() for item in items)
    if inner:
        wanted = dict.fromkeys(common_items(names, inner=True))
    excluded = {}
    if least_trials > 1:
        for session, count in counts.items():
            fewest = min(wanted, key=count.__getitem__)
            if count[fewest] < least_trials:
                excluded[session] = f"{count[fewest]} trials of {fewest!r}"
    sessions = [session for session in names if session not in excluded]
    if not sessions:
        raise Refused(
            f"least_trials: found {least_trials}, and no session has as many of every item:"
            f" {listed(excluded.values(), 3)}"
        )
    shared = [
        item for item in common_items({s: names[s] for s in sessions}, inner) if item in wanted
    ]
    use = {item: min(counts[session][item] for session in sessions) for item in shared}
    columns = [_drawn(names[session], use, draw, session) for session in sessions]
    rows = np.stack(columns, axis=1)
    left_out = {session: sum(counts[session].values()) - len(rows) for session in sessions}
    items = [item for item, number in use.items() for _ in range(number)]
    return Pool(sessions, rows, items, left_out, excluded)


def _drawn(
    items: Sequence[Hashable], use: dict[Hashable, int], draw: int, session: str
) -> np.ndarray:
    """Return rows of a session: this number of rows of each item, in random order within each
    item."""
    left = {item: [] for item in use}
    for row in stream(draw, f"pool {session}").permutation(len(items)):
        if items[row] in left and len(left[items[row]]) < use[items[row]]:
            left[items[row]].append(row)
    return np.array([row for rows in left.values() for row in rows], dtype=np.int64)
