"""Agreement of loss curves and outputs."""

import numpy as np
import pytest

from repatlas.dynamics.agreement import (
    agreement,
    first_below,
    output_agreement,
)

FALLING = 100 * np.exp(-np.arange(400) / 50)


def test_differences_are_in_parts_of_the_first_loss_of_the_reference():
    found = agreement(FALLING + 5, FALLING)
    assert found.largest == pytest.approx(0.05)
    assert found.mean == pytest.approx(0.05)


def test_relative_differences_end_where_the_reference_is_small():
    other = FALLING.copy()
    other[FALLING <= 5] = 3  # 5 percent of the first loss and below
    assert agreement(other, FALLING).relative == 0
    other[100] *= 1.25
    assert agreement(other, FALLING).relative == pytest.approx(0.25)


def test_levels_that_are_not_reached_are_left_out_and_counted():
    stuck = np.maximum(FALLING, 0.47 * FALLING[0])
    found = agreement(stuck, FALLING)
    assert found.levels == 9
    assert found.time == 0
    stuck = np.maximum(FALLING, 0.52 * FALLING[0])
    found = agreement(stuck, FALLING)
    assert found.levels == 8
    assert np.isnan(found.time)


def test_explained_variance_is_that_of_scikit_learn():
    from sklearn.metrics import r2_score

    other = FALLING + np.sin(np.arange(400))
    assert agreement(other, FALLING).explained == pytest.approx(r2_score(FALLING, other))


def test_times_are_epochs_where_only_some_are_recorded():
    epochs = np.arange(400) * 20
    assert first_below(FALLING, 50, epochs) == 20 * 35
    assert np.isnan(first_below(FALLING, 1e-9))
    found = agreement(FALLING, FALLING, epochs)
    assert found.levels == 18


def test_outputs_agree_in_squares_and_at_most():
    found = output_agreement([[1.0, 2.0], [2.0, 0.0]], [[1.0, 2.0], [2.0, 1.0]])
    assert found.relative == pytest.approx(0.1)
    assert found.largest == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [1.0]), "both must be"),
        (([1.0, 2.0], [1.0, 2.0, 3.0]), r"curve has shape \(2,\)"),
        (([1.0, 2.0], [0.0, 2.0]), "must start above 0"),
        (([1.0, 2.0], [1.0, 2.0], [0]), r"epochs has shape \(1,\)"),
    ],
)
def test_curves_that_cannot_be_compared_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        agreement(*arguments)
