"""Similarities of networks of two activations on tasks of clusters that all seeds share."""

import pandas as pd

from repatlas.pairs.floor import FLOOR
from repatlas.studies.convergence.rows.distances import (
    ABOUT,
    SIZES,
    TYPICAL,
    UNTRAINED,
    is_floor,
    learned_pairs,
    seed_rows,
    typical,
)

TASK = ["task", "clusters", "targets", "delta", "alignment"]
OTHER_ACTIVATION = "other_activation"
BETWEEN = ", between minus within"
"""The end of a variant: the similarity of two activations minus the similarity within one."""
SAME_START = ", same start"
"""Ends the variant of medians over pairs of networks of one seed, which begin with equal
weights."""
BY_TARGETS = ", by target alignment"
"""Ends the variant of rows whose `at` is the difference of the two networks' target alignments."""
NOT_SHOWN = {("cca", "mean over units"), ("svcca", "variance")}
"""Measures and variants that come with the others, and that the figure has no panel for."""
PLACE = [*TASK, "step", "layer", "items", "measure", "variant", "seed"]
"""The columns that distinguish values of a seed, except the activations."""
NETWORK = [*TASK, "seed", "activation"]


def activation_rows(pairs: pd.DataFrame, networks: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the similarities of all pairs of networks that did not diverge.

    They are the similarity of two typical networks, of different seeds and of one seed, and the
    value of each seed, from pairs of different seeds. There are also differences between and within
    activations (between_minus_within), and similarities with target alignments
    (by_target_alignment). networks: the rows of all single networks.

    Clusters of noisy samples may overlap, so that no network names all samples right.
    """
    shown = pairs["variant"].str.removesuffix(FLOOR)
    extra = pd.Series([*zip(pairs["measure"], shown, strict=True)], pairs.index).isin(NOT_SHOWN)
    compared = pairs[(pairs["layer"] > 0) & pairs["value"].notna() & ~extra]
    kept = learned_pairs(compared, networks, least=0)
    begun_alike = kept["seed"] == kept["other_seed"]
    alike, kept = same_start(kept[begun_alike & ~is_floor(kept)]), kept[~begun_alike]
    if kept.empty:
        return []
    means = pd.concat([_with_tasks(typical(kept), kept), alike], ignore_index=True)
    seeds = _with_tasks(seed_rows(kept[~is_floor(kept)]), kept)
    # Each task has separate networks, and claims take means over tasks.
    seeds = seeds.assign(other_run=None)
    return [means, seeds, between_minus_within(seeds), by_target_alignment(seeds, networks)]


def same_start(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return medians over pairs of networks of one seed, which begin with equal weights."""
    if pairs.empty:
        return pairs
    grouped = pairs.groupby([*ABOUT, *SIZES, "similarity"], dropna=False, sort=False)["value"]
    found = grouped.agg(value="median", sd="std").reset_index().assign(contrast=TYPICAL)
    return _with_tasks(found.assign(variant=found["variant"] + SAME_START), pairs)


def between_minus_within(seeds: pd.DataFrame) -> pd.DataFrame:
    """Return the similarity of two activations minus the mean similarity within each, for each
    seed."""
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
    """Return the similarity of networks of two activations after training, for each seed.

    `at` is the target alignment of the first network's hidden layer minus the target alignment of
    the second's.
    """
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
    """Return these rows, made of pairs, with the pairs' tasks and the second network's
    activation."""
    about = pairs[["run", "other_run", *TASK, OTHER_ACTIVATION]].drop_duplicates()
    return rows.merge(about, on=["run", "other_run"])
