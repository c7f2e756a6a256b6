"""What other people's implementations computed from the same numbers (tests/vectors)."""

import numpy as np
import pytest

from repatlas.geometry import ccgp, condition_means, kernel_alignment, parallelism_score


def conditions_and_labels(trial_labels):
    labels, conditions = np.unique(trial_labels, axis=0, return_inverse=True)
    return conditions.ravel(), labels


def test_alignment_is_the_linear_cka_of_google_research(cka_case, answer, vector_inputs):
    inputs = vector_inputs("cka")
    measured = kernel_alignment(inputs[f"{cka_case}_x"], inputs[f"{cka_case}_y"])
    assert measured == pytest.approx(answer["gr_linear_cka"], abs=1e-9)


def test_alignment_is_the_cosine_of_the_angle_of_netrep(cka_case, answer, vector_inputs):
    inputs = vector_inputs("cka")
    measured = kernel_alignment(inputs[f"{cka_case}_x"], inputs[f"{cka_case}_y"])
    assert measured == pytest.approx(np.cos(answer["netrep_linear_cka_angle"]), abs=1e-9)


def test_parallelism_is_the_mean_cosine_of_coding_vectors(
    geometry_case, column, variable, answers, vector_inputs
):
    inputs = vector_inputs("geometry")
    conditions, labels = conditions_and_labels(inputs[f"{geometry_case}_labels"])
    means = condition_means(inputs[f"{geometry_case}_X"], conditions, len(labels))
    measured = parallelism_score(means, labels, column)
    assert measured == pytest.approx(answers[f"closed_form_PS_cosine_{variable}"], abs=1e-10)


def test_leave_one_pair_out_ccgp_is_that_of_decodanda(
    geometry_case, column, variable, answers, vector_inputs
):
    inputs = vector_inputs("geometry")
    conditions, labels = conditions_and_labels(inputs[f"{geometry_case}_labels"])
    samples = inputs[f"{geometry_case}_X"]
    measured = ccgp(samples, labels[conditions], column, split="leave-one-pair-out")
    # decodanda resamples the trials, hence a spread.
    spread = answers[f"decodanda_CCGP_{variable}_sd_over_resamplings"]
    assert abs(measured - answers[f"decodanda_CCGP_{variable}_mean"]) <= 3 * spread + 0.02
