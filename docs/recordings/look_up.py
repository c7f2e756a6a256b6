"""Look up the geometry of inferotemporal recordings among stored networks.

python docs/recordings/look_up.py it_counts.parquet [RESULTS]      prints the answers, in seconds

neurons.py says what the file has: a row for each trial of each neuron. Four conditions are two
objects at two positions, and the label is the object. docs/tutorials/look-up.md has the output.
RESULTS is a folder with a run of `structure`: 24 of its networks get the noise of these trials.
"""

import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd

from repatlas.atlas import LookedUp, load, look_up

Trials = tuple[np.ndarray, list[str], np.ndarray]


def recorded(source: Path) -> list[Trials]:
    """Return samples, labels and conditions for each pair of objects and of positions."""
    trials = pd.read_parquet(source)
    groups = trials.groupby(["object", "position", "neuron"])["spikes"]
    fewest = groups.size().min()  # of any neuron and condition
    roots = {key: np.sqrt(of.to_numpy(float)[:fewest]) for key, of in groups}
    objects, positions, neurons = (
        sorted(trials[name].unique()) for name in ("object", "position", "neuron")
    )
    found = []
    for pair in product(combinations(objects, 2), combinations(positions, 2)):
        cells = list(product(*pair))
        samples = [np.column_stack([roots[*cell, each] for each in neurons]) for cell in cells]
        labels = [shown for shown, _ in cells for _ in range(fewest)]
        found.append((np.concatenate(samples), labels, np.repeat(range(4), fewest)))
    return found


def noise_to_signal(samples: np.ndarray, conditions: np.ndarray) -> float:
    """Return the variance of trials, as a multiple of the mean squared distance of conditions."""
    means = np.array([samples[conditions == each].mean(axis=0) for each in range(4)])
    variance = ((samples - means[conditions]) ** 2).sum() / (len(samples) - 4)
    squared = ((means[:, None] - means) ** 2).sum(axis=-1)
    return variance / (squared.sum() / 12 - 2 * variance / (len(samples) / 4))


def noisy(results: Path, ratio: float, trials: int) -> list[LookedUp]:
    """Return the answers for stored networks whose activity has noise, from a number of trials."""
    rng, found = np.random.default_rng(0), []
    settings = {"task": "separable", "hidden_bias": "trained", "step": 2000, "seed": [0, 1, 2]}
    for network in load(results, **settings, delta=[0.2, 0.8], noise_variance=[0.5, 4.0]):
        layer, labels = network.layers[-1], network.targets[:, 0]
        squared = ((layer[:, None] - layer) ** 2).sum() / 12
        which = np.repeat(range(4), trials)
        noise = rng.standard_normal((len(which), layer.shape[1]))
        samples = layer[which] + np.sqrt(ratio * squared / layer.shape[1]) * noise
        found.append(look_up(samples, labels[which], which))
    return found


def describe(found: list[LookedUp]) -> str:
    """Return how many are outside, and how far they are."""
    outside = sum(each.is_outside for each in found)
    median = np.median([each.distance for each in found])
    return f"{outside} of {len(found)} are unlike all stored networks, median distance {median:.2f}"


def main(source: Path, *results: Path) -> None:
    """Print the first answer, and how many of all are outside."""
    trials = recorded(source)
    found = [look_up(*each) for each in trials]
    print(found[0])
    print("recordings:", describe(found))
    for folder in results:
        ratio = float(np.median([noise_to_signal(each, which) for each, _, which in trials]))
        for number in (len(trials[0][0]) // 4, 500):
            print(f"networks, {number} trials:", describe(noisy(folder, ratio, number)))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
