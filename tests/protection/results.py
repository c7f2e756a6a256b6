"""Are results what they were, to the bit? For a preview or a whole run, before and after a change.

    python tests/protection/results.py freeze FOLDER          write frozen/NAME.json
    python tests/protection/results.py compare FOLDER         compare with frozen/NAME.json
    python tests/protection/results.py compare FOLDER OTHER   which rows differ?

FOLDER has results of studies: results, results/preview, results/own/law ... NAME follows from it.
Freeze with the environment variables of the run, since OPENBLAS_CORETYPE changes numbers.

Exit code: 0, all is equal; 1, something differs; 2, wrong arguments; 77, skipped: the numbers were
frozen on another type of CPU, and training amplifies the last bits. Then run the old and the new
code here, and compare the two folders.

What counts as equal: for each table and measure the same rows, in any order. A row is all columns
that had a value when the table was frozen, except `run`, the name of a network. New columns do not
count. A number is its 64 bits, whatever its type in the file. Missing is missing, null or nan.
"""

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from machine import differences, machine

FROZEN = Path(__file__).with_name("frozen")
NAMES = ("run", "measure")
"""Columns that are not in a digest: the name of a network may change, and each measure has its own
digest."""
FOUND = ("value", "low", "high", "intra", "inter", "x", "y")
"""Columns of numbers that are computed. All others say what a row is about."""
JUDGED = ("claim_verdict", "verdict", "value", "low", "high", "p")
MISSING = np.uint64(0x7FF8000000000000)
SHOWN = 3


def read(path: Path) -> pd.DataFrame:
    """Return a table with columns of texts and of numbers in double precision."""
    table = pq.ParquetFile(path).read()
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        is_text = pa.types.is_string(kind) or pa.types.is_dictionary(kind)
        is_text = is_text or pa.types.is_large_string(kind)
        column = column.cast(pa.string() if is_text else pa.float64())
        columns[name] = column.to_pandas()
    return pd.DataFrame(columns)


def tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the tables of the figures of all studies in a folder, by study and figure."""
    paths = sorted(folder.glob("*/tables/*.parquet"))
    if not paths:
        stop(f"{folder} has no STUDY/tables/*.parquet: name a folder such as results/preview.")
    return {f"{path.parts[-3]}/{path.stem}": read(path) for path in paths}


def claims(folder: Path) -> dict[str, list[Any]]:
    """Return what is found in each check of each claim, by study, claim and number of the check."""
    found = {}
    for path in sorted(folder.glob("*/claims/claims.parquet")):
        rows = read(path)
        for row in rows.to_dict("records"):
            check = "not tested" if pd.isna(row["check"]) else f"check {row['check']:.0f}"
            judged = [None if pd.isna(row[name]) else row[name] for name in JUDGED]
            found[f"{path.parts[-3]} {row['claim']}, {check}"] = judged
    return found


def columns_of(table: pd.DataFrame) -> list[str]:
    """Return the columns that count: those with a value."""
    return sorted(name for name in table if name not in NAMES and table[name].notna().any())


def by_measure(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return dict(list(table.groupby("measure"))) if "measure" in table else {"": table}


def bits(table: pd.DataFrame, columns: list[str]) -> np.ndarray:
    """Return the rows of a table as 64-bit integers, (rows, columns): equal if and only if the
    texts and the bits of the numbers are equal."""
    parts = [np.empty((len(table), 0), np.uint64)]
    for name in columns:
        if name not in table:
            codes = np.full(len(table), MISSING)
        elif table[name].dtype == np.float64:
            codes = table[name].to_numpy().view(np.uint64)
            codes = np.where(table[name].isna(), MISSING, codes)
        else:
            values, texts = pd.factorize(table[name])
            hashes = [hashlib.sha256(text.encode()).digest()[:8] for text in texts]
            codes = [*map(int.from_bytes, hashes), MISSING]  # pandas gives -1 to what is missing
            codes = np.array(codes, np.uint64)[values]
        parts.append(codes[:, None])
    return np.hstack(parts)


def summary(rows: pd.DataFrame, columns: list[str]) -> dict[str, Any]:
    """Return the number of rows of a measure, five numbers of its values, and the digest of its
    rows in any order."""
    values = rows["value"].to_numpy() if "value" in rows else np.empty(0)
    finite = values[np.isfinite(values)]
    numbers = {}
    if len(finite):
        for name in ("mean", "std", "min", "median", "max"):
            numbers[name] = float(f"{getattr(np, name)(finite):.6g}")
    ordered = bits(rows, columns)
    ordered = ordered[np.lexsort(ordered.T)] if columns else ordered
    digest = hashlib.sha256(" ".join(columns).encode() + ordered.astype("<u8").tobytes())
    counts = {"rows": len(rows), "missing": int(np.isnan(values).sum())}
    return counts | numbers | {"digest": digest.hexdigest()[:16]}


def frozen_form(folder: Path, frozen: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what is frozen of a folder. Tables have the columns in `frozen`, if it is given."""
    found = {"machine": machine(), "columns": {}, "measures": {}, "claims": claims(folder)}
    for name, table in tables(folder).items():
        columns = (frozen or {"columns": {}})["columns"].get(name) or columns_of(table)
        found["columns"][name] = columns
        for measure, rows in by_measure(table).items():
            found["measures"][f"{name} {measure}"] = summary(rows, columns)
    return found


