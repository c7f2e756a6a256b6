"""The examples in the docstrings of measures and theory do what they say."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from repatlas import dynamics, geometry, inference, similarity
from repatlas.experiments import files

MODULES = [
    f"{package.__name__}.{module.name}"
    for package in (geometry, similarity, inference, dynamics)
    for module in pkgutil.iter_modules(package.__path__)
]
MODULES += [module.name for module in pkgutil.walk_packages(files.__path__, f"{files.__name__}.")]
EXTRA = ("files.readers.h5", "files.readers.hdf5", "files.readers.nc", "files.readers.zarr")
EXPORTED = [
    (package, name)
    for package in (geometry, similarity)
    for name in package.__all__
    if inspect.isroutine(getattr(package, name)) or inspect.isclass(getattr(package, name))
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    if name.endswith(EXTRA):
        pytest.importorskip("zarr", reason="of the extra `files`: pip install '.[files]'")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize(("package", "name"), EXPORTED)
def test_every_exported_function_and_class_has_an_example_that_runs(package, name):
    """Modules have no examples of objects that they only import."""
    module = importlib.import_module(inspect.unwrap(getattr(package, name)).__module__)
    examples = {each.name: each.examples for each in doctest.DocTestFinder().find(module)}
    own = examples[f"{module.__name__}.{name}"]
    assert name in "".join(each.source for each in own)
    assert module.__name__ in MODULES
