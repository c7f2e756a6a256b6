"""What the files of a config are of: shards, tiles of comparisons, products, pages of claims."""

from typing import Any, NamedTuple

from repatlas.config.sweeps import OfSweep


class Shard(NamedTuple):
    """One family of the networks of an experiment, and one seed: a job trains them together."""

    experiment: str
    family: str
    seed: int

    @property
    def place(self) -> dict[str, Any]:
        """Part of the names of its files."""
        return self._asdict()


def shards_of(sweep: OfSweep) -> list[Shard]:
    """Return all shards of a grid."""
    return [
        Shard(sweep.experiment, family, seed)
        for family in sweep.families
        for seed in range(sweep.seeds)
    ]


class Tile(NamedTuple):
    """Pairs of a family of representations with other families. A family of the same set is also
    compared with itself, and with the earlier families only: one more family adds tiles and
    changes none."""

    study: str
    comparison: str
    folder: str
    """The folder of the files of the comparison"""
    family: Shard
    part: int
    """0 for the first of the family, which has its own pairs, too. There are more where one would
    take more than minutes."""
    others: tuple[Shard, ...]
    within: bool
    """Whether all are of one set"""

    @property
    def shards(self) -> tuple[Shard, ...]:
        """The shards of all families."""
        return (self.family, *self.others)

    @property
    def place(self) -> dict[str, str]:
        """Part of the names of its files."""
        names = {"study": self.study, "comparison": self.folder}
        part = f"--{self.part + 1}" if self.part else ""
        return names | {"tile": f"{self.family.family}{part}"}


class CohortTile(NamedTuple):
    """The pairs of the networks of one spec, or of two: of all their seeds together."""

    study: str
    comparison: str
    folder: str
    """The folder of the files of the comparison"""
    name: str
    """Name of the cohort."""
    shards: tuple[Shard, ...]
    """The shard of each network: all seeds of the first spec, and then of the second, if any."""

    @property
    def place(self) -> dict[str, str]:
        """Part of the names of its files."""
        return {"study": self.study, "comparison": self.folder, "tile": self.name}


class Product(NamedTuple):
    """What a config asks for: a figure, or a sweep that no figure draws, by its name."""

    study: str
    name: str

    @property
    def place(self) -> dict[str, str]:
        """Part of the names of the files of a figure."""
        return {"study": self.study, "figure": self.name}


class Overview(NamedTuple):
    """A page of the figure of a study's claims, and their numbers in the claims file."""

    study: str
    name: str
    claims: tuple[str, ...]
