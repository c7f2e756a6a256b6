"""Decoding at one time by decoders of another time."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.figures.figure import Figure
from repatlas.inference.intervals import median_interval
from repatlas.plots.over_time import draw_over_time
from repatlas.plots.style import Style
from repatlas.studies.own.roles import FilesRole, with_one_of
from repatlas.studies.own.rows import median_over_units, shown_columns

FIGURE = Figure(
    "The accuracy of decoders at each time, fitted at each other time.",
    {"of": FilesRole("Sets of representations with times.", fits=(with_one_of("over_time"),))},
)
CAPTION = """**{{ figure }}: decoding at each time by decoders of each other time ({{
listed(facts.of.name | map("plain") | list) }}).** Each panel is one representation and variable.
Rows are the times of the fits, columns the times of the tests; white is chance. A code that stays
is red off the diagonal, too, and a code that turns around is blue. No trial is in a fit and in its
test, at other times neither. Of several units the medians are shown."""

PER_CELL = ["representation", "label", "about", "cluster", "neuron", "line", "place"]


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the accuracy of each pair of times, and medians over units. `line` is the time of the
    fit, `place` the time of the test. p is for all pairs of times together: p_family."""
    own = rows["of"][rows["of"]["measure"] == "over_time"]
    own = own.assign(p_family=own["p"], p=np.nan)
    for place, number in {"line": "cluster", "place": "neuron"}.items():
        names = zip(own["times"], own[number], strict=True)
        own[place] = [times[int(time)] for times, time in names]
    medians = []
    for keys, group in own[own["unit"].notna()].groupby(PER_CELL, sort=False):
        interval = median_interval(group["value"].to_numpy(dtype=float))
        medians.append(
            dict(zip(PER_CELL, keys, strict=True))
            | {"measure": "over_time"}
            | median_over_units(group, interval, int(group["value"].notna().sum()))
        )
        if np.isnan(interval.value):
            medians[-1]["reason"] = group["reason"].iloc[0]
    return shown_columns(pd.concat([own, pd.DataFrame(medians)], ignore_index=True))


def draw(table: pd.DataFrame, style: Style) -> Any:
    return draw_over_time(table, style)
