"""The claims file (claims.yaml) as typed records. It is read before anything runs, so this module
imports neither torch nor pandas."""

import inspect
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from repatlas.artifacts import parsed
from repatlas.artifacts.recipes.grids import grid_of
from repatlas.claims.statistics import STATISTICS
from repatlas.named import ROOT, names
from repatlas.record import Number, Record, Refused

OWNERS = {
    "paper": "the paper's",
    "li": "Li et al.'s",
    "raghu": "Raghu et al.'s",
    "morcos": "Morcos et al.'s",
    "zhang": "Zhang et al.'s",
    "reviewers": "the reviewers'",
    "collapse": "the collapse papers'",
    "ours": "our own",
}
"""The sources of claims."""
LEARNED = 0.95
"""Networks with a lower accuracy have not learned their task."""


class Check(Record):
    """One number with its interval, and what is expected of it."""

    statistic: Literal[*STATISTICS]
    """The function in claims/statistics.py."""
    options: dict[str, Any]
    """The arguments of the statistic."""
    above: Number | None = None
    """Supported by an interval above this number, contradicted by one below."""
    below: Number | None = None
    """Supported by an interval below this number, contradicted by one above."""
    number: str | None = None
    """Names the number in plain words, for sentences such as "We find NUMBER: 0.69". Without it
    the sentence has the statistic and its options."""

    @model_validator(mode="after")
    def _is_complete(self):
        if (self.above is None) == (self.below is None):
            raise PydanticCustomError("expected", "should have either above or below")
        wanted = inspect.signature(STATISTICS[self.statistic]).parameters
        required = {n for n, p in wanted.items() if p.default is p.empty} - {"rows"}
        names = self.options.keys()
        if not required <= names <= wanted.keys() - {"rows"}:
            raise PydanticCustomError(
                "options",
                "options of {statistic}: found {found}, allowed: {allowed}",
                {
                    "statistic": self.statistic,
                    "found": ", ".join(names),
                    "allowed": ", ".join(wanted.keys() - {"rows"}),
                },
            )
        return self

    @property
    def measures(self) -> set[str]:
        """The measures of the rows that the check selects."""
        return set(_measures(self.options))

    @property
    def description(self) -> str:
        """The statistic and its arguments, in one line."""
        parts = [
            _words(value) if name == "of" else f"{name.strip('_')} {_words(value)}"
            for name, value in self.options.items()
        ]
        return f"{self.statistic.replace('_', ' ')}: {'; '.join(parts)}"

    @property
    def expected(self) -> str:
        return f"> {self.above:g}" if self.above is not None else f"< {self.below:g}"


def _known_figure(figure: str, info: ValidationInfo) -> str:
    """Return the figure. If a context is given, refuse a figure that the study does not have."""
    if info.context is not None and figure not in info.context:
        raise PydanticCustomError(
            "figure",
            "found {found}, allowed: {allowed}",
            {"found": repr(figure), "allowed": ", ".join(info.context)},
        )
    return figure


class Claim(Record):
    """A statement that the workflow can check."""

    id: str = Field(pattern=r"^[A-Za-z]?\d+[a-z]?$")
    """The number of the claim. A letter before the number marks a series; a letter after it marks a
    part of a claim."""
    claim: str
    """The claim, in our words."""
    by: Literal[*OWNERS]
    """The source: the paper, these authors if the study is about several papers, or ours."""
    where: str
    """The place in the paper."""
    figure: Annotated[str, AfterValidator(_known_figure)]
    """The figure whose table has the rows for the checks."""
    panels: list[str] = Field([])
    """The letters of the panels that show it; none where its figure has no letters, or where the
    figure's table alone has it."""
    settings: list[str]
    """The networks that the checks are about: names in `settings` of this file. A run without them
    judges the claim on other settings, and says so. Empty for a claim about any networks of its
    figure."""
    about: str | None = None
    """The authors' networks and data, where this project has none of this type, for example AlexNet
    on ImageNet. Every run then judges the claim on other settings."""
    fact: str | None = None
    """Why the checks cannot fail, whatever networks learn: a closed form, or least squares. Such a
    claim is an exact fact. It is shown, and not counted."""
    statistic: str
    """What is computed, in words."""
    contradicted_by: str
    """What would contradict it."""
    learned: Literal["test", "centres"] | None = None
    """Leaves networks out whose accuracy, on noisy test inputs or at the centres, is below 0.95 at
    the last step."""
    for_each: list[str] = Field([])
    """Columns of the table: the checks are made for each combination of values that it has."""
    checks: list[Check]
    """Supported if all of these are, contradicted if any is."""

    @model_validator(mode="after")
    def _can_be_repeated(self):
        if self.for_each and not all(isinstance(c.options.get("of"), dict) for c in self.checks):
            raise PydanticCustomError("for_each", "for_each: its checks should have one `of` each")
        return self

    @model_validator(mode="after")
    def _names_measures(self):
        if not all(check.measures for check in self.checks):
            raise PydanticCustomError("measure", "checks: each should select a measure")
        return self

    @property
    def measures(self) -> set[str]:
        """The measures whose rows the checks need."""
        found = set.union(*(check.measures for check in self.checks))
        return found | ({"accuracy"} if self.learned else set())

    @property
    def words(self) -> set[str]:
        """Every text in the options of the checks, and so every column that they name."""
        return {*self.for_each, *(word for c in self.checks for word in _texts(c.options))}


