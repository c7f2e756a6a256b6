"""Figure C8: wide and narrow networks."""

import pandas as pd

from repatlas.studies.convergence.rows.distances import (
    UNTRAINED,
    distances,
    is_floor,
    seed_rows,
    typical,
)
from repatlas.studies.convergence.rows.ends import last_accuracies
from repatlas.studies.convergence.rows.hidden import hidden_layers

RATIO = ", trained / untrained"
"""Ends the variant of a ratio of distances."""
PAIR = [
    "run",
    "seed",
    "other_run",
    "other_seed",
    "layer",
    "items",
    "reduction",
    "measure",
    "variant",
]
"""The columns that identify a row, except the step."""
BY_ACCURACY = ", by test accuracy"
"""Ends the variant of rows whose `at` is the test accuracy of the seed's network."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    accuracies = last_accuracies(rows["widths"])
    found = distances(rows["among_widths"])
    pairs = found[~is_floor(found)]
    ratios = trained_over_untrained(pairs)
    seeds = seed_rows(pairs)
    parts = [accuracies, seeds, typical(found), seed_rows(ratios), typical(ratios),
             by_accuracy(seeds, accuracies)]  # fmt: skip
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def trained_over_untrained(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows after step 0, with each pair's distance divided by its distance at step 0.

    The floor of canonical correlations grows with the width, and both distances include it.
    """
    before = pairs[pairs["step"] == UNTRAINED].set_index(PAIR)["value"]
    after = pairs[pairs["step"] > UNTRAINED]
    ratio = after["value"] / after.set_index(PAIR).index.map(before)
    return after.assign(value=ratio, variant=after["variant"] + RATIO).dropna(subset="value")


def by_accuracy(seeds: pd.DataFrame, accuracies: pd.DataFrame) -> pd.DataFrame:
    """Return PWCCA distances of seeds at the last hidden layer after training.

    `at` is the test accuracy of their network.
    """
    chosen = (seeds["measure"] == "pwcca") & (seeds["step"] > UNTRAINED)
    own = seeds[chosen & (seeds["layer"] == hidden_layers(seeds))]
    tests = accuracies[accuracies["variant"] == "test"]
    tests = tests[["run", "seed", "value"]].rename(columns={"value": "accuracy"})
    found = own.merge(tests, on=["run", "seed"])
    named = found.assign(at=found["accuracy"], variant=found["variant"] + BY_ACCURACY)
    return named.drop(columns="accuracy")
