"""Settings of all tests."""

import gc


def pytest_configure():
    """Collect no garbage while pytest imports modules and collects tests: they all stay."""
    gc.disable()


def pytest_collection_finish():
    """Leave what was imported and collected out of all later garbage collections.

    These are a million objects. Figures leave so many objects in cycles that Python would look
    through all of them every second, which would take a sixth of the time of the tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()
