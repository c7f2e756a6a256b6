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

from repatlas.artifacts import parsed
from repatlas.claims.choices import Choice, Length
from repatlas.claims.statistics import STATISTICS
from repatlas.figures.figure import figures_of
from repatlas.named import ROOT, grid_of
from repatlas.record import Number, Record, Refused, refuse

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
NULL_MODELS = {
    "untrained": "an untrained network",
    "linear": "a linear network",
    "equidistant": "equidistant clusters",
    "shuffled": "shuffled labels",
    "no_change": "a prediction of no change",
}
"""What knows nothing of the task, or learns nothing of it."""


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
            refuse("should have either above or below")
        wanted = inspect.signature(STATISTICS[self.statistic]).parameters
        required = {n for n, p in wanted.items() if p.default is p.empty} - {"rows"}
        names = self.options.keys()
        if not required <= names <= wanted.keys() - {"rows"}:
            found, allowed = ", ".join(names), ", ".join(wanted.keys() - {"rows"})
            refuse(f"options of {self.statistic}: found {found}, allowed: {allowed}")
        return self

    @property
    def measures(self) -> set[str]:
        """The measures of the rows that the check selects."""
        return set(_measures(self.options))

    def holds_for(self, value: float) -> bool:
        """Return whether a number is beyond the limit."""
        return value > self.above if self.above is not None else value < self.below

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
        refuse(f"found {figure!r}, allowed: {', '.join(info.context)}")
    return figure


TOLD = {"limit", "control", "data", "varies", "before", "changed", "otherwise"}
"""What a claim tells its readers. No number depends on it."""


class Limit(Record):
    """Where the limits of a claim's checks come from."""

    source: Literal["sign", "null_model", "printed", "ours"]
    """A sign or an order that the authors state; a null model; a value that the authors print; or
    us. The number of a claim whose limit is ours is shown, and not judged."""
    null_model: Literal[*NULL_MODELS] | None = None
    """The null model that gives the limit, for this source alone."""
    why: str
    """The words that state the sign or the order, the place of the printed value, why this null
    model, or what the words lack."""

    @model_validator(mode="after")
    def _has_its_null(self):
        if (self.source == "null_model") != (self.null_model is not None):
            refuse("limit: `null_model` should be given for this source, and for no other")
        return self


class Control(Record):
    """A null model on which the checks must fail."""

    null_model: Literal[*NULL_MODELS] | None = None
    """The null model that fits the claim; none for a claim that is not about learning."""
    rows: dict[str, Any] | None = None
    """The rows of the null model, where the figure's table has them: columns with the values that
    every selection of the checks gets, for example `step: 0`."""
    value: Number | None = None
    """The number of the null model in every check, where its definition gives it, for example 0 for
    a prediction of no change. Without `rows` and `value` it is still to be computed."""
    why: str | None = None
    """Why there is no control, or why this null model fits."""

    @model_validator(mode="after")
    def _is_one_thing(self):
        if self.null_model is None and (not self.why or self.rows or self.value is not None):
            refuse("control: without `null_model` it should have `why` alone")
        if self.rows and self.value is not None:
            refuse("control: should have `rows` or `value`, found both")
        return self


