"""The identity of a representation that a user brings, and what a config says of several."""

import os
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from repatlas.artifacts.layout import file_name
from repatlas.experiments.files.columns import TAKEN
from repatlas.experiments.files.matrix import CHANNELS, REDUCTIONS
from repatlas.experiments.files.matrix import PACKAGE as REDUCTION_PACKAGE
from repatlas.experiments.files.opened import TABLES
from repatlas.experiments.files.pattern import Place, braces, filled, places
from repatlas.grids import unique
from repatlas.named import module_of
from repatlas.own.read import suffix_of
from repatlas.own.texts import listed, natural
from repatlas.record import Record, Refused, canonical, refuse, short_hash
from repatlas.texts import Name, matching

Cell = int | float | str | bool
Values = Annotated[list[Cell], Field(min_length=2), AfterValidator(unique)]
Times = Annotated[tuple[Cell, ...], Field(min_length=2, strict=False), AfterValidator(unique)]
"""A tuple, since lists are the axes of a sweep."""
PLACES = {"arrays", "rows", "parts"}
"""What says where files are, which is no part of the identity of what they hold."""


def _pattern(text: str) -> str:
    try:
        braces(text)
    except Refused as error:
        refuse(str(error))
    return text


FilePath = Annotated[str, Field(min_length=1), AfterValidator(os.path.expanduser)]
Pattern = Annotated[FilePath, AfterValidator(_pattern)]


class Rows(Record):
    """How the rows of arrays are read, and what they stand for."""

    item: str | None = None
    """The column of `rows` that says what was shown. Representations are compared item by item, by
    these names; without it only arrays that share one table may be compared."""
    variables: dict[str, Values | None] = Field({})
    """Columns of `rows` that divide the items, with the values that are of interest, in order;
    null for all there are. Rows with other values are left out. The conditions are the
    combinations of values; without variables each item is one."""
    trials: bool = False
    """True if several rows of an item are repeats of it, each with its noise."""
    blocks: str | None = None
    """The column of `rows` with the run, session or film of each row, if rows of one are not
    independent. Folds, permutations and intervals then keep the rows of a block together. In
    comparisons of trials the items are means over trials, and blocks do not count."""
    join: Literal["exact", "inner"] = "exact"
    """Whether all arrays must have the same items ("exact"), or items that some lack are dropped
    ("inner")."""
    least_trials: int = Field(1, ge=1)
    """Sessions with fewer trials of any item take no part in a pseudo-population."""
    reduction: Literal[*REDUCTIONS] | None = None
    """What becomes of arrays with more than two axes: "flat", every position of every channel is a
    feature; "pooled", the mean of each channel."""
    times: Times | None = None
    """The names of the times, if arrays have three axes: rows, units and times, such as the bins of
    a recording. The measure over_time needs them. For other measures every unit at every time is a
    feature."""
    channels: Literal[*CHANNELS] | None = None
    """The axis after the items that holds the channels, or features. If not given, square maps of
    four axes show which it is."""
    features: Literal["all", "sample"] | None = None
    """Whether there are no other units than these ("all"), as in a layer, or these are some of more
    ("sample"), as where some neurons were recorded. If not given, "sample" for trials."""
    null_draws: int = Field(199, ge=19, le=100_000)
    """Draws of each null: the smallest p value is 1 / (null_draws + 1)."""
    missing: Literal["drop_features", "drop_rows"] | None = None
    """What becomes of numbers that are infinite or NaN: their features, or their rows, are dropped.
    If not given, they are refused."""

    @model_validator(mode="after")
    def _has_items(self) -> Self:
        if self.trials and self.item is None:
            refuse("trials: true needs 'item', the column that names what each row repeats")
        if self.times is not None:
            if self.reduction not in (None, "flat"):
                refuse(f"times: found with reduction: {self.reduction}, allowed: none")
            if self.missing == "drop_features":
                refuse("times: found with missing: drop_features, allowed: drop_rows")
        return self


