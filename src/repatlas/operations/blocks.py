"""Blocks of seeds: a job makes the files of several seeds, one after the other, since its own start
takes seconds.

The seed alone says which block it is in, so a million networks are some hundred jobs to Snakemake,
and more seeds change none of them. Snakemake knows a job by the first file that is missing in its
block.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from repatlas.operations.expected import Expectations


class Blocks:
    """The jobs of the files of a plan. Whether a file is there is asked once."""

    def __init__(self, expected: Expectations, is_there: Callable[[Path], bool] = Path.is_file):
        self._block_of = expected.block_of
        self._is_there = cache(is_there)
        self._together: dict[Path, list[Path]] = {}

    def together(self, file: Path) -> list[Path]:
        """Return the files that the job of this one makes: all that are missing in its block, this
        one last."""
        if file not in self._together:
            missing = filter(self._is_missing, self._block_of(file))
            self._together[file] = [*(each for each in missing if each != file), file]
        return self._together[file]

    def known(self, files: Iterable[Path]) -> list[Path]:
        """Return the files by which Snakemake knows the jobs that make these, each once."""
        return list(dict.fromkeys(self._known(file) for file in files))

    def _known(self, file: Path) -> Path:
        if not self._is_missing(file):
            return file
        return next(filter(self._is_missing, self._block_of(file)), file)

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