class Dropped(Record):
    """A claim that is no longer judged by itself."""

    id: str
    claim: str
    by: Literal[*OWNERS]
    into: str | None = None
    """The claim that has it as a part now; none for a claim that is dropped."""
    why: str
    before: str
    """The verdict by the rule before this one, as in `Claim`."""


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
    limit: Limit | None = None
    """Needed in a claims file, as is `control`."""
    control: Control | None = None
    data: Literal["authors", "near", "other"] | None = None
    """How near the networks in `settings` are to the authors'. A near setting has the same data set
    or a part of it, and a smaller network of the same kind. None for our own claims."""
    varies: list[Literal["choices", "length"]] = Field([])
    """The claim is also judged in the settings of `choices` of this file, and with each training
    length in `lengths` of its figure. Empty: in our setting alone."""
    before: str | None = None
    """The verdict by the rule before this one. "A; B" means that the correction for the number of
    claims made B of A. None for a claim that was not judged then."""
    changed: str | None = None
    """What was changed since that verdict, with the reason."""
    otherwise: str | None = None
    """Another way to judge it, and why it is not ours."""
    later: str | None = None
    """The networks or measures that no table has yet. Until then the claim is not judged."""
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
            refuse("for_each: its checks should have one `of` each")
        return self

    @model_validator(mode="after")
    def _fails_on_its_null(self):
        value = self.control.value if self.control else None
        if value is None or self.fact or not self.checks:
            return self
        if all(check.holds_for(value) for check in self.checks):
            refuse(f"control: every check holds for {value:g} too; reword it, or make it a fact")
        return self

    @model_validator(mode="after")
    def _names_measures(self):
        if not all(check.measures for check in self.checks):
            refuse("checks: each should select a measure")
        return self

    @property
    def measures(self) -> set[str]:
        """The measures whose rows the checks need."""
        found = set().union(*(check.measures for check in self.checks))
        return found | ({"accuracy"} if self.learned else set())

    @property
    def in_our_setting(self) -> bool:
        """Whether the claim is judged in our setting alone."""
        is_judged = self.limit is not None and self.limit.source != "ours" and not self.later
        return is_judged and not (self.varies or self.fact)

    def is_tried_by(self, varies: str) -> bool:
        """Return whether the claim is judged in settings that differ in this: choices, length, or
        untrained for networks that did not learn."""
        if self.fact or self.later or (varies == "untrained" and self.limit.source == "ours"):
            return False
        control = self.control
        is_computed = control.rows or control.value is not None
        return varies in self.varies or (varies == control.null_model and not is_computed)

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
        refuse("should be keys with values")
    # Only networks on images have a data set.
    kind = {"experiment": "images"} if "data_set" in values else {}
    return grid_of(kind | values)


AnyGrid = Annotated[Any, PlainValidator(_grid)]


class ClaimsFile(Record):
    settings: dict[str, AnyGrid] = Field({})
    """Networks that claims are about, by name: their task, network, training and steps; or, on
    images, their data set, network and epochs."""
    choices: dict[str, Choice] = Field({})
    """Choices that the sources leave open, by key. The first value of each is ours."""
    lengths: list[Length] = Field([])
    """Training lengths of figures, varied alone."""
    ours_alone: dict[str, list[str]] = Field({})
    """Claims that are judged in our setting alone, by the reason."""
    claims: list[Claim]
    dropped: list[Dropped] = Field([])
    """Claims that were judged before, and are no longer by themselves."""

    @model_validator(mode="after")
    def _is_consistent(self):
        ids = [claim.id for claim in self.claims]
        for gone in self.dropped:
            if gone.into is not None and gone.into not in ids:
                refuse(f"dropped {gone.id}: into: found {gone.into!r}, allowed: a claim's id")
        ids += [gone.id for gone in self.dropped]
        if repeated := {name for name in ids if ids.count(name) > 1}:
            refuse(f"found claim {', '.join(sorted(repeated))} twice")
        with_lengths = {figure for length in self.lengths for figure in length.figures}
        for claim in self.claims:
            if claim.limit is None or claim.control is None:
                refuse(
                    f"claim {claim.id}: limit, control: both are needed, see the rule for verdicts"
                )
            if "length" in claim.varies and claim.figure not in with_lengths:
                refuse(f"claim {claim.id}: varies: lengths of this file has no {claim.figure}")
            if unknown := set(claim.settings) - self.settings.keys():
                allowed = ", ".join(self.settings) or "none, since settings is empty"
                refuse(f"claim {claim.id}: settings: found {min(unknown)!r}, allowed: {allowed}")
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


def claims_path(study: str) -> Path:
    return ROOT / "studies" / study / "claims.yaml"


@cache
def read_claims(study: str, path: Path | None = None) -> ClaimsFile:
    """Return the claims about the figures of a study, from its claims file or from `path`. Raises
    Refused with one sentence."""
    path = path or claims_path(study)
    text = path.read_text(encoding="utf-8")
    key = parsed.key(__file__, text)
    known = parsed.get(key)
    try:
        values = known or yaml.load(text, yaml.CSafeLoader)
        file = ClaimsFile.model_validate(values, context=figures_of(study))
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
    return file


def _named(location: tuple, values: Any) -> list[str]:
    """Return the path of a value in the claims file, in which a claim is named by its id."""
    match location:
        case ("claims", int(number), *rest):
            entry = values["claims"][number]
            name = entry.get("id", f"number {number + 1}") if isinstance(entry, dict) else number
            return [f"claim {name}", *map(str, rest)]
    return [str(part) for part in location]
