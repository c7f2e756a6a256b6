import numpy as np
import pytest

from repatlas.geometry import condition_means


def test_condition_means_are_the_means_of_each_conditions_samples(noisy, rng):
    samples, conditions = noisy(rng.standard_normal((5, 3)), sigma=1, per_condition=4)
    naive = [np.mean(samples[conditions == condition], axis=0) for condition in range(5)]
    assert np.allclose(condition_means(samples, conditions, 5), naive, atol=1e-14)


@pytest.mark.parametrize(
    ("samples", "conditions", "message"),
    [
        (np.ones((4, 2)), [0, 1, 2, 4], "conditions runs from 0 to 4"),
        (np.ones((4, 2)), [-1, 1, 2, 3], "conditions runs from -1 to 3"),
        (np.ones((4, 2)), [0, 1, 1, 3], "no sample of condition 2"),
        (np.ones((4, 2)), [0, 1, 2], "one integer for each of the 4 samples"),
        (np.ones((4, 2)), [0.0, 0.5, 2.0, 3.0], "holds 0.5; allowed are whole numbers"),
        (np.ones((4, 2)), [0.0, np.nan, 2.0, 3.0], "holds nan; allowed are whole numbers"),
        (np.ones((4, 2)), ["a", "b", "c", "d"], r"np.unique\(conditions, return_inverse=True\)"),
        (np.full((4, 2), np.nan), [0, 1, 2, 3], "samples holds NaN"),
        (np.ones(4), [0, 1, 2, 3], "samples has shape"),
        (np.ones((0, 2)), [], "samples has shape"),
    ],
)
def test_malformed_samples_are_refused_by_name(samples, conditions, message):
    with pytest.raises(ValueError, match=message):
        condition_means(samples, conditions, 4)
