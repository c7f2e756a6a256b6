"""How much networks differ, in figures. Of fewer than FEWEST networks neither an interval nor a
standard deviation is drawn, and the line under the figure says so."""

import numpy as np
import pandas as pd

from repatlas.inference.intervals import FEWEST, median_interval
from repatlas.inference.pooling import not_diverged
from repatlas.plots.style import counted

FREE = (-np.inf, np.inf)
LIMITS = {
    "target_alignment": (0, 1),
    "input_alignment": (0, 1),
    "parallelism": (-1, 1),
    "ccgp": (0, 1),
    "decoding_trained": (0, 1),
    "decoding_untrained": (0, 1),
    "accuracy": (0, 1),
}
"""What each measure can be."""


def with_interval(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the median over networks, `value`, and its 95 % interval, `low` and `high`, for each
    combination of the columns `by`. The interval is nan where networks are too few for one."""
    found = []
    for about, group in not_diverged(rows).dropna(subset="value").groupby(by):
        about = about if isinstance(about, tuple) else (about,)
        interval = median_interval(group["value"].to_numpy(float))
        found.append(dict(zip(by, about, strict=True)) | interval._asdict())
    return pd.DataFrame(found, columns=[*by, "value", "low", "high"])


def with_sd(rows: pd.DataFrame, by: list[str], limits: tuple[float, float] = FREE) -> pd.DataFrame:
    """Return the mean over networks, `value`, and the ends `low` and `high` of its standard
    deviation, for each combination of the columns `by`, within the limits of the measure."""
    groups = rows.dropna(subset="value").groupby(by, dropna=False)["value"]
    return with_ends(groups.agg(value="mean", sd=deviation).reset_index(), limits)


def with_ends(means: pd.DataFrame, limits: tuple[float, float] = FREE) -> pd.DataFrame:
    """Return means, `value`, with the ends of their deviation, `sd`, within the limits of the
    measure. If rounding puts a mean itself outside of them, the mean is the end."""
    value, sd = (means[name].astype(float) for name in ("value", "sd"))
    return means.assign(
        low=np.minimum(value, (value - sd).clip(lower=limits[0])),
        high=np.maximum(value, (value + sd).clip(upper=limits[1])),
    )


def limits_of(rows: pd.DataFrame) -> tuple[float, float]:
    """Return what the measure of all rows can be, if it has limits."""
    found = {LIMITS.get(measure, FREE) for measure in rows.get("measure", pd.Series()).unique()}
    return found.pop() if len(found) == 1 else FREE


def deviation(values: pd.Series) -> float:
    """Return the standard deviation of one value for each network, nan for fewer than FEWEST."""
    return float(values.std()) if values.notna().sum() >= FEWEST else np.nan


def without_few(summaries: pd.DataFrame, networks: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the summaries with `sd` nan where fewer than FEWEST networks are behind a row.

    networks: a row or more for each network, which is behind the summaries that have the same
    values in the columns `by`. Rows without a value do not count.
    """
    numbers = numbers_of(networks, by).rename("networks").reset_index()
    found = summaries[by].merge(numbers, on=by, how="left")["networks"].fillna(0).to_numpy()
    return summaries.assign(sd=summaries["sd"].where(found >= FEWEST))


def numbers_of(networks: pd.DataFrame, by: list[str]) -> pd.Series:
    """Return how many networks there are for each combination of values of the columns `by`."""
    defined = networks.dropna(subset="value")
    return defined.groupby(by, dropna=False)["seed"].nunique()


def describe_sd(numbers: pd.Series, over: str = "") -> str:
    """Return words that say whether means over these numbers of networks have their standard
    deviation."""
    most, least = (int(end) for end in (numbers.max(), numbers.min())) if len(numbers) else (0, 0)
    if most < FEWEST:
        return f"no SD: {counted(most)}, {FEWEST} needed"
    where = f" where there are {FEWEST} networks or more" if least < FEWEST else ""
    return f"with SD{over}{where}"
