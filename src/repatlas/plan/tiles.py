"""The jobs that a comparison is cut into."""

from collections.abc import Callable, Mapping

from repatlas.config.comparisons import Cohort, NetworkComparison
from repatlas.config.representations import Comparison
from repatlas.config.sweeps import OfSweep
from repatlas.named import named
from repatlas.plan.places import CohortTile, Shard, Tile, shards_of

MOST_SECONDS = 300
"""A comparison of many families is cut into jobs of minutes, for a cluster to run side by side."""


def tiles_of_cohorts(
    study: str, comparison: NetworkComparison, sweeps: Mapping[str, list[OfSweep]]
) -> dict[CohortTile, Cohort]:
    """Return a tile for each cohort of networks, which a job compares with one another."""
    found = {}
    for cohort in comparison.cohorts(sweeps):
        shards = tuple(
            Shard(spec.experiment, spec.family, seed)
            for spec in cohort.specs
            for seed in range(cohort.seeds)
        )
        name, folder = comparison.key, comparison.folder
        found[CohortTile(study, name, folder, cohort.name, shards)] = cohort
    return found


def tiles_of_families(
    study: str,
    comparison: Comparison,
    sweeps: Mapping[str, list[OfSweep]],
    grids: Callable[[Shard], list[OfSweep]],
) -> list[Tile]:
    """Return tiles of the families of the first sets with the families of the second, by minutes.

    grids: those that hold a shard.
    """
    first, second = (
        [shard for grid in sweeps[name] for shard in shards_of(grid)] for name in comparison.between
    )
    within = comparison.between[0] == comparison.between[1]
    size = named(f"experiments.{first[0].experiment}", "size")
    pairs = MOST_SECONDS / (size.SECONDS_OF_PAIR * len(comparison.measures))
    members = {
        shard: sum(len(grid.of(shard.family).specs()) for grid in grids(shard))
        for shard in {*first, *second}
    }
    return [
        Tile(study, comparison.key, comparison.folder, shard, part, others, within)
        for n, shard in enumerate(first)
        for part, others in enumerate(
            _parts(first[:n] if within else second, members, pairs / members[shard])
        )
    ]


def _parts(
    families: list[Shard], members: dict[Shard, int], most: float
) -> list[tuple[Shard, ...]]:
    """Split the families, in order, into parts that have at most `most` members together, or one
    family. One more family at the end changes only the last part."""
    parts: list[tuple[Shard, ...]] = [()]
    for family in families:
        if parts[-1] and sum(map(members.__getitem__, (*parts[-1], family))) > most:
            parts.append(())
        parts[-1] += (family,)
    return parts
