"""The examples in the docstrings of the theory do what they say."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from repatlas import dynamics

MODULES = [m.name for m in pkgutil.iter_modules(dynamics.__path__) if m.name != "field"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    assert doctest.testmod(importlib.import_module(f"repatlas.dynamics.{name}")).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_has_an_example_that_uses_it(name):
    module = importlib.import_module(f"repatlas.dynamics.{name}")
    for public, thing in vars(module).items():
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and public[0] != "_":
            examples = doctest.DocTestParser().get_examples(thing.__doc__)
            assert public in "".join(example.source for example in examples), public
