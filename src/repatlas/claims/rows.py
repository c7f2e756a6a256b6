"""The rows of a table that claims need.

Rows that differ only in seed and value are of one kind. There are as many kinds as one seed has
rows, whatever the number of seeds. A claim selects among the kinds, and then gets the numbers of
each seed.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

ROW = np.dtype([("kind", np.int32), ("seed", np.int32), ("place", np.int64), ("value", np.float64)])
"""The number of the kind, the number of the seed, the position in the table, and the value."""
HAS_SEED = "has_seed"
"""The column of kinds that is true for rows with a seed."""


class RowsByKind(NamedTuple):
    """The rows of a table by their kinds."""

    kinds: pa.Table
    """The settings of each kind, in the order of the first rows"""
    seeds: np.ndarray
    """(seeds,), in ascending order"""
    rows: np.ndarray
    """(rows,) of ROW: the rows of each kind together, in the order of the table"""
    starts: np.ndarray
    """(kinds + 1,): where the rows of each kind begin, and where the last ones end"""
    run_of: np.ndarray
    """(kinds,): the number of the run of each kind"""

    def with_measures(self, measures: set[str]) -> "Rows":
        numbers = np.flatnonzero(self.kinds["measure"].to_pandas().isin(measures))
        return Rows(_frame_of(self.kinds.take(numbers)).set_axis(numbers), self)


class Rows(NamedTuple):
    """The rows of some kinds."""

    kinds: pd.DataFrame
    """The settings of each kind, by its number, in the order of the first rows"""
    table: RowsByKind
    counting: np.ndarray | None = None
    """(runs, seeds): whether the rows of a network count; None where all do"""

    @property
    def seeds(self) -> np.ndarray:
        return self.table.seeds

    def only(self, which: pd.Series) -> "Rows":
        return self._replace(kinds=self.kinds[which])

    def number_of_seeds(self) -> int:
        kinds = self.kinds.index[self.kinds[HAS_SEED]].to_numpy()
        return len(np.unique(self.of(kinds)["seed"]))

    def of(self, kinds: np.ndarray) -> np.ndarray:
        """Return the rows of these kinds that count, with the rows of each kind together."""
        _, _, rows, starts, run_of = self.table
        first, number = starts[kinds], starts[kinds + 1] - starts[kinds]
        within = np.arange(number.sum()) - np.repeat(number.cumsum() - number, number)
        rows = rows[np.repeat(first, number) + within]
        if self.counting is None:
            return rows
        return rows[self.counting[run_of[rows["kind"]], rows["seed"]]]

    def in_order(self, kinds: np.ndarray) -> np.ndarray:
        """Return the rows of these kinds that count, in the order of the table."""
        rows = self.of(kinds)
        return rows[np.argsort(rows["place"], kind="stable")]

    def with_networks(self, counting: np.ndarray) -> "Rows":
        """Return the rows of networks that count. counting: (runs, seeds), whether they count."""
        rows = Rows(self.kinds, self.table, counting).in_order(self.kinds.index.to_numpy())
        return Rows(self.kinds.loc[pd.unique(rows["kind"])], self.table, counting)


def by_kind(table: pa.Table, settings: list[str]) -> RowsByKind:
    """Return the rows of a table by their kinds. settings: the columns in which rows of one kind
    are equal."""
    has_seed = table["seed"].is_valid()
    own = table.select(settings).append_column(HAS_SEED, has_seed)
    first, kind = _kinds_of(own)
    kinds, there = own.take(first), has_seed.to_numpy()
    rows = np.zeros(len(table), ROW)
    rows["kind"], rows["place"] = kind, np.arange(len(table))
    rows["value"] = table["value"].to_numpy()
    seeds, rows["seed"][there] = np.unique(
        table["seed"].drop_null().to_numpy(), return_inverse=True
    )
    rows = rows[np.argsort(kind, kind="stable")]
    starts = np.searchsorted(rows["kind"], np.arange(len(kinds) + 1))
    run_of = np.unique(kinds["run"].fill_null("").to_numpy(), return_inverse=True)[1]
    return RowsByKind(kinds, seeds, rows, starts, run_of)


def _kinds_of(rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Return (kinds,): the position of the first row of each kind, in ascending order; and (n,):
    the kind of each row."""
    codes = pd.DataFrame(
        {
            name: rows[name].combine_chunks().dictionary_encode(null_encoding="encode").indices
            for name in rows.column_names
        }
    )
    number = codes.groupby(rows.column_names, sort=False).ngroup()
    return np.flatnonzero(~number.duplicated()), number.to_numpy()


def _frame_of(kinds: pa.Table) -> pd.DataFrame:
    """Return kinds as a data frame, in which texts are categories. A column without values keeps
    its type: categories without any entry, or numbers."""
    columns = {}
    for name, column in zip(kinds.column_names, kinds.columns, strict=True):
        is_text = pa.types.is_string(column.type)
        if column.null_count < len(column):
            columns[name] = (column.dictionary_encode() if is_text else column).to_pandas()
        elif is_text:
            columns[name] = pd.Categorical.from_codes(np.full(len(column), -1), [])
        else:
            columns[name] = np.full(len(column), np.nan)
    return pd.DataFrame(columns)
