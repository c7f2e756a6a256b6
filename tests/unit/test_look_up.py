"""A geometry is looked up among stored networks: the sets hold the truth, and what is unlike all
stored networks is said to be so."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from repatlas import atlas

LABELS = np.array([1, 1, 0, 0])


def centres(delta, rng, units=60, curve=0.0):
    """Return four conditions between XOR and equidistant, (4, units), each seed a bit different."""
    bits = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    table = np.column_stack([bits, delta * bits.prod(axis=1), curve * (bits == 1).all(axis=1)])
    table = table + 0.05 * rng.standard_normal(table.shape)
    return table @ np.linalg.qr(rng.standard_normal((units, 4)))[0].T


class Made:
    """What `load` returns, as far as `geometries` reads it."""

    targets = LABELS[:, None]

    def __init__(self, seed, delta, activation):
        rng = np.random.default_rng([seed, int(10 * delta), activation == "relu"])
        self.layers = [centres(delta, rng, curve=1.5 * (activation == "relu"))]
        self.about = {"activation": activation, "delta": delta, "depth": 1, "seed": seed}
        self.about |= {"noise_variance": 1.0, "step": 0, "run": f"{activation} {delta}"}


@pytest.fixture(scope="module")
def made():
    return atlas.geometries(
        [
            Made(seed, delta, activation)
            for seed in range(16)
            for delta in (0.0, 0.5, 1.0)
            for activation in ("tanh", "relu")
        ]
    )


def test_sets_hold_the_truth_for_held_out_seeds(made):
    found = atlas.look_up_coverage(made).set_index("property")
    for name in ("activation", "delta"):
        row = found.loc[name]
        assert row["networks"] == len(made)
        assert row["coverage"] * len(made) >= binom.ppf(0.01, len(made), 0.9), name
        assert row["size"] < row["values"], f"{name}: the sets tell nothing"


def test_published_sets_hold_the_truth_for_held_out_seeds():
    found = atlas.look_up_coverage()
    assert set(found["property"]) == {"activation", "delta", "noise_variance", "depth", "rank"}
    assert (found["coverage"] >= 0.9).all(), found


def test_the_answer_is_the_same_after_rotation_scale_and_order_of_units_and_of_conditions():
    rng = np.random.default_rng(1)
    x = centres(0.4, rng)
    rotation = np.linalg.qr(rng.standard_normal((80, 60)))[0]
    order = np.array([3, 2, 1, 0])
    first = atlas.look_up(x, LABELS)
    others = [
        (7 * x @ rotation.T, LABELS),
        (x[:, rng.permutation(60)] + 3, LABELS),
        (x[order], LABELS[order]),
        (x, np.array(["a", "a", "b", "b"])),
    ]
    for samples, labels in others:
        other = atlas.look_up(samples, labels)
        assert other.distance == pytest.approx(first.distance, abs=1e-4)
        pd.testing.assert_frame_equal(other.posterior, first.posterior, rtol=1e-4, atol=1e-6)


def test_a_network_is_near_its_own_settings(made):
    truth = Made(100, 1.0, "relu")
    found = atlas.look_up(truth.layers[-1], LABELS, stored=made)
    assert not found.is_outside
    assert "relu" in found.values("activation")
    assert 1.0 in found.values("delta")
    assert 0.0 not in found.values("delta")
    assert set(found.nearest["delta"]) == {1.0}
    assert "depth: not known, all stored networks of this kind have 1" in repr(found)


def test_a_distance_of_one_is_the_standard_deviation_over_seeds_with_the_same_settings(made):
    features = [*atlas.geometry_features(1 - np.eye(4), LABELS)]
    unit = np.sqrt(made.groupby(["activation", "delta"])[features].var().mean())
    truth = Made(100, 0.5, "tanh")
    own = atlas.geometries([truth])[features].iloc[0]
    apart = np.sqrt((((made[features] - own) / unit) ** 2).sum(axis=1))
    nearest = atlas.look_up(truth.layers[-1], LABELS, stored=made).nearest["distance"]
    np.testing.assert_allclose(nearest, np.sort(apart)[: len(nearest)])


def test_a_geometry_unlike_all_networks_is_said_to_be_outside():
    # One condition far from three that are the same: no network separates conditions so.
    found = atlas.look_up(np.array([[1.0, 0], [0, 0], [0, 0.01], [0.01, 0]]), LABELS)
    assert found.is_outside
    assert repr(found).startswith("The geometry does not tell: it is unlike all stored networks")
    assert found.posterior["in_set"].all()


def test_distances_of_trials_are_corrected_for_noise():
    rng = np.random.default_rng(2)
    x = centres(0.5, rng)
    which = np.repeat(range(4), 4000)
    trials = x[which] + 0.5 * rng.standard_normal((16000, 60))
    found = atlas.look_up(trials, LABELS[which], which)
    exact = atlas.look_up(x, LABELS)
    assert found.values("delta") == exact.values("delta")
    few = np.concatenate([np.flatnonzero(which == each)[:20] for each in range(4)])
    square = ((trials[few].reshape(4, 20, 60).mean(axis=1)[:, None] - x) ** 2).sum(axis=-1)
    assert np.diag(square).mean() > 0.5  # noise in the means, which would make all distances alike


@pytest.mark.parametrize(
    ("samples", "labels", "conditions", "words"),
    [
        (np.eye(6), [0, 0, 0, 1, 1, 1], None, "found 6 conditions and 1 variables, expected 32 "),
        (np.eye(4), [0, 0, 0, 1], None, "each of half of 4 conditions"),
        (np.eye(4), [0, 1, 2, 3], None, "variables of two values"),
        (np.eye(4), [0, 1], None, "expected a row for each label"),
        (np.ones((4, 3)), LABELS, None, "differ by more than noise"),
        (np.eye(4), LABELS, range(4), "one trial"),
        (np.diag([1, 1, np.nan, 1]), LABELS, None, "not: row 2, column 2"),
    ],
)
def test_what_cannot_be_looked_up_is_refused(samples, labels, conditions, words):
    with pytest.raises(ValueError, match=words):
        atlas.look_up(samples, labels, conditions)
