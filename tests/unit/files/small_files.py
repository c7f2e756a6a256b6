"""Contents of the small files that the tests of files write."""

import hashlib

import pyarrow as pa
import pytest

from repatlas.artifacts.files import METRICS_SCHEMA

HEADER = {"job": {"seed": 0}, "runs": {"a": {"steps": [0, 5], "diverged_step": None}}, "µ": "ü"}
CCGP = {"run": "a", "seed": 0, "step": 5, "by": "ccgp", "measure": "ccgp"}
WEIGHT = {"run": "b", "seed": 1, "step": 0, "by": "selectivity", "measure": "weight", "neuron": 3}
ROWS = [
    CCGP | {"variant": "", "value": 0.1 + 0.2},
    CCGP | {"variant": "x", "value": None},
    WEIGHT | {"variant": "", "value": 2},
]

both_files = pytest.mark.parametrize("file", ["arrays_file", "table_file"], indirect=True)


def metrics():
    return pa.Table.from_pylist(ROWS, schema=METRICS_SCHEMA)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()[:32]


def flipped(content, place, bit):
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
