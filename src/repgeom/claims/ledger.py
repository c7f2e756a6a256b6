"""The ledger of claims: claims.yaml, typed."""

import inspect
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from repgeom.claims.statistics import STATISTICS
from repgeom.config_figures import Figures
from repgeom.record import Number, Record
from repgeom.refusals import Refused

LEARNED = 0.95
"""Networks with a lower accuracy have not learned their task."""


class Check(Record):
    """One number with its interval, and what is expected of it."""

    statistic: Literal[*STATISTICS]
    """The function in claims/statistics.py."""
    options: dict[str, Any]
    """Its arguments."""
    above: Number | None = None
    """Supported by an interval above this number, contradicted by one below."""
    below: Number | None = None
    """The other way round."""

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


class Claim(Record):
    """A statement that the workflow can check."""

    id: str = Field(pattern=r"^\d+[a-z]?$")
    """Its number."""
    claim: str
    """In our words."""
    by: Literal["paper", "ours"]
    """Who says so."""
    where: str
    """In the paper."""
    figure: Literal[*Figures.model_fields]
    """The figure whose table it rests on."""
    sweeps: list[str]
    """The sweeps of the default config whose networks it is about."""
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


class Ledger(Record):
    claims: list[Claim]

    @model_validator(mode="after")
    def _numbers_are_unique(self):
        ids = [claim.id for claim in self.claims]
        if repeated := {name for name in ids if ids.count(name) > 1}:
            raise PydanticCustomError(
                "repeated", "found claim {id} twice", {"id": ", ".join(sorted(repeated))}
            )
        return self


SELF_EVIDENT = ("measure", "variant", "activation", "kernel", "contrast")
"""Columns whose values need no name."""


def _words(option: Any) -> str:
    """A selection, several of them, or a value, for readers."""
    if isinstance(option, dict):
        return ", ".join(
            _words(value) if column in SELF_EVIDENT else f"{column} {_words(value)}"
            for column, value in option.items()
        )
    if isinstance(option, list):
        between = " / " if any(isinstance(part, dict) for part in option) else ", "
        return between.join(_words(part) for part in option)
    return str(option)


def read_ledger(path: Path) -> list[Claim]:
    """The claims of a ledger file. Raises Refused with one sentence."""
    try:
        return Ledger.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))).claims
    except yaml.YAMLError as error:
        raise Refused(f"{path}: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Refused(f"{path}: {place}: {first['msg']}") from None
