"""A selection that an assertion is over is not empty."""

import numpy as np
import pandas as pd
import pytest
from selections import some


@pytest.mark.parametrize(
    "empty",
    [[], {}, set(), np.empty((0, 3)), pd.DataFrame({"a": []}), pd.Series(dtype=float), iter(())],
)
def test_an_empty_selection_is_refused(empty):
    with pytest.raises(AssertionError, match="the selection is empty"):
        some(empty)


def test_what_is_selected_is_what_it_was():
    rows = pd.DataFrame({"a": [1, 2]})
    assert some(rows) is rows
    assert some(n for n in (1, 2)) == [1, 2]
    assert some({0}) == {0}
