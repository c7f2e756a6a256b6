"""Add one value to a setting: the figure shows it, or the config refuses it. The networks with
this value are copies of others, so a figure that pools them looks as before."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from said_and_shown import texts_of

from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.config.study import Study
from repatlas.figures.role import Role
from repatlas.named import named
from repatlas.record import Record

COLUMNS = {
    "network.kind": "network",
    "network.units": "width",
    "task.geometry": "draw",
    "task.kind": "task",
}
"""The columns of settings whose column has another name."""


@cache
def study_of(name: str) -> Study:
    return read_config(load([Path(__file__).parents[2] / "config.yaml"]).values).studies[name]


def column_of(place: str) -> str:
    return COLUMNS.get(place, place.split(".")[-1])


def shown(role: Role) -> set[str]:
    """Return the settings that may have several values in a figure."""
    return {*role.shown}


def places_of(study: str, figure: str) -> list[str]:
    """Return the settings that may have several values in any sweep of a figure."""
    roles = named(f"studies.{study}", figure).FIGURE.roles.values()
    return sorted({place for role in roles for place in shown(role)})


def takers(study: Study, figure: str, place: str, value: object) -> list[str]:
    """Return the keys of a figure whose sweeps may have this value in addition to their own.

    It is added to the sweep with most values, or to all sweeps. Other keys refuse the value or have
    no such setting."""
    roles, found = study.figures[figure].figure.roles, []
    for key, grids in study.sweeps_of(figure).items():
        having = [name for name in grids if _values(grids[name], place)]
        if place in shown(roles[key]) and having:
            widest = max(having, key=lambda name: len(_values(grids[name], place)))
            if any(_takes(roles[key], grids, names, place, value) for names in ([widest], having)):
                found.append(key)
    return found


def _takes(
    role: Role, grids: dict[str, Record], names: list[str], place: str, value: object
) -> bool:
    try:
        role.check("figure", grids | {name: _with(grids[name], place, value) for name in names})
    except ValueError:
        return False
    return True


def _part(grid: Record, place: str) -> tuple[Record, str]:
    *parts, name = place.split(".")
    return (getattr(grid, parts[0]) if parts else grid), name


def _values(grid: Record, place: str) -> list:
    part, name = _part(grid, place)
    found = getattr(part, name, None)
    return found if isinstance(found, list) else [found] * (name in type(part).model_fields)


def _with(grid: Record, place: str, value: object) -> Record:
    part, name = _part(grid, place)
    more = part.model_copy(update={name: [*_values(grid, place), value]})
    return more if part is grid else grid.model_copy(update={place.split(".")[0]: more})


def with_one_more(rows: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    """Return the rows, and copies of the rows with the last value, which have another value."""
    known = rows[column].dropna()
    of_last = rows[rows[column] == known.max()] if len(known) else rows[:0]
    runs = {
        name: of_last[name].map(lambda run: f"{run}x", na_action="ignore")
        for name in ("run", "other_run")
        if name in rows
    }
    more = of_last.assign(**{column: value}, **runs)
    return pd.concat([rows, more.astype(rows.dtypes)], ignore_index=True)


def _with_one_more_ratio(rows: pd.DataFrame, value: float) -> pd.DataFrame:
    """Return the rows with one more participation ratio of inputs, which is measured."""
    ratios = rows[rows["measure"] == "input_participation_ratio"].drop_duplicates("run")
    ratio = rows["run"].map(ratios.set_index("run")["value"])
    more = with_one_more(rows.assign(ratio=ratio), "ratio", value)
    is_new = (more["ratio"] == value) & (more["measure"] == "input_participation_ratio")
    return more.assign(value=more["value"].mask(is_new, value)).drop(columns="ratio")


def rows_with_one_more(
    rows: dict[str, pd.DataFrame], study: str, figure: str, place: str, value: object
) -> dict[str, pd.DataFrame]:
    """Return the rows of a figure by its keys, with one more value; {} if the config refuses it.

    The sweeps that may have the value get it, and so do all comparisons."""
    column, options = column_of(place), study_of(study).figures[figure]
    taken = rows.keys() & takers(study_of(study), figure, place, value)
    if not taken:
        return {}
    if place == "task.rank":
        return rows | {key: _with_one_more_ratio(rows[key], value) for key in taken}
    changed = [key for key in taken | (rows.keys() - options.figure.roles) if column in rows[key]]
    return rows | {key: with_one_more(rows[key], column, value) for key in changed}


def is_told(before: Figure, after: Figure, value: object, name: str) -> bool:
    """Return True if a figure shows a value that the figure before did not have.

    It then has a new panel, cell of an image, look, position on an axis, or text with the value's
    name."""
    more_panels = len(after.axes) > len(before.axes)
    named = any(name in text for text in _texts(after) - _texts(before))
    return bool(
        more_panels
        or named
        or value in _places(after) - _places(before)
        or _looks(after) - _looks(before)
    )


def _texts(figure: Figure) -> set[str]:
    ticks = [
        label.get_text()
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for label in axis.get_ticklabels()
    ]
    return {*texts_of(figure), *ticks}


def _places(figure: Figure) -> set[float]:
    """Return all coordinates of lines and dots."""
    lines = [line.get_xydata() for ax in figure.axes for line in ax.lines]
    dots = [of.get_offsets() for ax in figure.axes for of in ax.collections]
    return {float(place) for each in (*lines, *dots) for place in np.ravel(each)}


def _looks(figure: Figure) -> set[tuple]:
    """Return how lines, dots and bars look, and the sizes of images."""
    found = set()
    for ax in figure.axes:
        found |= {
            (to_hex(line.get_color()), repr(line.get_linestyle()), line.get_marker())
            for line in ax.lines
        }
        found |= {tuple(map(to_hex, of.get_facecolor())) for of in ax.collections}
        found |= {(to_hex(bar.get_facecolor()), bar.get_hatch()) for bar in ax.patches}
        found |= {image.get_array().shape for image in ax.images}
    return found
