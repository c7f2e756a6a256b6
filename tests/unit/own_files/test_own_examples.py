"""The examples in the docstrings do what they say."""

import doctest
import importlib
import pkgutil

import pytest

from repatlas.experiments import files

MODULES = [module.name for module in pkgutil.walk_packages(files.__path__, f"{files.__name__}.")]
EXTRA = {"readers.h5", "readers.hdf5", "readers.nc", "readers.zarr"}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    if name.removeprefix(f"{files.__name__}.") in EXTRA:
        pytest.importorskip("zarr", reason="of the extra `files`: pip install '.[files]'")
    assert doctest.testmod(importlib.import_module(name)).failed == 0
