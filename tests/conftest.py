"""Settings of all tests."""

import gc

import pytest


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
