"""A multiverse: the figures of a study under other values of the choices that a paper leaves open.

Each setting has one value of each choice. Its sweeps and figures are ordinary sweeps and figures
with a number in their names, so their networks are trained, kept and reused like any others.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count, islice, product
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from repatlas.claims.choices import Choice
from repatlas.config.sweeps import OfSweep, merged
from repatlas.figures.figure import Options
from repatlas.record import Positive, Record, refuse

NAME = "{name}_setting{number:03d}"
"""The name of a sweep or figure in a setting."""
UNTRAINED = "untrained"
STEPS = "steps"
"""The choice that is the last training step."""
OF_PREVIEW = 4
"""Settings in a preview, from the first."""
MOST_POINTS = 20_000
"""Points of the sequence that are drawn at most. Settings that are still missing then follow in the
order of the product."""

Setting = dict[str, Any]
"""The value of each choice."""


class Multiverse(Record):
    """Choices that a paper leaves open. Every claim is judged in many settings of them."""

    varies: Literal["choices", "length", "untrained"] = "choices"
    """The claims that are judged: those that the claims file judges in the settings of choices, or
    with other training lengths; or those whose control is an untrained network. The last have one
    setting, in which every step is 0."""
    figures: list[str] | None = Field(None, min_length=1)
    """The figures whose claims are judged. If not given, all that draw sweeps."""
    seeds: int | None = Field(None, ge=1)
    """The number of networks of each type in a setting. If not given, as in the sweep."""
    lengths: dict[str, list[Positive]] = Field({})
    """For `varies: length`: what all steps of a figure's sweeps are multiplied with, by figure. If
    not given, the lengths of the study's claims file."""
    settings: int = Field(64, ge=2, le=1000)
    """The number of settings, from the first. More settings change none of the earlier ones."""
    choices: dict[str, Choice] = Field({})
    """Plausible values by key, for example `network.width: [120, 60, 240]`. `steps` is the last
    training step. If not given, the choices of the study's claims file."""

    @model_validator(mode="after")
    def _varies_one_thing(self):
        if self.varies == UNTRAINED and self.choices:
            refuse(f"choices: found some with varies: {UNTRAINED}, allowed: none")
        if self.lengths and self.varies != "length":
            refuse(f"lengths: found some with varies: {self.varies}, allowed: none")
        return self

    @model_validator(mode="before")
    @classmethod
    def _has_lengths_as_choices(cls, values: Any) -> Any:
        """Make one choice of the lengths of all figures."""
        match values:
            case {"varies": "length", "lengths": dict(own)} if own and "choices" not in values:
                every = dict.fromkeys(n for of in own.values() if type(of) is list for n in of)
                return values | {"choices": {STEPS: {"factors": [*every]}}}
        return values

    @model_validator(mode="after")
    def _names_values_once(self):
        if not self.choices and self.varies != UNTRAINED:
            refuse("choices: found none, here and in the claims file of the study; add one")
        for key, choice in self.choices.items():
            if any(choice.options.count(value) > 1 for value in choice.options):
                refuse(f"choices.{key}: should name each value once")
        return self

    def chosen(self) -> list[Setting]:
        """Return the settings. The first has the first value of each choice."""
        if self.varies == UNTRAINED:
            return [{}]
        values = [choice.options for choice in self.choices.values()]
        places = islice(design([len(each) for each in values]), self.settings)
        return [
            {key: of[at] for key, of, at in zip(self.choices, values, place, strict=True)}
            for place in places
        ]

    def expanded(
        self,
        sweeps: Mapping[str, list[OfSweep]],
        figures: Mapping[str, Options],
        compare: Iterable[Any],
    ) -> "Expanded":
        """Return the sweeps, the figures and the comparisons of all settings. Figures that draw no
        sweep have no settings. A setting leaves out a figure that an earlier setting has with the
        same networks: it would count them twice. Raises PydanticCustomError for a value that a
        sweep refuses."""
        drawn = {name: figure for name, figure in figures.items() if figure.sweeps()}
        if unknown := sorted({*(self.figures or [])} - drawn.keys()):
            refuse(f"multiverse.figures: found {unknown[0]!r}, allowed: {', '.join(drawn)}")
        drawn = {name: drawn[name] for name in self.figures or drawn}
        if not drawn:
            refuse("multiverse: found no figure that draws sweeps; add one")
        needs = {name: _needs(figure, compare) for name, figure in drawn.items()}
        names = {name for own, _ in needs.values() for name in own}
        grids = {name: sweeps[name] for name in sweeps if name in names}
        self._check(grids)
        found = Expanded({}, {}, [])
        known: set[tuple[str, ...]] = set()
        for number, setting in enumerate(self.chosen()):
            changed = {
                name: [self._changed(name, grid, setting) for grid in of_sweep]
                for name, of_sweep in grids.items()
            }
            moves: dict[str, Moves] = {
                name: {k: v for g in of for k, v in self._moves(name, g, setting).items()}
                for name, of in grids.items()
            }
            for name, figure in drawn.items():
                if self.lengths and setting[STEPS] not in self.lengths.get(name, []):
                    continue
                used, compared = needs[name]
                texts = (grid.model_dump_json() for n in used for grid in changed[n])
                if (content := (name, *texts)) in known:
                    continue
                known.add(content)
                key = _free(NAME.format(name=name, number=number), figures, "figures")
                found.figures[key] = _figure_in_setting(figure, number, moves)
                for n in used:
                    key = _free(NAME.format(name=n, number=number), sweeps, "sweeps")
                    found.sweeps[key] = changed[n]
                for each in compared:
                    own = _comparison_in_setting(each, number, moves)
                    found.compare.extend([own] if own not in found.compare else [])
        return found

    def _check(self, sweeps: Mapping[str, list[OfSweep]]) -> None:
        """Refuse choices that are in no sweep, and single values that a sweep refuses."""
        every = [grid for of_sweep in sweeps.values() for grid in of_sweep]
        for name, choice in self.choices.items():
            where = f"multiverse.choices.{name}"
            if unknown := sorted({*(choice.sweeps or [])} - sweeps.keys()):
                refuse(f"{where}.sweeps: found {unknown[0]!r}, allowed: {', '.join(sweeps)}")
            wanted = choice.sweeps or [n for n in sweeps if self._keys(name, n, sweeps[n][0])]
            lacking = [n for n in wanted if not all(self._keys(name, n, g) for g in sweeps[n])]
            missing = [k for k in choice.keys or [name] if not any(_has(grid, k) for grid in every)]
            if lacking or missing:
                word = repr(missing[0]) if choice.keys and missing else "it"
                found = (
                    f"no sweep has {word}" if missing else f"sweep {lacking[0]!r} has no such key"
                )
                known = [*dict.fromkeys(k for of in sweeps.values() for k in _keys(of[0]))]
                refuse(f"{where}: {found}, allowed: {', '.join(known)}")
            for value in choice.options:
                for sweep in wanted:
                    for grid in sweeps[sweep]:
                        self._changed(sweep, grid, {name: value})

    def _keys(self, choice: str, name: str, sweep: OfSweep) -> list[str]:
        """Return the keys of a sweep that get the value of a choice."""
        about = self.choices[choice]
        if about.sweeps is not None and name not in about.sweeps:
            return []
        return [key for key in about.keys or [choice] if _has(sweep, key)]

    def _moves(self, name: str, sweep: OfSweep, setting: Setting) -> "Moves":
        """Return the steps of a sweep in a setting, by the step in the config. Steps that the
        setting leaves out are absent."""
        moves = {step: step for step in getattr(sweep, STEPS, [])}
        if self.varies == UNTRAINED:
            return dict.fromkeys(moves, 0)
        for choice, value in setting.items():
            if STEPS in self._keys(choice, name, sweep):
                times = self.choices[choice].factors is not None
                moves = {s: round(s * value) for s in moves} if times else _until(moves, value)
        return moves

    def _changed(self, name: str, sweep: OfSweep, setting: Setting) -> OfSweep:
        """Return a sweep with the values of a setting."""
        values = sweep.model_dump(exclude_unset=True)
        for choice, value in setting.items():
            for key in self._keys(choice, name, sweep):
                part, _, inner = key.partition(".")
                if key != STEPS:
                    if self.choices[choice].factors is not None:
                        own = getattr(sweep, part)
                        own = getattr(own, inner) if inner else own
                        new = _times(f"multiverse.choices.{choice}", own, value)
                    else:
                        new = value
                    values = merged(values, {part: {inner: new} if inner else new})
        if self.seeds is not None:
            values["seeds"] = min(self.seeds, sweep.seeds)
        moves = self._moves(name, sweep, setting)
        if any(step != moved for step, moved in moves.items()) or len(moves) < len(sweep.steps):
            values[STEPS] = sorted({*moves.values()})
            more: dict[int, list[str]] = {}
            for step, measures in sweep.more_measures.items():
                if step in moves:
                    known = more.setdefault(moves[step], [])
                    known += [measure for measure in measures if measure not in known]
            values["more_measures"] = more
        try:
            return type(sweep).model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(map(str, first["loc"]))
            told = ", ".join(f"{key} = {value!r}" for key, value in setting.items())
            context = {"told": told, "name": name, "at": at and f"{at}: ", "why": first["msg"]}
            sentence = "multiverse.choices: {told}, in sweep {name}: {at}{why}"
            raise PydanticCustomError("setting", sentence, context) from None


