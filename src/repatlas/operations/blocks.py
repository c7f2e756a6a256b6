"""Blocks of seeds: a job makes the files of several seeds, one after the other, since its own start
takes seconds.

The seed alone says which block it is in, so a million networks are some hundred jobs to Snakemake,
and more seeds change none of them. Snakemake knows a job by the first file that is missing in its
block.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from repatlas.artifacts import layout
from repatlas.artifacts.recipes.networks import trains
from repatlas.config.multiverse import number_of
from repatlas.named import named
from repatlas.plan.plan import Plan

TABLES = 16
"""Settings of a multiverse whose tables, or comparisons, one job makes."""


class Blocks:
    """The files of each block of a plan, by stage. Whether a file is there is asked once."""

    def __init__(self, plan: Plan, is_there: Callable[[Path], bool] = Path.is_file):
        self._block_of: dict[Path, list[Path]] = {}
        self._is_there = cache(is_there)
        blocks: dict[tuple, list[Path]] = {}
        results = Path(plan.results)
        for figure in plan.tables:
            number = number_of(figure.name)
            if figure not in plan.figures and number is not None:
                file = results / layout.TABLE.format(**figure.place)
                draw = plan.tables[figure].draw
                key = ("tabulate", figure.study, draw, number // TABLES)
                self._block_of[file] = blocks.setdefault(key, [])
                self._block_of[file].append(file)
        for tile in plan.tiles:
            number = number_of(tile.comparison)
            if number is not None:
                file = results / layout.PAIRS.format(**tile.place)
                base = tile.comparison.rpartition("_setting")[0]
                key = ("compare", tile.study, base, number // TABLES)
                self._block_of[file] = blocks.setdefault(key, [])
                self._block_of[file].append(file)
        for shard in plan.shards:
            most = named(f"experiments.{shard.experiment}", "size").MOST_SEEDS
            seeds = layout.block(shard.seed, most)
            experiment, data = plan.data_place(shard)
            files = {"measure": layout.METRICS.format(**shard.place)}
            if trains(experiment):
                files["train"] = layout.RUNS.format(**shard.place)
            if plan.data[experiment, data].seed is not None:
                files["prepare"] = layout.DATA.format(experiment=experiment, data=data)
            for stage, place in files.items():
                file = results / place
                if file not in self._block_of:
                    block = blocks.setdefault((stage, experiment, shard.family, seeds), [])
                    block.append(file)
                    self._block_of[file] = block

    def together(self, file: Path) -> list[Path]:
        """Return the files that the job of this one makes: all that are missing in its block, this
        one last."""
        block = self._block_of.get(file, [])
        return [each for each in block if each != file and self._is_missing(each)] + [file]

    def known(self, files: Iterable[Path]) -> list[Path]:
        """Return the files by which Snakemake knows the jobs that make these, each once."""
        return list(dict.fromkeys(self._known(file) for file in files))

    def _known(self, file: Path) -> Path:
        if not self._is_missing(file):
            return file
        return next(filter(self._is_missing, self._block_of.get(file, [])), file)

    def _is_missing(self, file: Path) -> bool:
        return not self._is_there(file)


def seeds_in_words(files: Iterable[Path]) -> str:
    """Return the seeds of the files of a block, in words.

    >>> seeds_in_words([Path("seed-1.parquet"), Path("seed-3.parquet"), Path("seed-0.parquet")])
    'seeds 0, 1, 3'
    """
    seeds = sorted(int(file.stem.rpartition("-")[2]) for file in files)
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if len(seeds) == 1 + seeds[-1] - seeds[0] > 2:
        return f"seeds {seeds[0]} to {seeds[-1]}"
    return f"seeds {', '.join(map(str, seeds))}"
