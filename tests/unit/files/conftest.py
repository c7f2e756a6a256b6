"""A small file of arrays and a small table, written for each test."""

import numpy as np
import pytest
from small_files import HEADER, metrics

from repatlas.artifacts.files import write_arrays, write_table


@pytest.fixture
def arrays_file(tmp_path):
    path = tmp_path / "runs.safetensors"
    write_arrays(path, "runs", HEADER, {"a/weights": np.arange(6.0).reshape(2, 3)})
    return path


@pytest.fixture
def table_file(tmp_path):
    path = tmp_path / "metrics.parquet"
    write_table(path, "metrics", HEADER, metrics())
    return path


@pytest.fixture
def file(request):
    return request.getfixturevalue(request.param)