def _needs(figure: Options, compare: Iterable[Any]) -> tuple[list[str], list[Any]]:
    """Return the sweeps that a figure needs, in alphabetical order, and the comparisons."""
    keys = {key for of in figure.comparisons().values() for key in of}
    compared = [each for each in compare if each.key in keys]
    names = {name for of in figure.sweeps().values() for name in of}
    return sorted(names.union(*(each.between for each in compared))), compared


Moves = dict[int, int]
"""Steps in a setting, by the step in the config."""


class Expanded(NamedTuple):
    """What the settings of a multiverse add to a study."""

    sweeps: dict[str, list[OfSweep]]
    figures: dict[str, Options]
    compare: list[Any]


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
    keys = [n for n in sweep.axes if n != "experiment" and not n.endswith(".kind")]
    return [*keys, STEPS] if hasattr(sweep, STEPS) else keys


def _has(sweep: OfSweep, key: str) -> bool:
    return key in _keys(sweep)


def _until(moves: Moves, last: Any) -> Moves:
    """Return the steps of a sweep that ends at another step: the earlier ones stay."""
    if type(last) is not int or last < 1:
        refuse(f"multiverse.choices.{STEPS}: found {last!r}, allowed: a step of at least 1")
    *earlier, end = moves
    return {step: step for step in earlier if step < last} | {end: last}


