"""A geometry is looked up among stored networks: the sets hold the truth, and what is unlike all
stored networks is said to be so."""

import numpy as np
import pandas as pd
import pytest

from repatlas import atlas
from repatlas.atlas.lookup import FEATURES, PROPERTIES, PUBLISHED, sets

LABELS = np.array([1, 1, 0, 0])


def centres(delta, rng, units=60):
    """Return four conditions between XOR and equidistant, (4, units), each seed a bit different."""
    bits = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    table = np.column_stack([bits, delta * bits.prod(axis=1)])
    table = table + 0.05 * rng.standard_normal(table.shape)
    return table @ np.linalg.qr(rng.standard_normal((units, 3)))[0].T


def features_of(x):
    """Return the ten numbers of four conditions. 0 and 1 share a label, and 2 and 3."""
    squared = ((x[:, None] - x) ** 2).sum(axis=-1)
    scale = squared.sum() / 12
    same = [squared[0, 1], squared[2, 3]]
    different = squared[:2, 2:].ravel()
    centred = x - x.mean(axis=0)
    kernel, target = centred @ centred.T, np.outer(LABELS * 2 - 1, LABELS * 2 - 1)
    alignment = (kernel * target).sum() / np.linalg.norm(kernel) / 4
    dimensionality = np.trace(kernel) ** 2 / (kernel**2).sum() / 3
    quantiles = [np.quantile(each, np.arange(4) / 3) / scale for each in (same, different)]
    return np.array([*quantiles[0], *quantiles[1], alignment, dimensionality])


@pytest.fixture(scope="module")
def stored():
    return pd.read_parquet(PUBLISHED)


@pytest.mark.slow
def test_sets_hold_the_truth_for_held_out_seeds(stored):
    """Neither references nor calibration have networks of the seed that is looked up."""
    truths = {name: [] for name in PROPERTIES}
    sizes = {name: [] for name in PROPERTIES}
    for _, group in stored.groupby("conditions"):
        for seed, held in group.groupby("seed"):
            rest = group[group["seed"] != seed].reset_index(drop=True)
            for name, (values, _, _, inside) in sets(rest, held[FEATURES].to_numpy())[2].items():
                is_truth = np.array(values) == held[name].to_numpy()[:, None]
                truths[name] += (inside & is_truth).any(axis=1).tolist()
                sizes[name] += inside.mean(axis=1).tolist()
    assert all(np.mean(each) >= 0.9 for each in truths.values()), truths
    assert all(np.mean(each) < 0.8 for each in sizes.values()), "sets that tell nothing"


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


def test_a_distance_of_one_is_the_standard_deviation_over_seeds_with_the_same_settings(stored):
    four = stored[stored["conditions"] == 4]
    settings = four.groupby(["activation", "delta", "noise_variance"])
    unit = np.sqrt(settings[FEATURES].var().mean())
    x = centres(0.5, np.random.default_rng(3))
    apart = np.sqrt((((four[FEATURES] - features_of(x)) / unit) ** 2).sum(axis=1))
    nearest = atlas.look_up(x, LABELS).nearest
    np.testing.assert_allclose(nearest["distance"], np.sort(apart)[: len(nearest)])
    near = four.loc[apart.idxmin()]
    assert (
        nearest.loc[0, ["activation", "seed", "run"]] == near[["activation", "seed", "run"]]
    ).all()


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
        (np.eye(6), [0, 0, 0, 1, 1, 1], None, "expected 4 conditions"),
        (np.eye(4), [0, 0, 0, 1], None, "each of half of the conditions"),
        (np.eye(4), [0, 1, 2, 3], None, "expected two values, "),
        (np.eye(4), [0, 1], None, "found 4 samples and 2 labels"),
        (np.ones((4, 3)), LABELS, None, "differ by more than noise"),
        (np.eye(4), LABELS, range(4), "two rows or more"),
        (np.diag([1, 1, np.nan, 1]), LABELS, None, "not: row 2, column 2"),
    ],
)
def test_what_cannot_be_looked_up_is_refused(samples, labels, conditions, words):
    with pytest.raises(ValueError, match=words):
        atlas.look_up(samples, labels, conditions)
