import numpy as np
import pytest
from pydantic import ValidationError

from repatlas.experiments.clusters.training import (
    Training,
    batches,
    training_noise,
)


@pytest.mark.parametrize("batch", [31, 60])
def test_a_batch_of_more_than_all_samples_is_refused(batch):
    with pytest.raises(
        ValidationError, match=f"training.batch: found {batch}, should be at most samples, 30"
    ):
        Training(batch=batch, samples=30)


def test_training_noise_is_standard_normal_in_single_precision():
    noise = training_noise(0, 2000, 30)
    assert noise.dtype == np.float32
    assert noise.shape == (2000, 30)
    assert noise.mean() == pytest.approx(0, abs=0.02)
    assert noise.std() == pytest.approx(1, abs=0.02)
    assert np.mean(np.abs(noise) < 1.96) == pytest.approx(0.95, abs=0.005)


@pytest.mark.parametrize("batch", [7, 29])
def test_epochs_of_batches_that_do_not_divide_the_samples_leave_out_different_ones(batch):
    training = Training(batch=batch, samples=30)
    order, left_out = list(batches(0, training, 400 * training.epoch)), np.zeros(30, int)
    for epoch in range(400):
        used = np.concatenate(order[training.epoch * epoch : training.epoch * (epoch + 1)])
        times = np.bincount(used, minlength=30)
        assert times.max() == 1
        assert times.sum() == training.epoch * batch
        left_out += times == 0
    share = 1 - training.epoch * batch / 30
    # Each sample its share of the epochs, to 5 standard errors.
    assert np.abs(left_out - 400 * share).max() < 5 * np.sqrt(400 * share * (1 - share))


@pytest.mark.parametrize("batch", [6, 7])
def test_batches_from_a_later_step_on_are_those_of_the_whole(batch):
    training = Training(batch=batch, samples=30)
    whole = list(batches(0, training, 40))
    for start in range(41):
        rest = list(batches(0, training, 40, start))
        assert len(rest) == 40 - start
        assert all(np.array_equal(one, o) for one, o in zip(rest, whole[start:], strict=True))
