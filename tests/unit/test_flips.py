"""Whichever bit of a file flips: its readers give what was written, or refuse it by its name."""

import random

import numpy as np
import pyarrow as pa
import pytest

from repatlas.artifacts.files import (
    Arrays,
    Unreadable,
    read_header,
    read_table,
    write_arrays,
    write_table,
)
from repatlas.artifacts.pages import read_page, write_page

HEADER = {"identity": "0123456789abcdef", "job": {"seed": 0}}
SCHEMA = pa.schema([pa.field("name", pa.string()), pa.field("value", pa.float64())])
ROWS = pa.table({"name": ["a", None, "b"], "value": [0.5, None, 2.0]}, schema=SCHEMA)
ARRAYS = {"one": np.arange(6, dtype=np.float32), "two": np.zeros((2, 3), np.uint8)}


def read_arrays(path):
    file = Arrays(path, "runs")
    return file.header, {name: file[name].tolist() for name in file.header["digests"]}


KINDS = {
    "table": (
        "t.parquet",
        lambda path: write_table(path, "table", HEADER, ROWS),
        [
            lambda path: read_table(path, "table", SCHEMA)[1].to_pydict(),
            lambda path: read_header(path, "table"),
        ],
    ),
    "arrays": (
        "a.safetensors",
        lambda path: write_arrays(path, "runs", HEADER, ARRAYS),
        [read_arrays, lambda path: read_header(path, "runs")],
    ),
    "page": ("p.md", lambda path: write_page(path, HEADER, "# Claims\n\nOne."), [read_page]),
}


def check(tmp_path, kind, chosen):
    """Write a file of this kind with one of the chosen bits flipped, and check that it is refused
    or read the same. `chosen` gets the number of bits and the bytes."""
    name, write, readers = KINDS[kind]
    path = tmp_path / name
    write(path)
    content = path.read_bytes()
    written = [read(path) for read in readers]
    for bit in chosen(8 * len(content), content):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        for read, expected in zip(readers, written, strict=True):
            try:
                assert read(path) == expected, bit
            except Unreadable as refusal:
                assert str(refusal).startswith(f"{path}: "), bit


def sample(bits, content):
    """Return some bits anywhere, and the highest bit of each byte of keys in Parquet's footer."""
    keys = [
        8 * (start + place) + 7
        for key in (b"ARROW:schema", b"repatlas")
        for start in [content.rfind(key)]
        if start >= 0
        for place in range(len(key))
    ]
    return [*keys, *random.Random(0).sample(range(bits), 300)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_is_refused_or_harmless(tmp_path, kind):
    check(tmp_path, kind, sample)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_ninth_bit_that_flips_is_refused_or_harmless(tmp_path, kind):
    """So nearly every byte is tried, and neighbours with different bits."""
    check(tmp_path, kind, lambda bits, content: range(0, bits, 9))
