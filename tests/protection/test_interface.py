"""Each documented call returns what it returned when interface.parquet was frozen.

    python tests/protection/test_interface.py freeze

Numbers are equal to the bit on the type of CPU on which they were frozen. On another one they agree
to a relative 1e-6 or to 1e-7. Two other kernels of OpenBLAS changed them by 4e-7 and 4e-8 at most,
in intervals of alignment, which use single precision. A mistake changes the first digits. p values
count draws, so they are equal everywhere, as texts are. A reason with another text and a new column
are warnings.
"""

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from calls import CALLS
from machine import differences, machine

FROZEN = Path(__file__).with_name("interface.parquet")
RELATIVE, ABSOLUTE = 1e-6, 1e-7
EXACT = {"p", "p_geometry", "p_family"}


def scalars(value: Any, column: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the numbers and texts of a result in order, each with the name of its column."""
    if isinstance(value, pd.DataFrame):
        value = {name: value[name].tolist() for name in value}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        for name, part in value.items():
            yield from scalars(part, f"{column} {name}".strip())
    elif isinstance(value, list | tuple | np.ndarray):
        for part in value:
            yield from scalars(part, column)
    else:
        yield column, value


def output(call: str) -> pd.DataFrame:
    """Return the result of a call: a row for each number or text, in its column."""
    rows, counts = [], Counter()
    for column, value in scalars(CALLS[call]()):
        is_text = isinstance(value, str)
        number = np.nan if is_text or value is None else float(value)
        rows.append((call, column, counts[column], number, value if is_text else None))
        counts[column] += 1
    return pd.DataFrame(rows, columns=["call", "column", "row", "number", "text"])


def changes(old: pd.DataFrame, new: pd.DataFrame, to_the_bit: bool) -> tuple[list[str], list[str]]:
    """Return what is wrong in a new output, and what is only to be looked at, as sentences."""
    wrong, other = [], []
    of_old, of_new = (dict(list(each.groupby("column"))) for each in (old, new))
    wrong += [f"the column {name!r} is missing" for name in of_old if name not in of_new]
    other += [f"the column {name!r} is new" for name in of_new if name not in of_old]
    for name in (each for each in of_old if each in of_new):
        before, after = of_old[name], of_new[name]
        if len(before) != len(after):
            wrong.append(f"{name!r} has {len(after)} values, frozen {len(before)}")
            continue
        texts = zip(before["text"].fillna(""), after["text"].fillna(""), strict=True)
        different = [f"{name!r} is {b!r}, frozen {a!r}" for a, b in texts if a != b]
        (other if name.endswith("reason") else wrong).extend(different)
        x, y = (each["number"].to_numpy() for each in (before, after))
        is_exact = to_the_bit or name.split()[-1:] == ["p"] or name in EXACT
        tolerances = (0, 0) if is_exact else (RELATIVE, ABSOLUTE)
        same = np.isclose(y, x, *tolerances, equal_nan=True)
        for row in np.flatnonzero(~same)[:3]:
            size = f"by {y[row] - x[row]:.2g}; {np.sum(~same)} of {len(x)} values differ"
            wrong.append(f"{name!r}, row {row}: {float(y[row])}, frozen {float(x[row])}, {size}")
    return wrong, other


@pytest.fixture(scope="module")
def frozen():
    table = pq.read_table(FROZEN)
    about = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    return dict(list(table.to_pandas().groupby("call"))), about


@pytest.mark.parametrize("call", CALLS)
def test_a_documented_call_returns_what_is_frozen(call, frozen):
    outputs, about = frozen
    assert call in outputs, f"{call!r} is not frozen: python {sys.argv[0]} freeze"
    other_machine = differences(about, machine())
    wrong, other = changes(outputs[call], output(call), to_the_bit=not other_machine)
    for each in other:
        warnings.warn(f"{call}: {each}", stacklevel=1)
    how = f"to {RELATIVE}: {other_machine}" if other_machine else "to the bit"
    assert not wrong, f"{call} (compared {how})\n" + "\n".join(wrong)


def test_each_frozen_call_is_still_made(frozen):
    assert set(frozen[0]) == set(CALLS)


def freeze() -> None:
    """Write the outputs of all calls."""
    table = pa.Table.from_pandas(pd.concat(map(output, CALLS)), preserve_index=False)
    pq.write_table(table.replace_schema_metadata(machine()), FROZEN, compression="zstd")
    print(f"{len(CALLS)} calls, {len(table)} values, {FROZEN.stat().st_size} bytes: {FROZEN}")


if __name__ == "__main__":
    if sys.argv[1:] != ["freeze"]:
        sys.exit(f"found {sys.argv[1:]}, allowed: freeze. To compare: pytest {__file__}")
    freeze()
