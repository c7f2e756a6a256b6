"""Choices that a paper leaves open, with plausible values. They are read before anything runs."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from repatlas.record import Positive, Record, refuse


class Values(Record):
    """Plausible values of what a paper does not state, ours first."""

    values: list[Any] | None = Field(None, min_length=2)
    """Plausible values. The first is the value of the study."""
    factors: list[Positive] | None = Field(None, min_length=2)
    """Numbers that multiply the own value of each sweep, instead of `values`. The first is 1. With
    `steps` they multiply all steps."""
    why: str | None = None
    """Where the values come from: what the paper, or the authors' code, says."""

    @model_validator(mode="after")
    def _has_values_or_factors(self):
        if (self.values is None) == (self.factors is None):
            refuse("give exactly one of 'values' and 'factors'; both or neither are set")
        return self

    @property
    def options(self) -> list[Any]:
        """The values, or the factors."""
        return self.values if self.factors is None else self.factors


class OneChoice(Values):
    """The values of a key that a paper does not state."""

    keys: list[str] | None = Field(None, min_length=1)
    """The keys that get the value, each in the sweeps that have it. If not given, the name of the
    choice is the key."""
    sweeps: list[str] | None = Field(None, min_length=1)
    """The sweeps that get the value. If not given, all sweeps that have a key."""


class Length(Values):
    """Last training steps of figures. Only the length differs from our setting."""

    figures: list[str] = Field(min_length=1)

    @property
    def multiples(self) -> list[float]:
        """The lengths as multiples of ours."""
        return [each / self.options[0] for each in self.options]


def _with_values(values: Any) -> Any:
    return {"values": values} if isinstance(values, list) else values


Choice = Annotated[OneChoice, BeforeValidator(_with_values)]
"""A choice, or the list of its values."""
