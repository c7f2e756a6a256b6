"""One number with all that says what it is worth, and a table of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

DataFrame: TypeAlias = "pd.DataFrame"
"""A text, since pandas is slow to import."""
NAN = float("nan")
ITEMS_NEEDED = 8
"""The fewest items for which debiased alignment is reported. It needs 4 without the largest block
of the jackknife, and intervals six blocks; of fewer than 8 items they are too wide to say
anything."""
FEWEST_ITEMS = 3
"""The fewest items for which plain alignment is reported; for two it is always 1."""
PLAIN = "plain kernel alignment, of few items: compare with chance"
MOST_PERMUTED = 1000
"""The most items in permutations of alignment, whose time and memory grow with their square."""


SMALL = 0.05
NULLS = "nulls"
"""The attribute of a table of measures with the draws of their nulls."""


class Result(NamedTuple):
    """One number. If it is missing it is nan, and `reason` says why."""

    measure: str
    value: float
    variant: str
    """The estimator; of a draw of a null the name of this."""
    about: str = ""
    """The variable."""
    low: float = NAN
    high: float = NAN
    """The ends of the 95 % interval."""
    chance: float = NAN
    """The value that means nothing."""
    p: float = NAN
    """The p value of the null that nothing is coded, or nothing shared."""
    p_geometry: float = NAN
    """The p value of the null that as much is coded, in random directions."""
    n: int = 0
    """The rows, conditions or items that the number is computed from; for decoders the rows of a
    draw."""
    of: str = "rows"
    """What n counts."""
    reason: str = ""
    draw: int | None = None
    """The number of a draw of a null, whose value this is."""
    cluster: int | None = None
    """The condition, for a number about one."""
    neuron: int | None = None
    """The axis, for a coordinate."""


def reasons(*parts: str) -> str:
    """Return one reason of several, without those that are empty."""
    return "; ".join(part.rstrip(".") for part in parts if part)


def explained(result: Result) -> Result:
    """Return a result whose reason says why its interval and its p value seem to disagree, if they
    do."""
    is_above = result.low > result.chance
    is_small, is_below = result.p <= SMALL, result.high < result.chance
    if not result.p > 0 or not (is_above or is_below or is_small) or (is_above and is_small):
        return result
    if not result.low <= result.high:  # no interval
        return result
    two = (
        "the interval says how much other rows would change the value, p what unrelated labels give"
    )
    why = f"p is one-sided, and large below chance; {two}" if is_below else two
    return result._replace(reason=reasons(result.reason, why))


def draws_of(measure: str, about: str, nulls: Mapping[str, NDArray[Any]]) -> Iterator[Result]:
    """Yield one row for each draw of the nulls, by name."""
    for name, values in nulls.items():
        for number, value in enumerate(values):
            yield Result(measure, float(value), name, about=about, draw=number)


def frame(rows: Iterable[dict[str, Any]], columns: list[str]) -> DataFrame:
    """Return a table of rows with these columns. `how` is the estimator."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("repatlas.own returns a pandas DataFrame: pip install pandas") from None
    return pd.DataFrame([row | {"how": row["variant"]} for row in rows], columns=columns)
