"""The examples in the docstrings do what they say."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from repatlas import geometry
from repatlas.geometry import labels, paired

MODULES = [module.name for module in pkgutil.iter_modules(geometry.__path__)]
PUBLIC = {name: getattr(geometry, name) for name in geometry.__all__} | {
    "design_of": labels.design_of,
    "paired_ccgp": paired.paired_ccgp,
    "paired_parallelism_score": paired.paired_parallelism_score,
}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    module = importlib.import_module(f"repatlas.geometry.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_and_class_has_an_example_that_uses_it(name):
    examples = doctest.DocTestParser().get_examples(PUBLIC[name].__doc__)
    assert name in "".join(example.source for example in examples)


@pytest.mark.parametrize("name", PUBLIC)
def test_an_example_runs_with_the_tests_of_a_module_that_are_run(name):
    """Modules have no examples of objects that they only import."""
    module = importlib.import_module(inspect.unwrap(PUBLIC[name]).__module__)
    found = {test.name for test in doctest.DocTestFinder().find(module) if test.examples}
    assert module.__name__.removeprefix("repatlas.geometry.") in MODULES
    assert f"{module.__name__}.{name}" in found