class Representations(Rows):
    """Arrays of one kind, and the table of their rows: what a config has in `representations`."""

    arrays: Pattern | None = None
    """The files. Text in braces becomes a column of every result, as in
    data/net/{seed}/{epoch}/{layer}.npy. In files of several arrays the name of the array follows
    the path: data/{seed}.npz/{layer}."""
    rows: Pattern | None = None
    """The table of the rows of the arrays, one line for each row: csv, tsv, parquet, or the arrays'
    own .h5ad (its obs) or .nc (its coordinates). It may have braces of `arrays`; each array then
    has its own. Where both name rows, these are matched by name."""
    model: matching(r"[\w.]+:[\w.]+", "MODULE:FUNCTION, such as my_package:build") | None = None
    """Instead of `arrays`: a function, as my_package:build, that returns a torch model, a loader
    and the names of the items. The command `record` imports the module and calls the function.
    So do not record a config of somebody whom you do not trust, as you would not run their
    Makefile."""
    layers: list[str] | None = Field(None, min_length=1)
    """Names of the model's modules; * stands for any text."""
    weights: list[FilePath] = Field([])
    """Files that this function reads: another content makes another representation."""
    unit: str | None = None
    """The brace whose values are independent: networks, sessions or animals. Intervals resample
    it."""
    pool: str | None = None
    """The brace whose values are sessions of one pseudo-population: their neurons stand side by
    side, rows are matched by item and trial."""
    order: dict[str, list[Cell]] = Field({})
    """The values of braces in their order, where it is not the order of numbers and letters: for
    example, the layers of a network from the first to the last. Figures keep this order."""
    draws: int = Field(1, ge=1, le=10_000)
    """Pseudo-populations that are drawn from the same sessions; each is a result."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if (self.arrays is None) == (self.model is None):
            refuse(
                "set exactly one of 'arrays' (files) and 'model' (a torch model); found both or"
                " neither"
            )
        if (self.model is None) != (self.layers is None):
            refuse("set both 'model' and 'layers', or neither")
        if self.weights and self.model is None:
            refuse("weights: belongs to 'model', which is not set")
        columns = ["layer"] if self.arrays is None else braces(self.arrays)
        own = {self.pool, "draw"} if self.pool else set()  # which no result has, or another key
        if taken := [n for n in columns if n in TAKEN and n not in own]:
            refuse(f"arrays: found {{{taken[0]}}}, a column of all results; allowed: another name")
        for key in ("unit", "pool"):
            name = getattr(self, key)
            if name is not None and name not in columns:
                refuse(f"{key}: found {name!r}, allowed: {', '.join(columns) or 'nothing'}")
        if extra := sorted(self.order.keys() - {*columns}):
            refuse(f"order: found {extra[0]!r}, allowed: {', '.join(columns) or 'nothing'}")
        if self.rows is not None and (extra := sorted({*braces(self.rows)} - {*columns})):
            refuse(f"rows: found {{{extra[0]}}}, allowed: the braces of arrays")
        if self.rows is not None and suffix_of(self.rows) not in TABLES:
            refuse(f"rows: found {self.rows!r}, allowed: a file that ends in .{', .'.join(TABLES)}")
        if self.rows is None and self.model is None:
            for key in ("item", "variables", "blocks"):
                if getattr(self, key):
                    refuse(f"{key}: needs 'rows', the table that has this column")
        if self.pool is None:
            for key in ("draws", "least_trials"):
                if getattr(self, key) > 1:
                    refuse(f"{key}: belongs to 'pool', which is not set")
            return self
        if self.blocks is not None:
            refuse("blocks: found with pool, whose rows are trials of several sessions")
        if self.item is None:
            refuse("pool: needs 'item', the column by which rows of sessions are matched")
        if self.unit == self.pool:
            refuse(f"unit: found {self.unit!r}, which pool combines; allowed: another brace")
        if "draw" in columns:
            refuse("arrays: found {draw}, allowed with pool: any other name")
        return self

    def recorded(self, folder: Path) -> Self:
        """Return these representations with the layers of a model that are recorded in a folder:
        arrays in files, in the order of the model."""
        item = self.item or "item"
        files = {"arrays": f"{folder}/{{layer}}.npy", "rows": f"{folder}/rows.csv", "item": item}
        layers = (folder / "layers.txt").read_text(encoding="utf-8").split("\n")[:-1]
        changes = {"model": None, "layers": None, "weights": [], "order": {"layer": layers}}
        return self.model_copy(update=files | changes)

    def grid(self, name: str) -> "Grid":
        """Return all its representations, from the files that there are now. name: by which the
        config calls them. Raises Refused; for a model its arrays must be recorded first."""
        if self.arrays is None:
            raise Refused(f"representations.{name}: the layers of its model are not recorded yet")
        found: dict[str, tuple[dict, list[Part]]] = {}
        for place in self._ordered(name, places(self.arrays)):
            rows = None if self.rows is None else filled(self.rows, place.texts)
            session = None if self.pool is None else place.columns[self.pool]
            part = Part(path=str(place.path), key=place.key, rows=rows, session=session)
            columns = {key: v for key, v in place.columns.items() if key != self.pool}
            found.setdefault(str(columns), (columns, []))[1].append(part)
        own = {key: getattr(self, key) for key in Rows.model_fields}
        arrays = [
            Columns(columns=columns | draw, parts=parts)
            for columns, parts in found.values()
            for draw in ([{"draw": n} for n in range(self.draws)] if self.pool else [{}])
        ]
        return Grid(experiment="files", name=name, unit=self.unit, arrays=arrays, **own)

    def _ordered(self, name: str, found: list[Place]) -> list[Place]:
        """Return places in the order that the config gives. Raises Refused for a value that it
        lacks."""
        for brace, values in self.order.items():
            if lacking := {place.columns[brace] for place in found} - {*values}:
                raise Refused(
                    f"representations.{name}: order.{brace}: lacks {listed(lacking)}, which the"
                    " arrays have; allowed: all of them"
                )
        ranks = {b: {value: n for n, value in enumerate(vs)} for b, vs in self.order.items()}
        # The first brace changes slowest, as in the path.
        return sorted(
            found,
            key=lambda place: [
                (0, ranks[b][v]) if b in ranks else natural(v) for b, v in place.columns.items()
            ],
        )


class Part(Record):
    """A file of a representation: the only file, or the file of one session."""

    path: str
    """The file."""
    key: str | None = None
    """The name of the array in the file; null where the file is one array."""
    rows: str | None = None
    """The table of its rows."""
    session: Cell | None = None
    """What the brace of `pool` stands for."""


class Columns(Record):
    """One array, or one pseudo-population, by the columns that its results have."""

    columns: dict[str, Cell]
    """What the braces stand for."""
    parts: list[Part] = Field(min_length=1)
    """The file, or the file of each session."""


class Spec(Rows):
    """One representation: where it belongs, and how its rows are read. The numbers themselves are
    identified by their digests, which the file of its data has."""

    experiment: Literal["files"] = "files"
    name: str
    """The name of the set in the config"""
    unit: str | None = None
    columns: dict[str, Cell]
    """What the braces stand for"""
    parts: list[Part] = Field(min_length=1)

    @property
    def key(self) -> str:
        """12 hexadecimal digits, from the non-default values alone. Files may move: where they are
        is no part of it."""
        return short_hash(canonical(self, PLACES))

    @property
    def family(self) -> str:
        """The representations that one job measures: all representations of a unit."""
        return _family(self.name, self.unit, self.columns)

    @property
    def label(self) -> str:
        """The name for messages."""
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.columns.items())])

    @property
    def data(self) -> str:
        """The name of its arrays, before a slash, in the file of its data."""
        return self.key

    def modules(self) -> list[str]:
        """Return the modules that it names."""
        # Whatever the reduction, `flat` has the first look, and arrays of two axes.
        reductions = {"flat", self.reduction or "flat"}
        return sorted(module_of(REDUCTION_PACKAGE, name) for name in reductions)


class Grid(Rows):
    """Representations of one kind, each with the files that it is in."""

    experiment: Literal["files"] = "files"
    """The kind of representations."""
    name: Name
    """The name of the set in the config."""
    unit: str | None = None
    """The column whose values are independent."""
    arrays: list[Columns] = Field(min_length=1)
    """The files, by the columns of their results."""

    @property
    def steps(self) -> list[int]:
        """Nothing is trained here: all are seen once."""
        return [0]

    def specs(self) -> list[Spec]:
        """Return every representation, each once."""
        own = {key: getattr(self, key) for key in Rows.model_fields}
        common = own | {"name": self.name, "unit": self.unit}
        return [Spec(**common, columns=each.columns, parts=each.parts) for each in self.arrays]

    @cached_property
    def families(self) -> list[str]:
        """The families of its representations. Each family makes one job."""
        found = {_family(self.name, self.unit, each.columns) for each in self.arrays}
        return sorted(found, key=natural)

    def modules(self) -> set[str]:
        """Return the modules that its specs name."""
        return {module for spec in self.specs() for module in spec.modules()}

    def of(self, family: str) -> Self:
        """Return the representations of a family: all that its job depends on."""
        own = [
            each for each in self.arrays if _family(self.name, self.unit, each.columns) == family
        ]
        return self.model_copy(update={"arrays": own})

    def data(self, family: str, seed: int) -> tuple[str, dict[str, Any]]:
        """Return the place of the data of a family, and what is wanted there: its representations,
        and the tables of all others, with which its items are joined."""
        tables = {part.rows for each in self.arrays for part in each.parts if part.rows is not None}
        own = {*Grid.model_fields}  # without the keys that only a sweep has
        wanted = self.of(family).model_dump(mode="json", include=own, exclude_defaults=True)
        grid = wanted | {"experiment": "files"}
        return family, {"grid": grid, "tables": sorted(tables, key=natural)}


def _family(name: str, unit: str | None, columns: dict[str, Cell]) -> str:
    """Return the name of the set, and its unit with the value, as names of files have them."""
    return file_name(name) if unit is None else file_name(name, unit, str(columns[unit]))


def files_of(wanted: dict[str, Any]) -> tuple[list[tuple[str, str | None]], list[str], list[str]]:
    """Return the files that `Grid.data` needs: its arrays, by path and key; its tables; and the
    columns of these tables that count."""
    grid = Grid.model_validate(wanted["grid"])
    parts = {(part.path, part.key): None for each in grid.arrays for part in each.parts}
    named = (grid.item, *grid.variables, grid.blocks)
    columns = [*dict.fromkeys(name for name in named if name is not None)]
    return list(parts), wanted["tables"], columns
