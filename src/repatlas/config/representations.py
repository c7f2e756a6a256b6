"""Representations of users: a sweep in which nothing is trained."""

import json
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field

from repatlas.artifacts.layout import file_name
from repatlas.config.sweeps import OfSweep
from repatlas.experiments.files.spec import Grid
from repatlas.experiments.files.spec import Representations as InFiles
from repatlas.grids import sorted_unique, unique
from repatlas.named import names
from repatlas.record import Record, refuse, short_hash

MeasureOfRows = Literal[*names("own.measures")]
Similarity = Literal[*names("own.similarities")]
Measures = Annotated[list[MeasureOfRows], AfterValidator(sorted_unique)]
RECORDED = Path("data/recorded")
"""The folder of the recorded layers of models."""
WITHOUT_VARIABLES = ("dimensionality", "geometry")
"""The measures that are not about variables."""


class Representations(InFiles):
    """Arrays of one type, the table of their rows, and their measures."""

    measures: Measures | None = None
    """The measures of each representation. If not given, the `measures` of the study."""

    def sweep(self, name: str, usual: list[str]) -> "FilesSweep":
        """Return a sweep of all representations, from the files that exist now. name: the name of
        the set in the config. usual: the measures of the study. Raises Refused."""
        measures = usual if self.measures is None else self.measures
        if not self.variables:
            for measure in measures:
                if measure not in WITHOUT_VARIABLES:
                    refuse(
                        f"representations.{name}: measure {measure!r} needs variables: name the"
                        " columns of rows that it is about"
                    )
        if "over_time" in measures and self.times is None:
            refuse(
                f"representations.{name}: found measure 'over_time' without times, the names of the"
                " last axis of arrays of rows x units x times"
            )
        return FilesSweep(**dict(self._in_files(name).grid(name)), measures=measures)

    def recording(self, name: str) -> Path:
        """Return the folder with the recorded layers of the model. Another model, other weights,
        other layers or another table have another folder. Raises Refused for a module that does not
        exist."""
        # Only here: it reads what stored files are made of.
        from repatlas.experiments.files.content import model_digest

        about = [model_digest(self.model, self.weights), self.layers, self.rows, self.item]
        return RECORDED / f"{file_name(name)}-{short_hash(json.dumps(about))}"

    def _in_files(self, name: str) -> Self:
        if self.model is None:
            return self
        folder = self.recording(name)
        if not folder.exists():
            refuse(
                f"representations.{name}: the layers of {self.model} are not recorded yet in"
                f" {folder}; first run: python -m repatlas record CONFIG"
            )
        return self.recorded(folder)


class FilesSweep(OfSweep, Grid):
    """Representations, and their measures."""

    seeds: Literal[1] = 1
    measures: Measures

    def coarse(self) -> Self:
        """Return the whole sweep: no part of it would be cheaper."""
        return self

    def _check_measures(self) -> None:
        """Accept all measures. If a measure has no value for some rows, the result states the
        reason."""


class Comparison(Record):
    """Two sets of representations, and how they are compared, pair by pair."""

    between: Annotated[list[str], Field(min_length=2, max_length=2)]
    """The names of the sets; the same name twice for all pairs of a set."""
    measures: Annotated[list[Similarity], AfterValidator(unique)] = Field(min_length=1)
    """Similarities of two representations of the same items."""
    permutations: int = Field(199, ge=19, le=100_000)
    """Permutations of the items: the smallest p value is 1 / (permutations + 1)."""

    @property
    def key(self) -> str:
        """The name that figures and files use."""
        return "-".join(self.between)

    @property
    def folder(self) -> str:
        """The folder of the files of the comparison."""
        return file_name(*self.between)

    def check(self, first: Grid, second: Grid) -> None:
        """Refuse two sets that cannot be compared. Their tables must have an item in common.
        Without a column of items they must have the same table."""
        # Only here, as above.
        from repatlas.experiments.files.table import common_items, read_table

        tables = [
            list(dict.fromkeys(part.rows for each in grid.arrays for part in each.parts))
            for grid in (first, second)
        ]
        if None in (first.item, second.item):
            apart = len({*tables[0], *tables[1]}) > 1
            if apart or (tables[0] == [None] and first.name != second.name):
                refuse(
                    f"compare: {' and '.join(self.between)} have rows that cannot be matched; set"
                    " item (the column with the names of items) for both, or use one table of rows"
                )
        elif first.name != second.name:
            # Later steps may drop rows. Here it matters only whether any item is in both.
            common_items(
                {
                    f"{grid.name} ({of_grid[0]})": [
                        item
                        for path in of_grid
                        for item in read_table(Path(path), grid.item, []).items or []
                    ]
                    for grid, of_grid in zip((first, second), tables, strict=True)
                },
                inner=True,
            )