def _free(name: str, taken: Iterable[str], where: str) -> str:
    """Return a name of the multiverse. Refuse a name that the config has."""
    if name in taken:
        refuse(f"{where}: found {name}, a name of the multiverse, allowed: another name")
    return name


def _times(where: str, own: Any, factor: float) -> Any:
    """Return the own value of a sweep, or each of its values, times a factor."""
    if isinstance(own, list):
        return [_times(where, each, factor) for each in own]
    if type(own) not in (int, float):
        refuse(f"{where}: found factors of {own!r}, allowed: factors of numbers")
    return round(own * factor) if type(own) is int else own * factor


def _figure_in_setting(figure: Options, number: int, moves: Mapping[str, Moves]) -> Options:
    """Return a figure that draws the sweeps and the comparisons of a setting."""
    changes: dict[str, Any] = {}
    step = getattr(figure, "step", None)
    for role, names in (figure.sweeps() | figure.comparisons()).items():
        renamed = [NAME.format(name=name, number=number) for name in names]
        changes[role] = renamed[0] if isinstance(getattr(figure, role), str) else renamed
    for names in figure.sweeps().values():
        for name in names:
            if step in moves[name]:
                changes["step"] = moves[name][step]
    return figure.model_copy(update=changes)


def _comparison_in_setting(comparison: Any, number: int, moves: Mapping[str, Moves]) -> Any:
    """Return a comparison of the sweeps of a setting, under the name of the setting."""
    changes: dict[str, Any] = {
        "name": NAME.format(name=comparison.key, number=number),
        "between": [NAME.format(name=name, number=number) for name in comparison.between],
    }
    if comparison.steps:
        of_first = moves[comparison.between[0]]
        changes["steps"] = sorted({of_first.get(s, s) for s in comparison.steps})
    return comparison.model_copy(update=changes)
