"""Ceilings of decoding of simulated trials whose truth is known: bias, and whether 95 % means 95 %.

Run with -s, it prints the table of docs/guide/your-data.md.
"""

import numpy as np
import pytest
from scipy.special import ndtri

from repatlas.own import decoding_ceiling_of_trials, decoding_ceiling_of_units

pytestmark = pytest.mark.slow

NUMBER, NEURONS = 300, 20


class Recording:
    """A population whose best linear decoder has a known accuracy, mean over contexts."""

    def __init__(self, rng, ceiling, contexts, noise):
        axes = rng.standard_normal((contexts, NEURONS))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        self.axes, self.apart, self.noise = axes, 2 * ndtri(ceiling), noise
        self.mixing = np.eye(NEURONS) + rng.standard_normal((NEURONS, NEURONS)) / np.sqrt(NEURONS)
        self.ceiling = ceiling if noise == "normal" else self._best_of_counts(rng)

    def trials(self, rng, number):
        """Return trials, (2 * contexts * number, neurons), and their labels."""
        shape = 2, len(self.axes)
        side, place = np.indices(shape).reshape(2, -1).repeat(number, axis=1)
        means = self.apart * side[:, None] * self.axes[place]
        labels = {"side": side, "place": place}
        if self.noise == "normal":
            return (means + rng.standard_normal(means.shape)) @ self.mixing, labels
        # Counts of 5 spikes on average. Their noise is skewed, and its variance is their mean.
        rates = np.maximum(5 + np.sqrt(5) * means, 0)
        return rng.poisson(rates).astype(float), labels

    def _best_of_counts(self, rng):
        """Return the accuracy of linear discriminants of 200,000 trials, each at the boundary that
        is the best for these."""
        rates, labels = self.trials(rng, 100_000)
        accuracies = []
        for place in range(len(self.axes)):
            one, other = (
                rates[(labels["side"] == side) & (labels["place"] == place)] for side in (0, 1)
            )
            noise = np.cov(one.T) + np.cov(other.T)
            axis = np.linalg.solve(noise, other.mean(axis=0) - one.mean(axis=0))
            order = np.argsort(np.concatenate([one @ axis, other @ axis]))
            # Below each boundary trials of one side are right, and above it trials of the other.
            right = np.cumsum(np.where(order < len(one), 1, -1)).max() + len(other)
            accuracies.append(right / len(order))
        return float(np.mean(accuracies))


@pytest.mark.parametrize("noise", ["normal", "Poisson"])
@pytest.mark.parametrize("contexts", [1, 4])
@pytest.mark.parametrize("trials", [20, 100])
@pytest.mark.parametrize("ceiling", [0.5, 0.6, 0.75, 0.9])
def test_of_trials(ceiling, trials, contexts, noise):
    rng = np.random.default_rng([1, trials, contexts])
    recording = Recording(rng, ceiling, contexts, noise)
    truth, found = recording.ceiling, []
    for _ in range(NUMBER):
        rates, labels = recording.trials(rng, trials)
        of = {"variables": ["side", "place"][:contexts], "measures": ["decoding"], "splits": 1}
        row = decoding_ceiling_of_trials(rates, labels, **of).iloc[0]
        found.append((row.value, row.low, row.high, row.halves))
    value, low, high, halves = np.transpose(found)
    held = (low <= truth + 1e-9) & (truth <= high)
    print(
        f"| {noise} | {contexts} | {trials} | {truth:.2f} | {value.mean() - truth:+.3f} "
        f"| {value.std():.3f} | {100 * held.mean():.0f} | {halves.mean():.2f} |"
    )
    assert held.mean() > 0.95 - 4 * np.sqrt(0.95 * 0.05 / NUMBER)
    assert halves.mean() < value.mean()
    assert abs(value.mean() - truth) < (0.03 if ceiling > 0.5 and trials > 20 else 0.1)


def test_of_units():
    """Compare with the median of 1,000 units of the same kind, by the same decoders."""
    rng = np.random.default_rng(3)

    def unit():
        apart = 0.5 + rng.exponential()
        side = np.tile([0, 1], 20)
        return np.outer(side, [apart, 0, 0]) + rng.standard_normal((40, 3)), {"side": side}

    options = {"measures": ["decoding"], "resamples": 1}
    many = {str(number): unit() for number in range(1000)}
    truth = decoding_ceiling_of_units(many, **options).value[0]
    found = [
        decoding_ceiling_of_units({str(n): unit() for n in range(8)}, **options).iloc[0]
        for _ in range(NUMBER // 2)
    ]
    held = np.mean([row.low <= truth <= row.high for row in found])
    bias = np.mean([row.value for row in found]) - truth
    print(f"units: {bias:+.3f}, {100 * held:.0f}")
    assert held > 0.95 - 4 * np.sqrt(0.95 * 0.05 / len(found))
    assert abs(bias) < 0.02
