"""Similarities of networks: all pairs by thin SVDs against CCA by way of covariances, a pair at a
time; and kernel alignment from features against kernels of items x items.

python benchmarks/similarities.py prints the section. One thread; times are CPU times, since the
machine may have other work.
"""

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # before numpy reads them

import time
import warnings
from collections.abc import Callable
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import covariances
import numpy as np
from measuring import alternate, markdown, medians

from repatlas.experiments.classification.engine import Block, train
from repatlas.experiments.classification.networks import Perceptron
from repatlas.experiments.classification.training import NamingTraining
from repatlas.geometry import kernel_alignment
from repatlas.images.content import CLASSES
from repatlas.images.data_sets import digits
from repatlas.inference.alignment_pairs import aligned_pairs
from repatlas.networks.mlp import hidden_layers, initial_parameters
from repatlas.similarity import (
    Overlap,
    ThinSVD,
    canonical_correlations,
    pwcca,
    svcca,
    thin_svd,
)

NETWORKS, DEPTH = 20, 4
STEPS = [0, 9, 18, 44, 88, 176, 308, 440, 660, 880]
"""The steps of the networks of Figure C1 of the study convergence, in config/convergence.yaml."""
FEW = 2, [0, 88, 880]
"""Networks and steps of the other sizes."""
LAYERS = NETWORKS * DEPTH * len(STEPS)
BESIDE = comb(NETWORKS, 2) * DEPTH * len(STEPS)
"""Pairs of networks at the same layer and step, as the study compares them."""
MANY = 200
"""Layers whose kernel alignments are computed at once."""
REPEATS = 3
NOISE = 0.1
"""Standard deviation of what is added to the pixels, which are from 0 to 1, where there are more
items than digits."""


class Size(NamedTuple):
    items: int
    width: int
    pairs: int
    """How many are timed"""

    def __str__(self) -> str:
        return f"{self.items:,} x {self.width}"


STUDY = Size(1437, 64, 30)
SIZES = [STUDY, Size(600, 128, 6), Size(1797, 256, 3), Size(5085, 128, 3), Size(10_000, 128, 3)]
SMALL = Size(200, 8, 2)


def report(smoke: bool = False) -> str:
    """Return the section, in Markdown."""
    sizes = [SMALL] if smoke else SIZES
    networks, steps = (2, STEPS[:2]) if smoke else (NETWORKS, STEPS)
    of_study = layers(sizes[0], networks, steps)
    rows, differences, alignments = [], [], []
    for size in sizes:
        few = of_study if size == sizes[0] else layers(size, *FEW)
        of_size, difference = pairs(size, few)
        rows += of_size
        differences.append(difference)
        alignments.append(alignment(size, few))
    return "\n\n".join(
        [
            "## Similarities of networks",
            "### CCA, SVCCA and PWCCA of all pairs",
            f"{NETWORKS} networks that name scikit-learn's digits, {DEPTH} hidden layers, ReLU, at"
            f" {len(STEPS)} steps: {LAYERS} layers, items x units. Ours: `thin_svd` of each layer"
            " once, then `canonical_correlations`, `svcca` (99 % of the variance) and `pwcca` (the"
            " weights of both) of the decompositions. Theirs: google/svcca's algorithm as"
            " published, written anew (`covariances.py`), with the calls of its tutorial."
            " *Together*: all three, ours by `Overlap`. CPU times, one thread, medians of"
            f" {REPEATS} in turns. The ratio is extrapolated to {BESIDE:,} pairs, both networks at"
            " the same layer and step, as the study compares them. Mean CCA and SVCCA of both sides"
            f" differ by {max(differences):.1g} at most; PWCCA differs, since the published code"
            " does not whiten its directions.",
            markdown(
                ["items x units", "", "ours, a layer, ms", "a pair, ms", "theirs, a pair, ms",
                 "ratio"],
                rows,
            ),
            "### Kernel alignment of all pairs",
            "The same layers and pairs. The usual form makes kernels of items x items for each"
            " pair (Kornblith et al. 2019). Ours: `aligned_pairs` of many layers, with the debiased"
            " value, its interval and the chance level of each pair; and `kernel_alignment` of two"
            f" arrays. CPU times, one thread, medians of {REPEATS} in turns.",
            markdown(
                ["items x units", "kernels, a pair, ms",
                 f"`aligned_pairs` of {NETWORKS}, a pair, ms", "ratio",
                 f"of {MANY}, a pair, ms", "ratio", "`kernel_alignment`, a pair, ms", "ratio"],
                alignments,
            ),
        ]
    )  # fmt: skip


def layers(size: Size, networks: int, steps: list[int]) -> dict[tuple[int, int], list[np.ndarray]]:
    """Return the hidden layers (items, units) of networks that learn the digits, one for each
    network, by step and layer."""
    inputs, _ = images()
    shown = np.concatenate(list(inputs.values()))
    if size.items > len(shown):
        rng = np.random.default_rng(0)
        shown = np.resize(shown, (size.items, 64))
        shown = shown + NOISE * rng.standard_normal(shown.shape)
    found: dict[tuple[int, int], list[np.ndarray]] = {}
    for stored in trained(size.width, networks, tuple(steps)):
        for place, step in enumerate(steps):
            now = {name: values[0, place].astype(float) for name, values in stored.items()}
            for number, rows in enumerate(hidden_layers(shown[: size.items], now, "relu")):
                found.setdefault((step, number), []).append(rows)
    return found


