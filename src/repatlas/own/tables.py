"""Tables in files, as pandas data frames. Texts that are no plain numbers stay texts."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from repatlas.own.result import DataFrame

WHOLE = re.compile(r"-?(0|[1-9]\d*)")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)
NO_NAME = re.compile(r"[+-]?0\d.*|.*\.\d+0|\+.*")
"""Numbers that another spelling would not give back: 0001, 1.10, +1."""
TRUTHS = ({"True", "False"}, {"TRUE", "FALSE"}, {"true", "false"})


def typed(texts: Iterable[str]) -> list[Any]:
    """Return texts as whole numbers where all of them are, else as numbers where all are, else as
    they are. Texts that a number would not give back stay texts, all of them: 1.10 is not 1.1.

    >>> typed(["10", "9"]), typed(["10", "9.5"]), typed(["1.1", "1.10"]), typed(["007", "7"])
    ([10, 9], [10.0, 9.5], ['1.1', '1.10'], ['007', '7'])
    """
    values = list(texts)
    if not values:
        return []
    if all(map(WHOLE.fullmatch, values)):
        return [int(text) for text in values]
    if not all(map(NUMBER.fullmatch, values)) or not any(text[-1:].isdigit() for text in values):
        return values
    plain = {text for text in values if "e" not in text.lower()}
    if any(map(NO_NAME.fullmatch, plain)) or len({*map(float, plain)}) < len(plain):
        return values
    return [float(text) for text in values]


def csv_table(path: Path, sign: str) -> DataFrame:
    """Return a table of texts. sign: what is between columns. Raises ValueError."""
    import pandas as pd

    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [*csv.reader(file, delimiter=sign)]
    while rows and not rows[-1]:
        rows.pop()
    if len(rows) < 2:
        raise ValueError(f"{path}: has {len(rows)} rows, allowed: names of columns, and rows")
    names = [name.strip() for name in rows[0]]
    if len(names) == 1 and (other := next((s for s in ";\t" if s in names[0]), None)):
        raise ValueError(f"{path}: has columns separated by {other!r}, allowed: {sign!r}")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise ValueError(f"{path}: row {number} has {len(row)} cells, the first {len(names)}")
    missing = {"", "n/a"} if sign == "\t" else {""}
    columns = [_column(cells, missing) for cells in zip(*rows[1:], strict=True)]
    index = None if names[0] or len(names) == 1 else pd.Index(columns.pop(0))
    names = names[-len(columns) :]
    _refuse_no_names(path, names)
    return pd.DataFrame(dict(enumerate(columns)), index).set_axis(names, axis=1)


def _column(cells: tuple[str, ...], missing: set[str]) -> list[Any]:
    """Return the cells of a column; None for a missing one."""
    there = [text for text in cells if text not in missing]
    filled = iter(
        [text.lower() == "true" for text in there]
        if there and any({*there} <= words for words in TRUTHS)
        else typed(there)
    )
    return [None if text in missing else next(filled) for text in cells]


def _refuse_no_names(path: Path, names: list[str]) -> None:
    """Refuse a first line of numbers, unless these count from 0 or 1, as names may."""
    counts = [[str(number + first) for number in range(len(names))] for first in (0, 1)]
    if names in counts or not all(map(NUMBER.fullmatch, names)):
        return
    raise ValueError(
        f"{path}: its first line is of numbers, {', '.join(names[:3])} ...; allowed: the names of"
        " columns. Write them above it, or give pandas.read_csv(path, header=None) to measure"
    )


def parquet_table(path: Path) -> DataFrame:
    """Return a table with the index that pandas stored. Raises ValueError."""
    import pyarrow.parquet as pq

    # One thread: pyarrow's other threads may abort Python when it ends.
    checked = {"use_threads": False, "pre_buffer": False, "page_checksum_verification": True}
    table = pq.read_table(path, **checked)
    if not table.num_rows or not table.num_columns:
        raise ValueError(f"{path}: has {table.num_columns} columns and {table.num_rows} rows")
    return table.to_pandas(use_threads=False)


def numbers_of(table: DataFrame, where: str) -> DataFrame:
    """Return a table of numbers alone, those that are written as 1.10 among them.

    where: how a sentence names it. Raises ValueError for a column of texts.
    """
    import pandas as pd

    if all(map(pd.api.types.is_numeric_dtype, table.dtypes)):
        return table
    found = {}
    for number, name in enumerate(table.columns):
        column = table.iloc[:, number]
        try:
            found[number] = pd.to_numeric(column)
        except (ValueError, TypeError):
            some = next(cell for cell in column if not pd.isna(cell))
            raise ValueError(
                f"{where} has {some!r} in column {str(name)!r}; allowed in an array: numbers."
                f" Columns that describe rows belong into the labels, or the table `rows`."
            ) from None
    return pd.DataFrame(found).set_axis(table.columns, axis=1)
