"""Calls that README, the guide and the tutorials make, as a user writes them.

CALLS has a function without arguments for each, by what it covers. Their inputs come from seeded
generators. The outputs are frozen in interface.parquet: see test_interface.py.
"""

import numpy as np
import pandas as pd

from repatlas import geometry as g
from repatlas import similarity as s
from repatlas.geometry.class_variance import chance_within_share, within_share
from repatlas.inference import contrasts, intervals, jackknife, nulls, permutation, shares
from repatlas.inference.alignment_pairs import aligned_pairs
from repatlas.inference.pseudovalues import pseudo_values
from repatlas.inference.seeds_of_pairs import medians_of_seeds, values_of_seeds
from repatlas.own import (
    Dissimilarities,
    ceiling_of_trials,
    ceiling_of_units,
    compare,
    compare_models,
    decoding_ceiling_of_trials,
    decoding_ceiling_of_units,
    measure,
    over_time,
    prepare,
)

# 240 trials of 40 neurons, which code a variable of two values and one of six.
rng = np.random.default_rng(0)
side, place = np.tile(["left", "right"], 120), np.repeat(np.arange(6), 40)
codes = np.column_stack([2 * (side == "right"), np.eye(6)[place]])
rates = codes @ rng.standard_normal((7, 40)) + rng.standard_normal((240, 40))
labels = {"side": side, "place": place}
shown = pd.DataFrame(labels)
unequal, single = np.r_[0:9, 40:240], np.r_[0:1, 40:240]