def frozen_path(folder: Path) -> Path:
    """Return the path of the frozen file of a folder: preview.json of .../results/preview."""
    parts = folder.absolute().parts
    if "results" not in parts:
        stop(f"{folder} is not in a folder called results.")
    below = parts[len(parts) - parts[::-1].index("results") :]
    return FROZEN / f"{'-'.join(part for part in below if part != 'own') or 'whole'}.json"


def freeze(folder: Path) -> int:
    """Write the frozen file of a folder, a line for each measure."""
    found, path = frozen_form(folder), frozen_path(folder)
    sections = []
    for section, entries in found.items():
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items()]
        sections.append(f'"{section}": {{\n' + ",\n".join(lines) + "\n}")
    path.parent.mkdir(exist_ok=True)
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n")
    counts = Counter(name.split("/")[0] for name in found["columns"])
    print(f"{path}: {path.stat().st_size} bytes, {len(found['measures'])} measures in tables of")
    print(", ".join(f"{study} ({number})" for study, number in counts.items()), end=", ")
    print(f"and {len(found['claims'])} checks of claims")
    return 0


def compare_with_frozen(folder: Path) -> int:
    """Print what differs from the frozen file."""
    path = frozen_path(folder)
    if not path.exists():
        stop(f"{path} is missing: freeze {folder} first.")
    frozen = json.loads(path.read_text())
    if other_machine := differences(frozen["machine"], machine()):
        print(f"skipped: {path.name} was frozen on another type of CPU ({other_machine}),")
        print("so numbers are not compared. Run the old code in another folder of this machine,")
        print(f"then: python tests/protection/results.py compare OLD/{folder} {folder}")
        return 77
    found = frozen_form(folder, frozen)
    lines = changed(frozen["measures"], found["measures"], shown)
    lines += changed(frozen["claims"], found["claims"], str)
    if lines and (packages := differences(frozen["machine"], found["machine"], ("packages",))):
        lines.append(f"Frozen with other packages: {packages}.")
    if lines:
        lines.append("Which rows? Run the old code in another folder, and compare OLD NEW.")
    return exit_code(lines, f"{len(found['measures'])} measures and {len(found['claims'])} checks")


def shown(entry: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in entry.items())


def changed(old: dict[str, Any], new: dict[str, Any], in_words: Any) -> list[str]:
    """Return a line for each entry that is missing, new or another one."""
    lines = [f"{name}: missing" for name in old if name not in new]
    lines += [f"{name}: new" for name in new if name not in old]
    for name in old:
        if name in new and old[name] != new[name]:
            lines.append(f"{name}:\n  old {in_words(old[name])}\n  new {in_words(new[name])}")
    return lines


