"""Print the same two arrays through netrep, rsatoolbox and ours, as a table in Markdown.

PYTHONPATH=src .bench-env/bin/python benchmarks/same_arrays.py v4_it_means.npz

The file has V4data and ITdata, means of 3200 images x neurons; the first 500 images count.
.bench-env is made by a full run of `python benchmarks beside`.
"""

import sys

import numpy as np
from netrep.metrics import LinearCKA, LinearMetric
from rsatoolbox.data import Dataset
from rsatoolbox.rdm import calc_rdm, compare

from repatlas.geometry import kernel_alignment
from repatlas.similarity import (
    canonical_correlations,
    dissimilarities,
    dissimilarity_similarity,
    procrustes,
)

IMAGES = 500


def netrep_score(metric, x, y):
    """Return the angle of a metric of netrep, fitted to both arrays."""
    metric.fit(x, y)
    return float(metric.score(x, y))


def rsatoolbox_similarity(x, y, distance, by):
    """Return the similarity of two matrices of distances by rsatoolbox."""
    first, second = (calc_rdm(Dataset(of), method=distance) for of in (x, y))
    return float(compare(first, second, method=by)[0, 0])


def rows(x, y):
    """Yield what is compared, theirs and ours."""
    rotated, any_map = (LinearMetric(alpha=a, score_method="angular") for a in (1.0, 0.0))
    yield (
        "shape distance, angle",
        "netrep `LinearMetric(alpha=1)`",
        netrep_score(rotated, x, y),
        (procrustes(x, y).angle),
    )
    correlations = canonical_correlations(x, y)
    mean = correlations.sum() / np.sqrt(x.shape[1] * y.shape[1])
    yield (
        "sum of canonical correlations, divided by the root of 88 times 168",
        "netrep `LinearMetric(alpha=0)`, cosine of its angle",
        np.cos(netrep_score(any_map, x, y)),
        mean,
    )
    plain = kernel_alignment(x, y)
    angle = netrep_score(LinearCKA(), x, y)
    yield "plain kernel alignment", "netrep `LinearCKA`, cosine of its angle", np.cos(angle), plain
    both = rsatoolbox_similarity(x, y, "euclidean", "cosine_cov")
    yield "plain kernel alignment", "rsatoolbox `compare`, `cosine_cov`", both, plain
    for distance in ("euclidean", "correlation"):
        found = [dissimilarities(of, distance) for of in (x, y)]
        for theirs, by in (("spearman", "spearman"), ("corr", "pearson"), ("cosine", "cosine")):
            yield (
                f"{distance} distances, {by}",
                f"rsatoolbox `{distance}`, `{theirs}`",
                rsatoolbox_similarity(x, y, distance, theirs),
                dissimilarity_similarity(*found, by=by),
            )


def main(path):
    with np.load(path) as arrays:
        x, y = (arrays[name][:IMAGES].astype(float) for name in ("V4data", "ITdata"))
    print("| measure | theirs | value | ours | difference |", "|---|---|---|---|---|", sep="\n")
    for what, name, theirs, ours in rows(x, y):
        print(f"| {what} | {name} | {theirs:.6f} | {ours:.6f} | {abs(theirs - ours):.0e} |")


if __name__ == "__main__":
    main(sys.argv[1])