@cache
def images() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the inputs and the labels of both splits, as the study's perceptrons get them."""
    splits = digits.read(None, subset=False)
    pixels = {name: split.images.reshape(-1, 64) / 16 for name, split in splits.items()}
    mean = pixels["train"].mean(axis=0)
    labels = {name: split.labels.astype(np.int64) for name, split in splits.items()}
    return {name: each - mean for name, each in pixels.items()}, labels


@cache
def trained(width: int, networks: int, steps: tuple[int, ...]) -> list[dict[str, np.ndarray]]:
    """Return the parameters of each network at these steps, (1, steps, ...)."""
    inputs, labels = images()
    shown = {name: each.astype(np.float32) for name, each in inputs.items()}
    network = Perceptron(kind="mlp", activation="relu", width=width, depth=DEPTH)
    found = []
    for seed in range(networks):
        initial = initial_parameters(seed, network.network, 64, CLASSES)
        start = {name: values[None] for name, values in initial.items()}
        block = Block(shown["train"], labels["train"][None], shown["test"], labels["test"], start)
        found.append(train(block, "relu", NamingTraining(), seed, list(steps)).parameters)
    return found


def pairs(size: Size, found: dict) -> tuple[list[list], float]:
    """Return the lines of the table, and the largest difference of mean CCA and SVCCA between the
    sides."""
    every = [(key, *pair) for key in found for pair in combinations(range(len(found[key])), 2)]
    rng = np.random.default_rng(0)
    drawn = [every[n] for n in rng.permutation(len(every))[: size.pairs]]
    arrays = [(found[key][i], found[key][j]) for key, i, j in drawn]
    decomposed = [(thin_svd(x), thin_svd(y)) for x, y in arrays]
    transposed = [tuple(np.ascontiguousarray(each.T) for each in pair) for pair in arrays]
    sides = {
        "ours CCA": over(decomposed, lambda x, y: canonical_correlations(x, y).mean()),
        "ours SVCCA": over(decomposed, lambda x, y: svcca(x, y).similarity),
        "ours PWCCA": over(decomposed, lambda x, y: pwcca(x, y, "both")),
        "ours together": over(decomposed, together),
        "theirs CCA": over(transposed, covariances.mean_cca),
        "theirs SVCCA": over(transposed, covariances.svcca),
        "theirs PWCCA": over(transposed, covariances.pwcca),
    }
    layer = {"layer": lambda: [thin_svd(x) for x, _ in arrays]}
    times = medians(alternate(sides | layer, REPEATS, time.process_time))
    each = {name: 1e3 * seconds / len(arrays) for name, seconds in times.items()}
    each["theirs together"] = each["theirs SVCCA"] + each["theirs PWCCA"]
    lines = []
    for name in ("CCA", "SVCCA", "PWCCA", "together"):
        svd, ours, theirs = each["layer"], each[f"ours {name}"], each[f"theirs {name}"]
        ratio = BESIDE * theirs / (LAYERS * svd + BESIDE * ours)
        lines.append([str(size), name, svd, ours, theirs, ratio])
    difference = max(
        float(np.abs(sides[f"ours {name}"]() - sides[f"theirs {name}"]()).max())
        for name in ("CCA", "SVCCA")
    )
    return lines, difference


def together(x: ThinSVD, y: ThinSVD) -> tuple[float, float, float]:
    """Mean CCA, SVCCA and PWCCA."""
    both = Overlap(x, y)
    return float(both.correlations().mean()), both.svcca().similarity, both.pwcca("both")


def over(representations: list, measure: Callable) -> Callable[[], np.ndarray]:
    """Return a measure of all these pairs."""
    return lambda: np.array([measure(x, y) for x, y in representations])


def alignment(size: Size, found: dict) -> list:
    """Return a line of the table of kernel alignment."""
    x, y, *_ = list(found.values())[-1]
    few = [each for arrays in found.values() for each in arrays]
    with warnings.catch_warnings():  # that items are few, of a smoke run
        warnings.simplefilter("ignore")
        sides = {
            "kernels": lambda: alignment_of_kernels(x, y),
            "alone": lambda: kernel_alignment(x, y),
            "few": lambda: aligned_pairs(repeated(few, NETWORKS)),
        }
        times = medians(alternate(sides, REPEATS, time.process_time))
        start = time.process_time()
        aligned_pairs(repeated(few, MANY))
        many = 1e3 * (time.process_time() - start) / comb(MANY, 2)
    kernels, alone, some = (1e3 * times[name] for name in sides)
    some /= comb(NETWORKS, 2)
    return [str(size), kernels, some, kernels / some, many, kernels / many, alone, kernels / alone]


def repeated(arrays: list[np.ndarray], number: int) -> list[np.ndarray]:
    """Return this number of layers. If fewer were trained, layers are repeated, since their values
    do not change the time."""
    return [arrays[n % len(arrays)] for n in range(number)]


def alignment_of_kernels(x: np.ndarray, y: np.ndarray) -> float:
    """Return the alignment by its usual formula, from both kernels."""
    a, b = (centred(each @ each.T) for each in (x, y))
    return float(np.vdot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


def centred(kernel: np.ndarray) -> np.ndarray:
    means = kernel.mean(axis=0)
    means -= means.mean() / 2
    return kernel - means[:, None] - means[None]


if __name__ == "__main__":
    print(report())
