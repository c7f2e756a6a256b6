"""The similarities of all pairs."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.figures.figure import Figure, Pairs
from repatlas.inference.intervals import median_interval
from repatlas.inference.permutation import max_t
from repatlas.inference.pseudovalues import pseudo_values
from repatlas.own.similarities import TITLES
from repatlas.plots.pair_matrix import draw_pairs
from repatlas.plots.style import Style
from repatlas.studies.own.rows import median_over_units, shown_columns

FIGURE = Figure(
    "The matrix of similarities of all pairs, and units to its right; a few pairs one by one.",
    comparisons={"of": Pairs("The comparison, as set-set: the two names in `between`.")},
)
CAPTION = """**{{ figure }}: similarities of all pairs.** A few pairs have a panel each, with all
similarities. Of more pairs, left: the matrix. Crosses: pairs that are no more similar than with
permuted items, p > .05 for all pairs together (max-T). Right: all pairs with 95 % jackknife
intervals over items, where these are known to hold, and chance, dotted. Where there are units, each
representation in one unit is compared with the same in another. The similarity of two typical units
has its interval (the median of pseudo-values, since pairs share units)."""

OF_REPRESENTATION = ("representation", "label", "unit", "order")
BOTH = ["representation", "label", "other_representation", "other_label"]


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return all pairs, with the p values of all pairs of a measure together (max-T).

    If there are units, medians over pairs of different units are there, too.
    """
    frame = rows["of"].copy()
    for _, group in frame.groupby("measure"):
        frame.loc[group.index, "p_family"] = _p_family(group)
    return shown_columns(pd.concat([frame, _over_units(frame)], ignore_index=True))


def _p_family(group: pd.DataFrame) -> np.ndarray:
    """Return the p values of a measure's pairs together; nan for pairs without a value."""
    found = np.full(len(group), np.nan)
    has = group["statistic"].notna().to_numpy() & group["permuted"].notna().to_numpy()
    if has.any():
        draws = np.stack([np.asarray(of, dtype=float) for of in group["permuted"][has]], axis=1)
        found[has] = max_t(group["statistic"][has].to_numpy(dtype=float), draws)
    return found


def _over_units(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the median over units of the similarity of two labels, each in another unit.

    Pairs share units, so an interval over pairs would be too short. Each unit has one value: within
    a set its pseudo-value, and with a set without units its only one.
    """
    several = frame[frame["unit"].notna()]
    within = several["representation"] == several["other_representation"]
    other = several["unit"] != several["other_unit"]
    inside = several[within & other]
    outside = several[~within & several["other_unit"].isna()]
    mirrored = inside.rename(columns=_swapped())[frame.columns]
    found = []
    both = pd.concat([inside, mirrored, outside], ignore_index=True)
    for keys, group in both.groupby([*BOTH, "measure"], sort=False):
        of_units = _unit_values(group)
        interval = median_interval(of_units)
        if np.isnan(of_units).all():  # of two units there are no pseudo-values
            interval = interval._replace(value=float(group["value"].median()))
        found.append(
            dict(zip([*BOTH, "measure"], keys, strict=True))
            | {"other_order": group["other_order"].min()}
            | median_over_units(group, interval, group["unit"].nunique())
        )
    return pd.DataFrame(found)


def _unit_values(group: pd.DataFrame) -> np.ndarray:
    """Return one value for each unit."""
    if group["other_unit"].isna().all():
        return group["value"].to_numpy(dtype=float)
    units = sorted({*group["unit"], *group["other_unit"]})
    table = group.pivot_table(index="unit", columns="other_unit", values="value", dropna=False)
    return pseudo_values(table.reindex(index=units, columns=units).to_numpy(dtype=float))


def _swapped() -> dict[str, str]:
    others = {name: f"other_{name}" for name in OF_REPRESENTATION}
    return others | {other: name for name, other in others.items()}


def draw(table: pd.DataFrame, style: Style) -> Any:
    return draw_pairs(table, style, TITLES)
