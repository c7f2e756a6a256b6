"""Patterns: a matrix of items x features, and its mean over the samples of each condition."""

import numpy as np


def as_patterns(name, value):
    """`value` as a finite float64 matrix of items x features; `name` is used in the errors."""
    patterns = np.asarray(value, dtype=np.float64)
    if patterns.ndim != 2 or 0 in patterns.shape:
        raise ValueError(
            f"{name} has shape {patterns.shape}; allowed is a non-empty matrix, items x features."
        )
    if not np.isfinite(patterns).all():
        raise ValueError(f"{name} holds NaN or infinite values; all values must be finite.")
    return patterns


def as_conditions(name, value, samples, n_conditions):
    """`value` as one condition index in 0 ... n_conditions - 1 for each of the samples."""
    conditions = np.asarray(value)
    if conditions.shape != (len(samples),) or conditions.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {conditions.shape} and type {conditions.dtype}; allowed is one "
            f"integer for each of the {len(samples)} samples."
        )
    if conditions.min() < 0 or conditions.max() >= n_conditions:
        raise ValueError(
            f"{name} runs from {conditions.min()} to {conditions.max()}; allowed are the condition "
            f"indices 0 to {n_conditions - 1}."
        )
    return conditions


def as_complete_samples(samples, conditions, n_conditions):
    """Samples, (m, n), and their conditions, (m,), with at least one sample of every condition."""
    samples = as_patterns("samples", samples)
    conditions = as_conditions("conditions", conditions, samples, n_conditions)
    counts = np.bincount(conditions, minlength=n_conditions)
    if not counts.all():
        raise ValueError(
            f"conditions has no sample of condition {counts.argmin()}; "
            f"every condition from 0 to {n_conditions - 1} needs one."
        )
    return samples, conditions


def condition_means(samples, conditions, n_conditions):
    """The mean pattern of every condition, (n_conditions, n).

    samples: (m, n); conditions: (m,), the condition index of each sample.
    Raises ValueError where a condition has no sample.
    """
    samples, conditions = as_complete_samples(samples, conditions, n_conditions)
    belongs = (conditions == np.arange(n_conditions)[:, None]).astype(np.float64)
    return belongs @ samples / belongs.sum(axis=1, keepdims=True)
