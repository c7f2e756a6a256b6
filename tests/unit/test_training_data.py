from itertools import islice

import numpy as np
import pytest
from pydantic import ValidationError

from repatlas.experiments.clusters.training import (
    Training,
    batches,
    training_conditions,
    training_noise,
)

TRAINING = Training(batch=6, samples=30)  # 5 batches an epoch


def test_the_default_training_is_that_of_the_first_author_s_code():
    assert Training() == Training(learning_rate=0.1, batch=200, samples=5000)


@pytest.mark.parametrize("batch", [31, 60])
def test_a_batch_of_more_than_all_samples_is_refused(batch):
    with pytest.raises(
        ValidationError, match=f"training.batch: found {batch}, should be at most samples, 30"
    ):
        Training(batch=batch, samples=30)


@pytest.mark.parametrize(("batch", "steps"), [(1, 30), (6, 5), (7, 4), (16, 1), (30, 1)])
def test_an_epoch_has_as_many_steps_as_there_are_whole_batches(batch, steps):
    assert Training(batch=batch, samples=30).epoch == steps


@pytest.mark.parametrize("clusters", [4, 6])
def test_samples_are_of_all_clusters_equally_often_on_average(clusters):
    counts = np.bincount(training_conditions(0, 12_000, clusters), minlength=clusters)
    assert len(counts) == clusters
    expected = 12_000 / clusters
    assert np.sum((counts - expected) ** 2 / expected) < 25  # chi square, 5 degrees at most


def test_the_clusters_of_samples_are_drawn_not_dealt():
    conditions = training_conditions(0, 12_000, 4)
    follows = np.bincount(4 * conditions[:-1] + conditions[1:], minlength=16)
    assert follows == pytest.approx(12_000 / 16, rel=0.2)


def test_training_noise_is_standard_normal_in_single_precision():
    noise = training_noise(0, 2000, 30)
    assert noise.dtype == np.float32
    assert noise.shape == (2000, 30)
    assert noise.mean() == pytest.approx(0, abs=0.02)
    assert noise.std() == pytest.approx(1, abs=0.02)
    assert np.mean(np.abs(noise) < 1.96) == pytest.approx(0.95, abs=0.005)


def test_the_first_samples_are_the_same_however_many_there_are():
    assert np.array_equal(training_noise(0, 40, 10)[:15], training_noise(0, 15, 10))
    assert np.array_equal(training_conditions(0, 40, 4)[:15], training_conditions(0, 15, 4))


def test_every_epoch_uses_each_sample_once():
    order = list(batches(0, TRAINING, 3 * 5))
    for epoch in range(3):
        used = np.concatenate(order[5 * epoch : 5 * epoch + 5])
        assert sorted(used) == list(range(30))


@pytest.mark.parametrize("batch", [7, 16, 29])
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


def test_every_epoch_has_an_order_of_its_own():
    order = np.stack(list(batches(0, TRAINING, 3 * 5))).reshape(3, 30)
    assert not np.array_equal(order[0], order[1])
    assert not np.array_equal(order[1], order[2])
    assert not np.array_equal(order[0], np.arange(30))


def test_seeds_have_orders_of_their_own():
    first, other = (np.concatenate(list(batches(seed, TRAINING, 5))) for seed in (0, 1))
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("steps", [0, 1, 4, 5, 6, 11])
def test_a_longer_training_starts_with_the_steps_of_a_shorter_one(steps):
    short, long = list(batches(0, TRAINING, steps)), islice(batches(0, TRAINING, 40), steps)
    assert len(short) == steps
    assert all(np.array_equal(one, other) for one, other in zip(short, long, strict=True))


@pytest.mark.parametrize("batch", [6, 1, 30, 7, 29])
def test_batches_from_a_later_step_on_are_those_of_the_whole(batch):
    training = Training(batch=batch, samples=30)
    whole = list(batches(0, training, 40))
    for start in range(41):
        rest = list(batches(0, training, 40, start))
        assert len(rest) == 40 - start
        assert all(np.array_equal(one, o) for one, o in zip(rest, whole[start:], strict=True))


def test_one_batch_may_hold_all_samples():
    whole = list(batches(0, Training(batch=30, samples=30), 2))
    assert [sorted(batch) for batch in whole] == [list(range(30))] * 2
