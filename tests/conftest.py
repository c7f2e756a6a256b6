"""Settings of all tests."""

import gc
import os
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).with_name("workflow")
# What was said to the `make` that runs the tests is not for the `make` in the tests.
OUTER = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ARGS", "CONFIG", "FIGURE", "PROFILE", "STUDY")
for name in OUTER:
    os.environ.pop(name, None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave what pytest imports and collects out of all garbage collections.

    These are a million objects. Drawings leave many objects in cycles, so Python would look through
    all objects every few seconds. This took a seventh of the time of some tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


def pytest_collection_modifyitems(items):
    """Put the tests of the workflow first. They are the longest and share most, so one process has
    them while others begin with other tests, and the last tests of a run are short."""
    items.sort(key=lambda item: WORKFLOW not in item.path.parents)
