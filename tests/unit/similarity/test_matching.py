"""Which unit of one network is which of another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selections import some

from repatlas.similarity import matching, semi_matching, unit_correlations

signs = pytest.mark.parametrize("sign", ["signed", "absolute"])


def draw(items, h1, h2, seed):
    rng = np.random.default_rng(seed)
    x = np.tanh(3 * rng.standard_normal((items, h1)) + rng.uniform(-1, 1, h1))
    return x, x @ rng.standard_normal((h1, h2)) + rng.standard_normal((items, h2))


def drawn(test):
    widths = st.integers(1, 7)
    pairs = st.builds(draw, st.integers(3, 40), widths, widths, st.integers(0, 2**32 - 1))
    return settings(max_examples=20, deadline=None)(given(pairs)(test))


def value(x, y, sign):
    found = unit_correlations(x, y)
    return found if sign == "signed" else abs(found)


@drawn
def test_unit_correlations_are_those_of_numpy(pair):
    x, y = pair
    expected = np.corrcoef(x.T, y.T)[: x.shape[1], x.shape[1] :]
    assert unit_correlations(x, y) == pytest.approx(expected, abs=1e-12)


def test_other_items_and_unknown_signs_are_refused(rng):
    x = rng.standard_normal((20, 3))
    for measure in (unit_correlations, matching, semi_matching):
        with pytest.raises(ValueError, match="x has 20 items and y has 19; both must describe"):
            measure(x, x[1:])
    for measure in (matching, semi_matching):
        with pytest.raises(ValueError, match=r'sign is \'both\'; allowed are "signed" and "absol'):
            measure(x, x, sign="both")


@drawn
@signs
def test_semi_matching_is_the_largest_of_each_row_and_never_below_the_matching(sign, pair):
    found, correlations = semi_matching(*pair, sign), value(*pair, sign)
    assert np.array_equal(found.correlations, correlations.max(axis=1))
    assert np.array_equal(found.partners, correlations.argmax(axis=1))
    full = matching(*pair, sign)
    assert some(found.correlations[full.pairs[:, 0]] >= full.correlations).all()


def test_a_dead_unit_has_the_correlation_0_and_changes_no_other(rng):
    x, y = rng.standard_normal((2, 50, 4))
    with_dead = np.insert(x, 2, 0.1, axis=1)
    found = unit_correlations(with_dead, y)
    assert np.array_equal(found[2], np.zeros(4))
    assert np.delete(found, 2, axis=0) == pytest.approx(unit_correlations(x, y), abs=1e-14)
    expected = matching(x, y, "absolute").correlations
    assert matching(with_dead, y, "absolute").correlations == pytest.approx(expected, abs=1e-14)
