"""Sweeps: grids of networks, how often each is trained, and what is measured of them."""

import ast
import math
from functools import cache, cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, create_model, model_validator
from pydantic_core import PydanticCustomError

from repatlas import representation
from repatlas.grids import ByName, sorted_unique
from repatlas.named import ROOT, module_of, named, trains
from repatlas.named import names as names_in
from repatlas.record import Record, refuse
from repatlas.representation import Decoders

MeasureName = Literal[*names_in("measures")]
MOST_NETWORKS = 100_000
"""The largest number of networks that a sweep may have for a seed. Each network is made and checked
before anything is planned, in some 0.03 ms. The largest sweep of the papers has 220."""


class Preview(Record):
    """The coarse part of a sweep that a preview trains."""

    seeds: int = Field(1, ge=0)
    """The number of seeds, from seed 0. With 0 seeds the networks are left out."""
    values: int | None = Field(None, ge=1)
    """The number of values of each numeric axis of the task, evenly chosen from the first to the
    last. If not given, all of them."""
    choices: int | None = Field(None, ge=1)
    """The number of values of each axis of the network, and of each axis of the task that has words
    for values, from the first. If not given, all of them."""


class OfSweep(Record):
    """The keys of a sweep that do not describe its networks."""

    seeds: int = Field(ge=1, le=1_000_000)
    """Replicates of every network: seeds 0 .. seeds - 1."""
    measures: Annotated[list[MeasureName], AfterValidator(sorted_unique)] = Field(min_length=1)
    """What is measured at each step in `steps`."""
    more_measures: dict[Annotated[int, Field(strict=False)], list[MeasureName]] = Field({})
    """What else is measured at some of the steps."""
    decoders: Decoders | None = None
    """Settings of the linear decoders that differ from the settings of the config."""
    preview: Preview = Preview()
    """The networks of this sweep that a preview trains. If not given, the first seed of all
    networks."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if (number := math.prod(map(len, self.axes.values()))) > MOST_NETWORKS:
            refuse(f"found {number:,} networks of each seed, allowed: at most {MOST_NETWORKS:,}")
        try:
            self.specs()
        except ValidationError as error:
            # Limits on two values together are known only to the record of a single network.
            raise PydanticCustomError("network", error.errors()[0]["msg"]) from None
        if extra := self.more_measures.keys() - set(self.steps):
            refuse(f"more_measures: found step {min(extra)}, allowed: {self.steps}")
        self._check_measures()
        if self.preview.seeds > self.seeds:
            raise PydanticCustomError("preview", "preview.seeds should be at most seeds")
        return self

    def _check_measures(self) -> None:
        """Refuse a measure that needs what networks of the experiment do not have."""
        for name in sorted(self.all_measures):
            if need(name) not in self.has:
                refuse(
                    f"measures: found {name!r} for {self.experiment}; it needs"
                    f" {about(need(name))}; allowed: {', '.join(answered(self.has))}"
                )
        if hasattr(self, "refuse_measures"):  # limits in addition to the needs of measures
            self.refuse_measures(self.all_measures)

    @cached_property
    def settings(self) -> list[str]:
        """The parts of the grid that distinguish its networks."""
        grid = named(f"experiments.{self.experiment}", "spec").Grid
        return [name for name in grid.model_fields if name not in ("experiment", "steps")]

    @cached_property
    def axes(self) -> dict[str, frozenset]:
        """The values of each setting of its networks, as texts."""
        found: dict[str, Any] = {"experiment": self.experiment}
        for name in self.settings:
            part = getattr(self, name)
            inner = part if isinstance(part, Record) else [("", part)]
            found |= {f"{name}.{key}": value for key, value in inner}
        # Some settings of a user's arrays are mappings.
        return {n: frozenset(map(str, v if isinstance(v, list) else [v])) for n, v in found.items()}

    @cached_property
    def _specs(self) -> list[Any]:
        return super().specs()

    def specs(self) -> list[Any]:
        """Return every spec of the sweep. They are made once: to check a spec takes 30 us, and
        some questions of a plan need all of them."""
        return self._specs

    def model_copy(self, **options: Any) -> Self:
        """Return a copy, without what was found out about this sweep."""
        copy = super().model_copy(**options)
        for name in ("axes", "families", "_specs", "_by_family"):
            copy.__dict__.pop(name, None)
        return copy

    @property
    def all_measures(self) -> set[str]:
        return set(self.measures).union(*self.more_measures.values())

    def coarse(self) -> Self:
        """Return the part of the sweep that a preview trains."""
        changes: dict[str, Any] = {"seeds": self.preview.seeds}
        values, choices = self.preview.values, self.preview.choices
        for part in ("task", "network"):
            record = getattr(self, part, None)
            axes = {name: axis for name, axis in record or () if isinstance(axis, list)}
            for name, axis in axes.items():
                if part == "task" and _is_numeric(axis):
                    axes[name] = _evenly(axis, values or len(axis))
                else:
                    axes[name] = axis[:choices]
            if axes:
                changes[part] = record.model_copy(update=axes)
        return self.model_copy(update=changes)


def _is_numeric(axis: list) -> bool:
    return all(type(value) in (int, float) for value in axis)


def _evenly(axis: list, number: int) -> list:
    """Return this number of values of an axis, evenly chosen, or all values if there are fewer."""
    if len(axis) <= number:
        return axis
    between = (len(axis) - 1) / max(number - 1, 1)
    return [axis[round(place * between)] for place in range(number)]


@cache
def sweep_of(experiment: str) -> type[OfSweep]:
    """Return the record of a sweep of an experiment: its grid, and the keys of all sweeps."""
    grid = named(f"experiments.{experiment}", "spec").Grid
    return create_model(
        f"{experiment.title()}Sweep", __base__=(OfSweep, grid), __doc__=grid.__doc__
    )


def expanded(values: Any) -> list:
    """Return the grids of a sweep: one grid, or one for each entry of `each`, together with the
    keys that all grids share."""
    if not isinstance(values, dict) or "each" not in values:
        return [values]
    common = {name: value for name, value in values.items() if name != "each"}
    each = values["each"]
    if not isinstance(each, list) or not each or not all(isinstance(one, dict) for one in each):
        refuse("each: allowed: a list of keys with values, one entry for each grid")
    return [merged(common, one) for one in each]


def merged(below: dict, above: dict) -> dict:
    """Return two mappings, merged. Values of `above` replace values of `below`, lists as a whole;
    mappings that are in both are merged."""
    both = {
        key: merged(below[key], value)
        if isinstance(value, dict) and isinstance(below.get(key), dict)
        else value
        for key, value in above.items()
    }
    return below | both


def trained() -> tuple[str, ...]:
    """Return the experiments whose networks are trained: a sweep must be of one of these."""
    return tuple(name for name in names_in("experiments") if trains(name))


AnySweep = Annotated[OfSweep, ByName("experiment", trained, sweep_of, "clusters")]


@cache
def need(measure: str) -> str:
    """Return the name of the Protocol that `rows` of a measure takes. Its source is read and not
    imported, since it may import packages that take a second to load."""
    path = ROOT.joinpath(*module_of("measures", measure).split(".")).with_suffix(".py")
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "rows":
            annotation = statement.args.args[0].annotation
            if isinstance(annotation, ast.Name) and hasattr(representation, annotation.id):
                return annotation.id
    raise AttributeError(f"{path}: annotate `seen` of rows with a Protocol of representation.py")


def about(name: str) -> str:
    """Return a need in words, to stand within a sentence."""
    words = getattr(representation, name).__doc__.rstrip(".")
    return words[0].lower() + words[1:]


def answered(has: set[str]) -> list[str]:
    """Return the measures that need one of these."""
    return [name for name in names_in("measures") if need(name) in has]
