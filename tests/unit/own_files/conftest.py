"""Files as users have them, written by the tests."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """Each test runs in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def array():
    """Ten items with six features."""
    return np.random.default_rng(0).standard_normal((10, 6)).astype(np.float32)


@pytest.fixture
def table():
    return write_table


def write_table(path, **columns):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


@pytest.fixture
def h5py():
    return pytest.importorskip("h5py", reason="of the extra `files`: pip install '.[files]'")


@pytest.fixture
def zarr():
    return pytest.importorskip("zarr", reason="of the extra `files`: pip install '.[files]'")


@pytest.fixture(scope="session")
def recordings():
    """The folder with real recordings, which are not part of the project."""
    folder = os.environ.get("REPATLAS_DATA")
    if not folder or not Path(folder, "recordings").is_dir():
        pytest.skip("REPATLAS_DATA names no folder with recordings")
    return Path(folder, "recordings")
