"""Words for the note under a figure, from its table: the number of networks, and what bars are."""

from collections.abc import Iterable

import pandas as pd

from repatlas.inference.intervals import FEWEST
from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import MOST_SEEN
from repatlas.plots.style import activation_name, activations, counted

NO_PAIRS = "No pair of a tanh and a ReLU network"


def networks(rows: pd.DataFrame, measure: str) -> str:
    """Return how many networks of each kind have this measure."""
    return counted(_number(rows, measure))


def mean_over(rows: pd.DataFrame, measure: str) -> str:
    """Return words that say over how many networks a mean is."""
    number = _number(rows, measure)
    if number == 0:
        return "no network is left"
    return f"{'of' if number == 1 else 'mean over'} {counted(number)}"


def mean_and_sd(rows: pd.DataFrame, measure: str) -> str:
    """Return the words for a mean over networks that is drawn with its standard deviation."""
    number = _number(rows, measure)
    if number == 0:
        return "no network is left"
    if number == 1:
        return "values of 1 network, so no SD"
    if number < FEWEST:
        return f"mean over {counted(number)}, no SD: {FEWEST} needed"
    return f"mean and SD over {counted(number)}"


def mean_and_networks(rows: pd.DataFrame, measure: str) -> str:
    """Return the words for a mean over networks that are drawn one by one, if they are few
    enough."""
    number = _number(rows, measure)
    if not 2 <= number <= MOST_SEEN:
        return mean_and_sd(rows, measure)
    return f"mean over {counted(number)}, thin: each of them"


def with_intervals(summaries: pd.DataFrame, rows: pd.DataFrame, measure: str) -> str:
    """Return True if these summaries over networks have intervals. `rows` are the rows of
    networks."""
    has = summaries["low"].notna()
    if not len(has):
        return "of which there are none"
    if has.all():
        return "with 95 % intervals"
    number = _number(rows, measure)
    missing = f"{counted(number)}, {FEWEST} needed"
    if number >= FEWEST:  # but a pair is lost with either of its networks
        missing = f"fewer than {FEWEST} networks left"
    if has.any():
        return f"with 95 % intervals where there are {FEWEST} networks or more"
    return f"no interval: {missing}"


def why_nothing(table: pd.DataFrame) -> str:
    """Return why a panel is empty, from all rows of its networks, also of networks that
    diverged."""
    return (
        "All networks diverged" if len(table) and not len(not_diverged(table)) else "Not measured"
    )


def listed(values: list, last: str = "and") -> str:
    """Return the values as words: a, b and c."""
    if not len(values):
        return "none"
    *others, end = map(str, values)
    return f"{', '.join(others)} {last} {end}" if others else end


def not_drawn(table: pd.DataFrame, drawn: Iterable[str]) -> str:
    """Return a sentence that names the activations of the table that a figure does not draw."""
    others = [activation_name(name) for name in activations(table) if name not in drawn]
    return f" Not drawn: {listed(others)}." if others else ""


def _number(rows: pd.DataFrame, measure: str) -> int:
    return not_diverged(rows[rows["measure"] == measure])["seed"].nunique()
