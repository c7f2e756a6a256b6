"""The examples in the docstrings of intervals and nulls do what they say."""

import doctest
import importlib

import pytest

MODULES = {
    "alignment_pairs": ["AlignedPairs", "aligned_pairs", "own_alignment"],
    "block_products": ["own_products", "pair_products"],
    "blocked": ["Blocked", "held_in_memory"],
    "intervals": [
        "first_rise_through_zero",
        "median_interval",
        "networks_needed",
        "proportion_interval",
        "ratio_interval",
        "sign_change_interval",
        "sign_probability",
    ],
    "jackknife": [
        "crossed_jackknife_interval",
        "deal",
        "ends",
        "jackknife_interval",
        "variance",
    ],
    "seeds_of_pairs": ["values_of_seeds"],
    "single": ["added_up", "squared_lengths"],
    "nulls": ["geometric_null", "moved_means", "shuffle_null"],
    "permutation": [
        "Null",
        "add_one_p",
        "max_t",
        "permutations",
        "permute_items",
        "permuted_alignments",
    ],
}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    module = importlib.import_module(f"repatlas.inference.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_has_an_example_that_uses_it(name):
    module = importlib.import_module(f"repatlas.inference.{name}")
    for function in MODULES[name]:
        examples = doctest.DocTestParser().get_examples(getattr(module, function).__doc__)
        assert function in "".join(e.source for e in examples) or function == "AlignedPairs"
