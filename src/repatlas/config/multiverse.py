"""A multiverse: the figures of a study under other values of the choices that a paper leaves open.

Each setting has one value of each choice. Its sweeps and figures are ordinary sweeps and figures
with a number in their names, so their networks are trained, kept and reused like any others.
"""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import count, islice, product
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from repatlas.claims.ledger import Claim
from repatlas.config.sweeps import OfSweep, merged
from repatlas.figures.figure import Options
from repatlas.record import Record, refuse

NAME = "{name}_setting{number:03d}"
"""The name of a sweep or figure in a setting."""
STEPS = "steps"
"""The choice that is the last training step."""
OF_PREVIEW = 4
"""Settings in a preview, from the first."""
MOST_POINTS = 20_000
"""Points of the sequence that are drawn at most. Settings that are still missing then follow in the
order of the product."""

Setting = dict[str, Any]
"""The value of each choice."""


class Choice(Record):
    """The values of a key that a paper does not state."""

    values: list[Any] = Field(min_length=2)
    """Plausible values. The first is the value of the study."""
    sweeps: list[str] | None = Field(None, min_length=1)
    """The sweeps that get the value. If not given, all sweeps that have the key."""


def _with_values(values: Any) -> Any:
    return {"values": values} if isinstance(values, list) else values


class Multiverse(Record):
    """Choices that a paper leaves open. Every claim is judged in many settings of them."""

    settings: int = Field(64, ge=2, le=1000)
    """The number of settings, from the first. More settings change none of the earlier ones."""
    choices: dict[str, Annotated[Choice, BeforeValidator(_with_values)]] = Field(min_length=1)
    """Plausible values by key, for example `network.width: [120, 60, 240]`. `steps` is the last
    training step."""
    claims: list[Claim] = Field([])
    """Your own claims, written as in the claims file of a study. They are judged in addition to the
    claims of that file."""

    @model_validator(mode="after")
    def _names_values_once(self):
        for key, choice in self.choices.items():
            if any(choice.values.count(value) > 1 for value in choice.values):
                refuse(f"choices.{key}: should name each value once")
        return self

    def chosen(self) -> list[Setting]:
        """Return the settings. The first has the first value of each choice."""
        values = [choice.values for choice in self.choices.values()]
        places = islice(design([len(each) for each in values]), self.settings)
        return [
            {key: of[at] for key, of, at in zip(self.choices, values, place, strict=True)}
            for place in places
        ]

    def expanded(
        self, sweeps: Mapping[str, list[OfSweep]], figures: Mapping[str, Options]
    ) -> tuple[dict[str, list[OfSweep]], dict[str, Options]]:
        """Return the sweeps and the figures of all settings. Figures that draw no sweep, or compare
        networks, have no settings. Raises PydanticCustomError for a value that a sweep refuses."""
        drawn = {
            name: figure
            for name, figure in figures.items()
            if figure.sweeps() and not figure.comparisons()
        }
        if not drawn:
            refuse("multiverse: found no figure that draws sweeps and no comparisons; add one")
        names = {n for figure in drawn.values() for of in figure.sweeps().values() for n in of}
        grids = {name: sweeps[name] for name in sweeps if name in names}
        self._check(grids)
        more_sweeps: dict[str, list[OfSweep]] = {}
        more_figures: dict[str, Options] = {}
        for number, setting in enumerate(self.chosen()):
            for name, of_sweep in grids.items():
                key = NAME.format(name=name, number=number)
                if key in sweeps:
                    refuse(f"sweeps: found {key}, a name of the multiverse, allowed: another name")
                more_sweeps[key] = [self._changed(name, grid, setting) for grid in of_sweep]
            for name, figure in drawn.items():
                key = NAME.format(name=name, number=number)
                if key in figures:
                    refuse(f"figures: found {key}, a name of the multiverse, allowed: another name")
                more_figures[key] = _figure_in_setting(figure, number, setting, grids)
        return more_sweeps, more_figures

    def _check(self, sweeps: Mapping[str, list[OfSweep]]) -> None:
        """Refuse choices that are in no sweep, and single values that a sweep refuses."""
        for key, choice in self.choices.items():
            where = f"multiverse.choices.{key}"
            if unknown := sorted({*(choice.sweeps or [])} - sweeps.keys()):
                refuse(f"{where}.sweeps: found {unknown[0]!r}, allowed: {', '.join(sweeps)}")
            wanted = [n for n in sweeps if self._applies(key, n, sweeps[n][0])]
            lacking = [n for n in wanted if not all(_has(grid, key) for grid in sweeps[n])]
            if not wanted or lacking:
                found = f"sweep {lacking[0]!r} has no such key" if lacking else "no sweep has it"
                known = [*dict.fromkeys(k for of in sweeps.values() for k in _keys(of[0]))]
                refuse(f"{where}: {found}, allowed: {', '.join(known)}")
            for value in choice.values:
                for name in wanted:
                    for grid in sweeps[name]:
                        self._changed(name, grid, {key: value})

    def _applies(self, key: str, name: str, sweep: OfSweep) -> bool:
        named = self.choices[key].sweeps
        return _has(sweep, key) if named is None else name in named

    def _changed(self, name: str, sweep: OfSweep, setting: Setting) -> OfSweep:
        """Return a sweep with the values of a setting."""
        values = sweep.model_dump(exclude_unset=True)
        for key, value in setting.items():
            if self._applies(key, name, sweep):
                part, _, inner = key.partition(".")
                if key == STEPS:
                    values |= _until(sweep, value)
                else:
                    values = merged(values, {part: {inner: value} if inner else value})
        try:
            return type(sweep).model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(map(str, first["loc"]))
            told = ", ".join(f"{key} = {value!r}" for key, value in setting.items())
            context = {"told": told, "name": name, "at": at and f"{at}: ", "why": first["msg"]}
            sentence = "multiverse.choices: {told}, in sweep {name}: {at}{why}"
            raise PydanticCustomError("setting", sentence, context) from None


