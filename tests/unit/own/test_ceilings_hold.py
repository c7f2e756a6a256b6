"""Ceilings of simulated recordings whose truth is known: bias, and whether 95 % means 95 %."""

import numpy as np
import pytest

from repatlas.own import ceiling_of_trials, ceilings

pytestmark = pytest.mark.slow

NUMBER = 300
NEURONS, TRIALS = 20, 4
SPECTRUM = np.array([4.0, 2.0, 1.0, 1.0, 0.5])
RECORDINGS = 40
"""Recordings for the interval of halves, which takes 21 similarities of each."""
SPANS = ["cca", "pwcca", "svcca"]
"""Refused for two halves of 20 neurons and 30 conditions."""
HALVES = [*SPANS, "calibrated_neighbours", "matching", "neighbours", "procrustes", "rsa"]


def noise_for(name, ceiling):
    """Return the noise variance of the mean of all trials in each neuron, for this ceiling."""
    if name == "predictivity":
        return SPECTRUM.sum() * (1 / ceiling - 1) / NEURONS
    size, noise = np.sum(SPECTRUM**2), 0.0
    low, high = 0.0, 1e4
    for _ in range(200):
        noise = (low + high) / 2
        all_of_it = size + 2 * noise * SPECTRUM.sum() + NEURONS * noise**2
        low, high = (noise, high) if np.sqrt(size / all_of_it) > ceiling else (low, noise)
    return noise


@pytest.mark.parametrize("conditions", [30, 100])
@pytest.mark.parametrize("ceiling", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("name", ["alignment", "predictivity"])
def test_of_trials(name, ceiling, conditions, monkeypatch):
    # The similarity of halves takes most of the time, and nothing here depends on it.
    monkeypatch.setattr(ceilings, "_similarity_of_halves", lambda *halves: (np.nan, ""))
    rng = np.random.default_rng(1)
    deviation = np.sqrt(TRIALS * noise_for(name, ceiling))
    axes = np.linalg.qr(rng.standard_normal((NEURONS, len(SPECTRUM)))).Q
    shown = np.repeat(np.arange(conditions), TRIALS)
    found = []
    for _ in range(NUMBER):
        means = rng.standard_normal((conditions, len(SPECTRUM))) * np.sqrt(SPECTRUM) @ axes.T
        rates = means[shown] + deviation * rng.standard_normal((len(shown), NEURONS))
        [row] = ceiling_of_trials(rates, shown, [name], splits=4).itertuples()
        found.append((row.value, row.low, row.high))
    value, low, high = np.transpose(found)
    known = ~np.isnan(value)
    held = (low[known] <= ceiling) & (ceiling <= high[known])
    print(
        f"| {name} | {conditions} | {ceiling} | {value[known].mean() - ceiling:+.3f} "
        f"| {value[known].std():.3f} | {100 * held.mean():.0f} | {100 * np.mean(~known):.0f} |"
    )
    error = np.sqrt(0.95 * 0.05 / known.sum())
    assert held.mean() > 0.95 - 4 * error
    assert abs(value[known].mean() - ceiling) < 0.06


@pytest.mark.parametrize("conditions", [30, 100])
@pytest.mark.parametrize("ceiling", [0.3, 0.9])
@pytest.mark.parametrize("name", HALVES)
def test_of_halves(name, ceiling, conditions):
    """The truth is the mean over recordings: each has other conditions and other noise."""
    rng = np.random.default_rng(1)
    deviation = np.sqrt(TRIALS * noise_for("alignment", ceiling))
    axes = np.linalg.qr(rng.standard_normal((NEURONS, len(SPECTRUM)))).Q
    shown = np.repeat(np.arange(conditions), TRIALS)
    found = []
    for _ in range(RECORDINGS):
        means = rng.standard_normal((conditions, len(SPECTRUM))) * np.sqrt(SPECTRUM) @ axes.T
        rates = means[shown] + deviation * rng.standard_normal((len(shown), NEURONS))
        [row] = ceiling_of_trials(rates, shown, [name], splits=1).itertuples()
        found.append((row.halves, row.halves_low, row.halves_high))
    value, low, high = np.transpose(found)
    if name in SPANS and conditions == 30:
        assert np.isnan(value).all()
        return
    held = np.mean((low <= value.mean()) & (value.mean() <= high))
    print(
        f"| {name} | {conditions} | {ceiling} | {value.mean():.2f} | {value.std():.3f} "
        f"| {np.mean(high - low) / 2:.3f} | {100 * held:.0f} |"
    )
    assert held > 0.95 - 4 * np.sqrt(0.95 * 0.05 / RECORDINGS)
