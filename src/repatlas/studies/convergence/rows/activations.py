"""Similarities of networks of two activations on tasks of clusters that all seeds share."""

import pandas as pd

from repatlas.studies.convergence.columns import OTHER_ACTIVATION, TASK
from repatlas.studies.convergence.rows.distances import (
    UNTRAINED,
    is_floor,
    learned_pairs,
    of_seeds,
    over_pairs,
)

BETWEEN = ", between minus within"
"""Ends the variant of what networks of two activations have in common less what those of one
have."""
BY_TARGETS = ", by target alignment"
"""Ends the variant of rows whose `at` is the difference of the two networks' target alignments."""
PLACE = [*TASK, "step", "layer", "items", "measure", "variant", "seed"]
"""What tells values of a seed apart, but for the activations."""
NETWORK = [*TASK, "seed", "activation"]


def of_activations(pairs: pd.DataFrame, networks: pd.DataFrame) -> list[pd.DataFrame]:
    """Of all pairs of networks that did not diverge: means over pairs; the value of each seed; and
    this of two activations less the mean of each with its own kind, and beside the target
    alignments of its networks. networks: the rows of all single networks.

    Clusters of noisy samples may overlap, so that no network names all samples right.
    """
    compared = pairs[(pairs["layer"] > 0) & pairs["value"].notna()]
    kept = learned_pairs(compared, networks, least=0)
    if kept.empty:
        return []
    means = _with_tasks(over_pairs(kept), kept)
    seeds = _with_tasks(of_seeds(kept[~is_floor(kept)]), kept)
    # Tasks have networks of their own, over which claims take means.
    seeds = seeds.assign(other_run=None)
    return [means, seeds, between_minus_within(seeds), by_target_alignment(seeds, networks)]


def between_minus_within(seeds: pd.DataFrame) -> pd.DataFrame:
    """The similarity of networks of two activations less the mean of those of each activation with
    one another, of each seed."""
    same = seeds["activation"] == seeds[OTHER_ACTIVATION]
    within = seeds.loc[same, [*PLACE, "activation", "value"]]
    found = seeds[~same]
    for name in ("activation", OTHER_ACTIVATION):
        of_kind = within.rename(columns={"activation": name, "value": f"of_{name}"})
        found = found.merge(of_kind, on=[*PLACE, name])
    both = found[["of_activation", f"of_{OTHER_ACTIVATION}"]].mean(axis=1, skipna=False)
    less = found.assign(value=found["value"] - both, variant=found["variant"] + BETWEEN)
    return less.drop(columns=["of_activation", f"of_{OTHER_ACTIVATION}"])


def by_target_alignment(seeds: pd.DataFrame, networks: pd.DataFrame) -> pd.DataFrame:
    """The similarity of networks of two activations after training, `at` the alignment of the first
    one's hidden layer with the targets less that of the second one's, of each seed."""
    ends = networks[
        (networks["measure"] == "target_alignment")
        & (networks["variant"] == "centres")
        & (networks["step"] > UNTRAINED)
    ]
    ends = ends[[*NETWORK, "step", "layer", "value"]]
    other = seeds["activation"] != seeds[OTHER_ACTIVATION]
    found = seeds[other & (seeds["step"] > UNTRAINED)]
    for name in ("activation", OTHER_ACTIVATION):
        of_kind = ends.rename(columns={"activation": name, "value": f"of_{name}"})
        found = found.merge(of_kind, on=[*TASK, "seed", "step", "layer", name])
    difference = found["of_activation"] - found[f"of_{OTHER_ACTIVATION}"]
    beside = found.assign(at=difference, variant=found["variant"] + BY_TARGETS)
    return beside.drop(columns=["of_activation", f"of_{OTHER_ACTIVATION}"])


def _with_tasks(rows: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """These rows, made of pairs, with the tasks of the pairs' networks and the second one's
    activation."""
    about = pairs[["run", "other_run", *TASK, OTHER_ACTIVATION]].drop_duplicates()
    return rows.merge(about, on=["run", "other_run"])
