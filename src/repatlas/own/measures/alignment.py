"""Debiased kernel alignment (CKA) with the values of each variable."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from repatlas.inference.nulls import SHUFFLED
from repatlas.own.blocks import exchange
from repatlas.own.result import PLAIN, Result, draws_of, reasons
from repatlas.own.similarities.alignment import pairs
from repatlas.own.trials import Trials


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield the alignment with the values of each variable (one-hot): of items, or of the means of
    conditions. Chance is 0; p permutes items, a random 1000 of them where there are more. Fewer
    than 8 have the plain alignment, with its chance level."""
    if seen.rows == "items":
        x, levels, of, drawn = seen.samples, seen.levels, "items", seen.drawn
    else:
        x, levels, of = seen.means, seen.table, "conditions"
        drawn = seen.drawn._replace(groups=None)
    way = exchange(drawn.groups, levels)
    drawn = drawn._replace(draws=drawn.draws if way.allowed else 0, within=way.within)
    for column, name in enumerate(seen.names):
        y = np.eye(len(seen.values[column]))[levels[:, column]]
        [pair] = pairs([x], [y], drawn, {})
        found, reason = pair.result, pair.result.reason.replace("items", of)
        if np.isnan(found.value) and len(np.unique(levels[:, column])) < 2:
            reason = "the variable has one value alone"
        elif np.isnan(found.value):
            reason = reason.replace(" of a, or of b,", "")
        has_suffix = of == "conditions" and found.variant != PLAIN
        how = found.variant + (", of conditions' means" if has_suffix else "")
        reason = reasons(reason, way.reason)
        yield found._replace(about=name, of=of, variant=how, reason=reason)
        if np.isfinite(found.value):
            yield from draws_of("alignment", name, {SHUFFLED: pair.permuted})
