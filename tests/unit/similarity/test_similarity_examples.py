"""The examples in the docstrings do what they say."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from repatlas import similarity

MODULES = [module.name for module in pkgutil.iter_modules(similarity.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    module = importlib.import_module(f"repatlas.similarity.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", similarity.__all__)
def test_every_public_function_and_class_has_an_example_that_uses_it(name):
    examples = doctest.DocTestParser().get_examples(getattr(similarity, name).__doc__)
    assert name in "".join(example.source for example in examples)


@pytest.mark.parametrize("name", similarity.__all__)
def test_an_example_runs_with_the_tests_of_a_module_that_are_run(name):
    module = importlib.import_module(inspect.unwrap(getattr(similarity, name)).__module__)
    found = {test.name for test in doctest.DocTestFinder().find(module) if test.examples}
    assert module.__name__.removeprefix("repatlas.similarity.") in MODULES
    assert f"{module.__name__}.{name}" in found
