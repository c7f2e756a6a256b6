"""Ceilings of simulated recordings whose truth is known: bias, and whether 95 % means 95 %."""

import numpy as np
import pytest

from repatlas.own import ceiling_of_trials

pytestmark = pytest.mark.slow

NUMBER = 300
NEURONS, TRIALS = 20, 4
SPECTRUM = np.array([4.0, 2.0, 1.0, 1.0, 0.5])


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
def test_of_trials(name, ceiling, conditions):
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