def _texts(options: Any) -> Iterator[str]:
    """Yield the keys and values of options that are texts, at any depth."""
    if isinstance(options, str):
        yield options
    elif isinstance(options, list):
        for part in options:
            yield from _texts(part)
    elif isinstance(options, dict):
        for name, value in options.items():
            yield name
            yield from _texts(value)


def _measures(options: Any) -> Iterator[str]:
    """Yield the measures that selections name, at any depth of the options of a check."""
    if isinstance(options, list):
        for part in options:
            yield from _measures(part)
    elif isinstance(options, dict):
        for name, value in options.items():
            if name == "measure":
                yield from value if isinstance(value, list) else [value]
            else:
                yield from _measures(value)


def _grid(values: Any) -> Record:
    if not isinstance(values, dict):
        raise PydanticCustomError("settings", "should be keys with values")
    # Only networks on images have a data set.
    kind = {"experiment": "images"} if "data_set" in values else {}
    return grid_of(kind | values)


AnyGrid = Annotated[Any, PlainValidator(_grid)]


class Ledger(Record):
    settings: dict[str, AnyGrid] = Field({})
    """Networks that claims are about, by name: their task, network, training and steps; or, on
    images, their data set, network and epochs."""
    claims: list[Claim]

    @model_validator(mode="after")
    def _is_consistent(self):
        ids = [claim.id for claim in self.claims]
        if repeated := {name for name in ids if ids.count(name) > 1}:
            raise PydanticCustomError(
                "repeated", "found claim {id} twice", {"id": ", ".join(sorted(repeated))}
            )
        for claim in self.claims:
            if unknown := set(claim.settings) - self.settings.keys():
                raise PydanticCustomError(
                    "settings",
                    "claim {id}: settings: found {found}, allowed: {allowed}",
                    {
                        "id": claim.id,
                        "found": repr(min(unknown)),
                        "allowed": ", ".join(self.settings) or "none, since settings is empty",
                    },
                )
        return self

    def modules(self) -> set[str]:
        """Return the modules that the networks in `settings` name."""
        return {
            module
            for grid in self.settings.values()
            for module in (*grid.modules(), f"experiments.{grid.experiment}.spec")
        }


SELF_EVIDENT = ("measure", "variant", "activation", "kernel", "contrast")
"""Columns whose values need no name."""


def _words(option: Any) -> str:
    """Return a selection, a list of selections, or a value, as words for readers."""
    if isinstance(option, dict):
        return ", ".join(
            _words(value) if column in SELF_EVIDENT else f"{column} {_words(value)}"
            for column, value in option.items()
        )
    if isinstance(option, list):
        between = " / " if any(isinstance(part, dict) for part in option) else ", "
        return between.join(_words(part) for part in option)
    return str(option)


def ledger_file(study: str) -> Path:
    return ROOT / "studies" / study / "claims.yaml"


@cache
def read_ledger(study: str, path: Path | None = None) -> Ledger:
    """Return the claims about the figures of a study, from its claims file or from `path`. Raises
    Refused with one sentence."""
    path = path or ledger_file(study)
    text = path.read_text(encoding="utf-8")
    key = parsed.key(__name__, text)
    known = parsed.get(key)
    try:
        values = known or yaml.load(text, yaml.CSafeLoader)
        ledger = Ledger.model_validate(values, context=names(f"studies.{study}.figures"))
    except yaml.YAMLError as error:
        raise Refused(f"{path.name}: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(_named(first["loc"], values))
        raise Refused(f"{path.name}: {place and place + ': '}{first['msg']}") from None
    # The largest file takes 0.1 s to read as YAML, so the next process looks its values up. JSON
    # turns numbers that are keys into texts: such values are not kept.
    if not known and json.loads(json.dumps(values, default=str, skipkeys=True)) == values:
        parsed.add(key, values)
    return ledger


def _named(location: tuple, values: Any) -> list[str]:
    """Return the path of a value in the claims file, in which a claim is named by its id."""
    match location:
        case ("claims", int(number), *rest):
            entry = values["claims"][number]
            name = entry.get("id", f"number {number + 1}") if isinstance(entry, dict) else number
            return [f"claim {name}", *map(str, rest)]
    return [str(part) for part in location]