# 240 other trials, in ten runs.
rng = np.random.default_rng(1)
run = np.repeat([f"run {number}" for number in range(10)], 24)
order = np.concatenate([rng.permutation(24) for _ in range(10)]) % 6
ordered = {"side": np.array(["left", "right"])[order % 2], "place": order // 2}
codes = np.column_stack([order % 2, np.eye(3)[order // 2]])
in_runs = codes @ rng.standard_normal((4, 40)) + 2 * rng.standard_normal((240, 40))

# README: eight conditions.
rng = np.random.default_rng(0)
left, quarter = np.tile([0, 1], 120), np.repeat([0, 1, 2, 3], 60)
of_readme = rng.standard_normal((8, 40))[2 * quarter + left]
of_readme += np.outer(left, rng.standard_normal(40)) + rng.standard_normal((240, 40))

# A layer of 120 items x 30 units that codes ten digits.
rng = np.random.default_rng(2)
digit = rng.integers(10, size=120)
hidden = np.maximum(np.eye(10)[digit] @ rng.standard_normal((10, 30)), 0)
hidden += 0.5 * rng.standard_normal((120, 30))
of_digits = pd.DataFrame({"parity": digit % 2, "size": np.where(digit < 5, "small", "large")})
readout = rng.standard_normal((3, 30))
images = [f"image {number}" for number in range(120)]
by_name = pd.DataFrame(hidden, index=images), of_digits.set_axis(images)[::-1]

# Two layers of the same items that share half of their variance, and films of ten items.
layer, other = np.random.default_rng(3).standard_normal((2, 120, 8))
noisy, film = layer + other, np.repeat(np.arange(12), 10)
held_out = layer[90:], noisy[90:]
wide = np.random.default_rng(4).standard_normal((2, 30, 40))
many = np.random.default_rng(5).standard_normal((2, 1100, 4))
first = {"layer 1": layer, "layer 2": layer[:, :3]}
second = {"layer 1": noisy, "layer 2": noisy[:, 4:]}
similarities = ["alignment", "matching", "procrustes", "rsa", "neighbours"]
similarities += ["calibrated_neighbours", "predictivity"]
spaces = ["cca", "svcca", "pwcca"]

# Four conditions of two variables: their means, and 30 trials of each with 10 neurons.
square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
rng = np.random.default_rng(6)
means = square @ rng.standard_normal((2, 10)) + 0.3 * rng.standard_normal((4, 10))
condition = np.repeat(np.arange(4), 30)
trials, more = means[condition] + rng.standard_normal((2, 120, 10))
both, hand = square[condition], rng.choice(["one", "two"], 120)

# 60 images, six trials of each, and the same images in seven animals.
rng = np.random.default_rng(7)
truth, image = rng.standard_normal((60, 4)), np.repeat(np.arange(60), 6)
recorded = (truth @ rng.standard_normal((4, 40)))[image] + 4 * rng.standard_normal((360, 40))
animals, monkeys = {}, {}
for i in range(7):
    animals[f"animal {i}"] = truth @ rng.standard_normal((4, 9)) + rng.standard_normal((60, 9))
    signal = np.outer(both[:, 0], rng.standard_normal(10))
    monkeys[f"monkey {i}"] = signal + 2 * rng.standard_normal((120, 10)), {"side": both[:, 0]}
by_time = np.multiply.outer(np.outer(both[:, 0], rng.standard_normal(8)), [0.0, 1.0, 1.0])
by_time += rng.standard_normal((120, 8, 3))

# Values of networks, and of pairs of networks.
rng = np.random.default_rng(8)
of_pairs = rng.uniform(size=(8, 8))
of_networks = rng.standard_normal(20)
curves = np.linspace(-1, 1, 8) + of_networks[:, None] / 5
settings = pd.MultiIndex.from_product(
    [["tanh", "relu"], [0.0, 0.5], range(7)], names=["activation", "delta", "seed"]
)
networks = settings.to_frame(index=False).assign(value=rng.standard_normal(28))
pairs = pd.DataFrame([(a, b) for a in range(6) for b in range(a)], columns=["a_seed", "b_seed"])
pairs = pairs.assign(value=rng.uniform(size=15), layer=1)


def spread(samples, labels):
    """Return a statistic of a user: how far the means of the first variable are apart."""
    return np.square(np.diff(g.condition_means(samples, labels[:, 0]), axis=0)).sum()


def dimensions(items, units=slice(None)):
    """Return another statistic of a user, of some items and units of the layer."""
    return g.participation_ratio_of_features(layer[items][:, units])


ALL = ["alignment", "decoding", "ccgp", "parallelism", "dimensionality"]
CALLS = {
    # repatlas.own.measure
    "README, three measures of trials": lambda: measure(
        of_readme, {"side": left, "place": quarter}, rows="trials", measures=ALL[1:4], draws=19
    ),
    "guide, default measures of trials": lambda: measure(rates, labels, rows="trials", draws=9),
    "notebook, default measures of items": lambda: measure(hidden, of_digits, "items", draws=19),
    "plot_nulls, draws of the nulls": lambda: measure(
        trials, both, "trials", measures="parallelism", draws=9
    ).attrs["nulls"],
    "collapse of items": lambda: measure(
        hidden, of_digits, "items", measures=["collapse"], draws=9
    ),
    "collapse of trials, six values": lambda: measure(
        rates, labels, "trials", variables=["place"], measures="collapse", draws=9
    ),
    "guide, trials in runs": lambda: measure(
        in_runs, ordered, "trials", measures=ALL, draws=9, blocks=run
    ),
    "runs of different sizes have p within runs": lambda: measure(
        in_runs[1:],
        pd.DataFrame(ordered)[1:].to_numpy(),
        rows="trials",
        measures="ccgp",
        draws=9,
        blocks=run[1:],
    ),
    "items in films": lambda: measure(
        hidden, of_digits, "items", measures=["alignment", "dimensionality"], draws=9, blocks=film
    ),
    "units that are a sample": lambda: measure(
        hidden, of_digits, "items", measures="dimensionality", features="sample"
    ),
    "unequal trials, two draws, fewest eight": lambda: measure(
        rates[unequal],
        shown.iloc[unequal].to_numpy(),
        rows="trials",
        measures=ALL[1:4],
        **dict(draws=5, resamples=2, least=8, folds=4, seed=3),
    ),
    "a condition with one trial is left out": lambda: measure(
        rates[single], shown.iloc[single].to_numpy(), "trials", measures=ALL[2:4], draws=5
    ),
    "some variables and values": lambda: measure(
        rates, labels, "trials", {"side": ["left", "right"], "place": [0, 3]}, ALL[1:3], draws=5
    ),
    "frames are matched by index": lambda: measure(
        *by_name, rows="items", measures=["alignment", "decoding"], draws=5
    ),
    "guide, one variable has no CCGP": lambda: measure(
        rates, {"side": side}, "trials", measures=["ccgp", "parallelism"], draws=5
    ),
    "tutorial, a variable that codes nothing": lambda: measure(
        trials, {"hand": hand, "side": both[:, 0]}, "trials", measures=ALL[1:4], draws=19
    ),
    "conditions that are a sample": lambda: measure(
        rates, labels, "trials", measures="dimensionality", conditions="sample", draws=9
    ),
    "guide, features in different units": lambda: measure(
        rates * np.r_[1e6, np.ones(39)], labels, "trials", measures="decoding", scale="features"
    ),
    "four means": lambda: measure(means, square, "items", draws=9),
    # repatlas.own.compare
    "guide, two halves of a recording": lambda: compare(
        {"first": rates[:, :20], "second": rates[:, 20:]}, draws=99
    ),
    "guide, all similarities": lambda: compare(layer, noisy, similarities + spaces, draws=19),
    "guide, all similarities in films": lambda: compare(
        layer, noisy, similarities + spaces, draws=19, blocks=film
    ),
    "notebook, each layer with each": lambda: compare(
        first, second, measures=["alignment", "svcca", "matching"], draws=19
    ),
    "tutorial, all pairs of layers": lambda: compare(first | {"other": other}, draws=19),
    "guide, without draws": lambda: compare(layer, noisy, ["alignment", *spaces], draws=0),
    "guide, plain alignment of few items": lambda: compare(layer[:5], noisy[:5], draws=99),
    "notebook, more features than items": lambda: compare(
        *wide, [*spaces, "procrustes", "predictivity"], draws=9
    ),
    "items matched by name": lambda: compare(
        pd.DataFrame(layer, images),
        pd.DataFrame(noisy[::-1], images[::-1]),
        ["alignment", "rsa"],
        draws=9,
    ),
    "guide, 1,000 of more items permuted": lambda: compare(*many, ["alignment", "rsa"], draws=5),
    "guide, one more with prepared layers": lambda: compare(
        {"one more": other + noisy}, prepare(second), draws=9
    ),
    "single precision": lambda: compare(
        layer.astype("float32"), noisy.astype("float32"), ["alignment", "rsa"], draws=9
    ),
    # repatlas.own.compare_models
    "guide, two models of the same data": lambda: compare_models(
        {"near": noisy, "far": noisy + 2 * other}, layer, ["alignment", "rsa", "predictivity"]
    ),
    "guide, two models in seven animals": lambda: compare_models(
        {"truth": truth, "part": truth[:, :1]}, animals, ["alignment", "rho_a"]
    ),
    "guide, given dissimilarities": lambda: compare(
        Dissimilarities(s.dissimilarities(layer)), noisy, ["rsa", "rho_a"], draws=9
    ),
    # ceilings, and decoding over time
    "guide, ceiling of trials": lambda: ceiling_of_trials(recorded, image),
    "ceiling by halves": lambda: ceiling_of_trials(
        recorded[:, :6], image, similarities[1:-1] + spaces, splits=4
    ),
    "ceiling of trials in runs": lambda: ceiling_of_trials(
        recorded, image, ["alignment", "rsa"], blocks=np.tile(np.arange(6), 60), splits=4
    ),
    "few conditions have no ceiling": lambda: ceiling_of_trials(
        recorded[image < 6], image[image < 6], ["alignment"]
    ),
    "guide, ceiling of animals": lambda: ceiling_of_units(animals, similarities + spaces),
    "five animals have no interval": lambda: ceiling_of_units(dict(list(animals.items())[:5])),
    "guide, ceiling of decoding": lambda: decoding_ceiling_of_trials(rates[:, :8], labels),
    "few trials have no ceiling of decoding": lambda: decoding_ceiling_of_trials(
        rates[::8], shown[::8].to_numpy(), measures=["decoding"]
    ),
    "guide, decoding in a typical monkey": lambda: decoding_ceiling_of_units(
        monkeys, measures=["decoding"], resamples=3
    ),
    "guide, decoding over time": lambda: over_time(
        by_time, {"side": both[:, 0]}, times=["before", "cue", "delay"], draws=9
    ),
    # repatlas.geometry
    "kernel_alignment": lambda: g.kernel_alignment(layer, noisy),
    "kernel_alignment, debiased": lambda: g.kernel_alignment(layer, noisy, debiased=True),
    "alignment_of_kernels": lambda: g.alignment_of_kernels(
        g.centred_kernel(means), g.centred_kernel(square)
    ),
    "chance_alignment": lambda: g.chance_alignment(layer, noisy),
    "centred_kernel": lambda: g.centred_kernel(means),
    "participation_ratio": lambda: g.participation_ratio(g.centred_kernel(layer)),
    "participation_ratio_of_features": lambda: g.participation_ratio_of_features(layer),
    "corrected_participation_ratio": lambda: [
        g.corrected_participation_ratio(layer, features=which) for which in ("sample", "all")
    ],
    "participation_ratio_of_conditions": lambda: g.participation_ratio_of_conditions(
        trials, condition
    ),
    "participation_ratio_of_halves": lambda: g.participation_ratio_of_halves(layer, noisy),
    "parallelism_score": lambda: [g.parallelism_score(means, square, v) for v in (0, 1)],
    "matched_parallelism_score": lambda: [
        g.matched_parallelism_score(means, [1, 1, 0, 0], pairing="best"),
        g.matched_parallelism_score(means, [1, 0, 0, 1], pairing="nearest"),
    ],
    "corrected_parallelism_score": lambda: g.corrected_parallelism_score(trials, both, variable=0),
    "ccgp": lambda: [g.ccgp(trials, both, variable=v) for v in (0, 1)],
    "ccgp, leave one pair out": lambda: g.ccgp(trials, both, 1, split="leave-one-pair-out"),
    "ccgp without scale": lambda: [
        g.ccgp(hidden, of_digits, variable=v, C=0.01, scale=None) for v in (0, 1)
    ],
    "matched_ccgp": lambda: [g.matched_ccgp(trials, condition, d) for d in square.T],
    "balanced_decoding": lambda: g.balanced_decoding(rates, shown, variable=1, resamples=2),
    "balanced_ccgp": lambda: g.balanced_ccgp(trials, both, variable=1, resamples=2),
    "decoding_accuracy": lambda: g.decoding_accuracy(
        (trials, condition), (more, condition), [0, 1, 1, 0], scale=None
    ),
    "decoding_accuracies": lambda: g.decoding_accuracies(
        (trials, condition), (more, condition), g.balanced_dichotomies(4)
    ),
    "linear_svm": lambda: vars(g.linear_svm(trials, both[:, 0], C=0.1)),
    "linear_svms": lambda: [f.predict(more) for f in g.linear_svms(trials, both.T)],
    "condition_means": lambda: g.condition_means(trials, condition),
    "crossnobis_distances": lambda: g.crossnobis_distances(trials, condition),
    "halves_of_trials": lambda: g.halves_of_trials(trials, condition),
    "context_pairs": lambda: g.context_pairs(square, variable=0),
    "pairings": lambda: [g.pairings([1, 1, 0, 0]), g.nearest_pairing(means, [1, 1, 0, 0])],
    "neural_collapse": lambda: g.neural_collapse(hidden, digit % 3, readout, np.zeros(3)),
    "class_variance": lambda: [
        within_share(hidden, digit % 3),
        chance_within_share(hidden, np.arange(120), np.arange(120) % 3),
    ],
    # repatlas.similarity
    "canonical_correlations": lambda: s.canonical_correlations(layer, noisy),
    "svcca": lambda: s.svcca(layer, noisy, keep=0.8),
    "pwcca": lambda: [s.pwcca(layer, noisy[:, 4:], of) for of in ("fewer", "both")],
    "Overlap": lambda: s.Overlap(s.thin_svd(layer), s.thin_svd(noisy)).svcca(),
    "Overlap, pwcca": lambda: s.Overlap(layer, noisy).pwcca("both"),
    "thin_svd": lambda: s.thin_svd(layer).values,
    "procrustes": lambda: [s.procrustes(layer, noisy), s.procrustes(layer, noisy).angle],
    "bures_similarity": lambda: s.bures_similarity(*map(g.centred_kernel, (layer, noisy))),
    "dissimilarities": lambda: [
        s.dissimilarities(layer[:9], distance) for distance in ("euclidean", "correlation")
    ],
    "dissimilarity_similarity": lambda: {
        by: s.dissimilarity_similarity(s.dissimilarities(layer), s.dissimilarities(noisy), by=by)
        for by in ("spearman", "pearson", "cosine")
    },
    "matching": lambda: s.matching(layer, noisy[:, ::-1]),
    "semi_matching": lambda: s.semi_matching(layer, noisy[:, ::-1], sign="absolute"),
    "unit_correlations": lambda: s.unit_correlations(layer, noisy),
    "mutual_neighbours": lambda: s.mutual_neighbours(layer, noisy, neighbours=7),
    "linear_predictivity": lambda: s.linear_predictivity(layer, noisy),
    "linear_predictivity of films": lambda: s.linear_predictivity(layer, noisy, groups=film),
    "sparse_prediction": lambda: s.sparse_prediction(layer, noisy, held_out, (0.0, 0.1, 0.3)),
    "code_classes": lambda: s.code_classes(s.sparse_prediction(layer, noisy, held_out)),
    "multiple_correlations": lambda: s.multiple_correlations(layer, noisy, held_out),
    "minibatch_kernel_alignment": lambda: s.minibatch_kernel_alignment(
        zip(np.split(layer, 4), np.split(noisy, 4), strict=True)
    ),
    "gaussian_kernel_alignment": lambda: s.gaussian_kernel_alignment(layer, noisy, 0.8),
    "tutorial, noise_floor": lambda: s.noise_floor(
        lambda x, y: s.svcca(x, y).similarity, layer, noisy
    ),
    # repatlas.inference
    "aligned_pairs": lambda: aligned_pairs([layer, noisy, other]),
    "pseudo_values": lambda: pseudo_values(of_pairs + of_pairs.T),
    "median_interval": lambda: [intervals.median_interval(of_networks[:few]) for few in (20, 9, 5)],
    "ratio_interval": lambda: intervals.ratio_interval(of_networks, of_networks[::-1] + 2),
    "proportion_interval": lambda: intervals.proportion_interval(17, 20),
    "sign_change_interval": lambda: intervals.sign_change_interval(np.arange(8.0), curves),
    "sign_probability": lambda: [
        intervals.sign_probability(9, 10),
        intervals.networks_needed(0.05),
    ],
    "share_interval": lambda: shares.share_interval(30, 32),
    "difference_interval": lambda: shares.difference_interval((15, 16), (4, 16)),
    "median_rows": lambda: contrasts.median_rows(networks, ["activation", "delta"]),
    "tanh_minus_relu": lambda: contrasts.tanh_minus_relu(networks, ["delta"]),
    "values_of_seeds": lambda: values_of_seeds(pairs, ["layer"]),
    "medians_of_seeds": lambda: medians_of_seeds(values_of_seeds(pairs, ["layer"]), ["layer"]),
    "shuffle_null": lambda: nulls.shuffle_null(spread, trials, both, draws=9),
    "shuffle_null in runs": lambda: nulls.shuffle_null(
        spread, in_runs, order[:, None] % 2, draws=9, blocks=run
    ),
    "geometric_null": lambda: nulls.geometric_null(spread, trials, both, draws=9),
    "permute_items": lambda: permutation.permute_items(g.kernel_alignment, layer, noisy, draws=9),
    "add_one_p": lambda: permutation.add_one_p([3.0, 1.5], [[1.0, 1], [2.0, 2], [0.0, 4]]),
    "max_t": lambda: permutation.max_t([3.0, 1.5], [[1.0, 1], [2.0, 2], [0.0, 4]]),
    "jackknife_interval": lambda: jackknife.jackknife_interval(dimensions, 120),
    "crossed_jackknife_interval": lambda: jackknife.crossed_jackknife_interval(dimensions, 120, 8),
}
