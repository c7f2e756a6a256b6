"""The examples in the docstrings do what they say."""

import doctest
import importlib
import pkgutil

import pytest

from repatlas import geometry

MODULES = [module.name for module in pkgutil.iter_modules(geometry.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    module = importlib.import_module(f"repatlas.geometry.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", sorted(set(geometry.__all__) - {"NotConverged"}))
def test_every_public_function_has_an_example(name):
    assert ">>> " in getattr(geometry, name).__doc__