def design(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield every setting once, as the place of the value of each choice. sizes: the number of
    values of each choice.

    The first settings fill the product evenly. They are the points of Richtmyer's sequence, the
    fractional parts of n sqrt(p) for a prime number p of each choice, without the points that
    repeat an earlier setting. The first setting has the first value of each choice. (A Sobol
    sequence leaves out some pairs of values of eight choices in 64 settings, this one none.)

    >>> list(islice(design([2, 3]), 4))
    [(0, 0), (0, 2), (1, 1), (1, 2)]
    """
    steps = np.sqrt(list(islice(_primes(), len(sizes))))
    seen: set[tuple[int, ...]] = set()
    for number in range(MOST_POINTS):
        setting = tuple((number * steps % 1 * sizes).astype(int).tolist())
        if setting not in seen:
            seen.add(setting)
            yield setting
        if len(seen) == math.prod(sizes):
            return
    yield from (s for s in product(*map(range, sizes)) if s not in seen)


def _primes() -> Iterator[int]:
    return (n for n in count(2) if all(n % d for d in range(2, math.isqrt(n) + 1)))


def number_of(figure: str) -> int | None:
    """Return the setting in the name of a figure or sweep; None for a name without one.

    >>> number_of("fig02_setting017"), number_of("fig02")
    (17, None)
    """
    found = re.search(r"_setting(\d{3,})$", figure)
    return int(found[1]) if found else None


def _keys(sweep: OfSweep) -> list[str]:
    """Return the keys of a sweep that can be choices."""
    keys = []
    for part in sweep.settings:
        value = getattr(sweep, part)
        inner = type(value).model_fields if isinstance(value, Record) else None
        keys += [part] if inner is None else [f"{part}.{name}" for name in inner if name != "kind"]
    return [*keys, STEPS] if hasattr(sweep, STEPS) else keys


def _has(sweep: OfSweep, key: str) -> bool:
    return key in _keys(sweep)


def _until(sweep: Any, last: Any) -> dict[str, Any]:
    """Return the steps of a sweep that ends at another step: the earlier ones stay."""
    if type(last) is not int or last < 1:
        refuse(f"multiverse.choices.{STEPS}: found {last!r}, allowed: a step of at least 1")
    earlier = [step for step in sweep.steps[:-1] if step < last]
    more = {step: of for step, of in sweep.more_measures.items() if step in earlier}
    if sweep.steps[-1] in sweep.more_measures:
        more[last] = sweep.more_measures[sweep.steps[-1]]
    return {STEPS: [*earlier, last], "more_measures": more}


def _figure_in_setting(
    figure: Options, number: int, setting: Setting, sweeps: Mapping[str, list[OfSweep]]
) -> Options:
    """Return a figure that draws the sweeps of a setting."""
    changes: dict[str, Any] = {}
    ends = set()
    for role, names in figure.sweeps().items():
        renamed = [NAME.format(name=name, number=number) for name in names]
        changes[role] = renamed[0] if isinstance(getattr(figure, role), str) else renamed
        ends |= {getattr(grid, STEPS, [None])[-1] for name in names for grid in sweeps[name]}
    if STEPS in setting and getattr(figure, "step", None) in ends:
        changes["step"] = setting[STEPS]
    return figure.model_copy(update=changes)
