"""The examples in the docstrings of repatlas.own do what they say."""

import doctest
import importlib
import sys

import numpy as np
import pytest

from repatlas.own import compare

MODULES = [
    *("measure", "compare", "prepare", "ceilings", "decoding_ceilings"),
    *("report", "over_time", "figures"),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_example_holds(name):
    module = importlib.import_module(f"repatlas.own.{name}")
    found = doctest.testmod(module, extraglobs={"np": np, "compare": compare})
    assert found.attempted > 0
    assert found.failed == 0


def test_without_pandas_one_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    x = np.random.default_rng(0).standard_normal((20, 3))
    with pytest.raises(ImportError, match="pip install pandas"):
        compare(x, x, draws=2)