def compare_folders(old: Path, new: Path) -> int:
    """Print which rows differ between two folders."""
    of_old, of_new, number = tables(old), tables(new), 0
    lines = [f"{name}: only in {old}" for name in of_old if name not in of_new]
    lines += [f"{name}: only in {new}" for name in of_new if name not in of_old]
    for name in sorted(of_old.keys() & of_new.keys()):
        columns, none = columns_of(of_old[name]), of_old[name][:0]
        before, after = by_measure(of_old[name]), by_measure(of_new[name])
        number += len(before)
        for measure in sorted(before.keys() | after.keys()):
            rows = before.get(measure, none), after.get(measure, none)
            lines += different_rows(f"{name} {measure}", *rows, columns)
    checks = claims(old)
    lines += changed(checks, claims(new), str)
    return exit_code(lines, f"{number} measures and {len(checks)} checks")


def different_rows(
    name: str, old: pd.DataFrame, new: pd.DataFrame, columns: list[str]
) -> list[str]:
    """Return how the rows of a measure differ, and the first ones: rows about the same thing as
    old -> new, and others as missing or new."""
    new = new.reindex(columns=columns)
    both, rows = (numbered(old, columns), numbered(new, columns)), (len(old), len(new))
    old, new = old[~both[0].isin(both[1])], new[~both[1].isin(both[0])]
    if old.empty and new.empty:
        return []
    about = [column for column in columns if column not in FOUND]
    found = [column for column in FOUND if column in columns]
    old, new = (each.set_index(numbered(each, about)) for each in (old, new))
    paired = old.index.intersection(new.index)
    lines = [f"{name}: {len(old)} of {rows[0]} rows are not among the new ones"]
    lines[0] += f", and {len(new)} of {rows[1]} new ones not among the old"
    if len(paired):
        largest = (new.loc[paired, found] - old.loc[paired, found]).abs().max().max()
        lines[0] += f"; the largest difference is {largest:.3g}"
    for key in [*old.index, *new.index.difference(paired)][:SHOWN]:
        sides = [dict(each.loc[key]) if key in each.index else {} for each in (old, new)]
        row = sides[0] or sides[1]
        what = " ".join(f"{name}={row[name]}" for name in about if not pd.isna(row[name]))
        before, after = ({name: float(side[name]) for name in found if side} for side in sides)
        if key in paired:
            numbers = (f"{name} {before[name]} -> {after[name]}" for name in found)
            numbers = (text for text in numbers if text.split()[1] != text.split()[3])
        else:
            what = f"{'missing' if before else 'new'}: {what}"
            numbers = (f"{name} {number}" for name, number in (before or after).items())
        lines.append(f"  {what}: {', '.join(numbers)}")
    return lines


def numbered(rows: pd.DataFrame, columns: list[str]) -> pd.MultiIndex:
    """Return an index in which equal rows are numbered, so that each is there once."""
    keys = pd.Series(list(map(bytes, bits(rows, columns))), dtype=object)
    return pd.MultiIndex.from_arrays([keys, keys.groupby(keys).cumcount()])


def exit_code(lines: list[str], number: str) -> int:
    """Print the lines, or that all is equal; return the exit code."""
    print("\n".join(lines) or f"{number} are equal to the bit")
    return 1 if lines else 0


def stop(message: str) -> None:
    print(message, file=sys.stderr)
    sys.exit(2)


def main(arguments: list[str]) -> int:
    match arguments:
        case ["freeze", folder]:
            return freeze(Path(folder))
        case ["compare", folder]:
            return compare_with_frozen(Path(folder))
        case ["compare", folder, other]:
            return compare_folders(Path(folder), Path(other))
    stop(f"found {' '.join(arguments)!r}, allowed: freeze FOLDER, compare FOLDER [OTHER]")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
