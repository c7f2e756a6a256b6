"""The examples in the docstrings of measures and theory do what they say."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from repatlas import dynamics, geometry, inference, similarity

MODULES = [
    f"{package.__name__}.{module.name}"
    for package in (geometry, similarity, inference, dynamics)
    for module in pkgutil.iter_modules(package.__path__)
]
EXPORTED = [
    (package, name)
    for package in (geometry, similarity)
    for name in package.__all__
    if inspect.isroutine(getattr(package, name)) or inspect.isclass(getattr(package, name))
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize(("package", "name"), EXPORTED)
def test_every_exported_function_and_class_has_an_example_that_runs(package, name):
    """Modules have no examples of objects that they only import."""
    module = importlib.import_module(inspect.unwrap(getattr(package, name)).__module__)
    examples = {each.name: each.examples for each in doctest.DocTestFinder().find(module)}
    own = examples[f"{module.__name__}.{name}"]
    assert name in "".join(each.source for each in own)
    assert module.__name__ in MODULES


TABLES = {"dynamics.field", "inference.contrasts", "inference.pooling", "inference.seeds_of_pairs"}
"""Modules whose functions work on tables too large for an example."""
THEORY = [
    name
    for name in MODULES
    if ".inference." in name or ".dynamics." in name
    if name.removeprefix("repatlas.") not in TABLES
]


@pytest.mark.parametrize("name", THEORY)
def test_every_function_of_a_module_of_theory_has_an_example_that_uses_it(name):
    for public, thing in inspect.getmembers(importlib.import_module(name), inspect.isfunction):
        if thing.__module__ == name and public[0] != "_":
            examples = doctest.DocTestParser().get_examples(thing.__doc__)
            assert public in "".join(each.source for each in examples), public
