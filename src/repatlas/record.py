"""The base of everything typed: immutable, strict, clear about what it refuses, and with a key."""

import hashlib
import json
from typing import Annotated, NoReturn

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

SPEC_VERSION = 1
"""Part of every key: raise it when the default of a hyper-parameter changes its meaning."""


class Refused(ValueError):
    """A key, a file or an option that cannot be used. The message is one sentence for each: what it
    is, what was found and what is allowed. Any other exception from here is a bug of ours."""


class Record(BaseModel):
    """A frozen set of named values. Unknown keys and values of another type are refused."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _name_unknown_keys(cls, values):
        # pydantic's own refusal of an extra key doesn't say which keys there are.
        fields = cls.__pydantic_fields__
        if isinstance(values, dict) and not values.keys() <= fields.keys():
            for key in values:
                if key not in fields:
                    allowed = ", ".join(fields)
                    raise PydanticCustomError(
                        "unknown_key",
                        "unknown key {key}, allowed: {allowed}",
                        {"key": repr(key), "allowed": allowed},
                    )
        return values


def refuse(message: str) -> NoReturn:
    """Refuse the record that is being made, in these words."""
    raise PydanticCustomError("refused", "{message}", {"message": message})


def canonical(record: BaseModel, exclude: set[str] | None = None) -> str:
    """Return the unique JSON text of a record: sorted keys, no default values, no spaces."""
    values = record.model_dump(mode="json", exclude_defaults=True, exclude=exclude)
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def short_hash(text: str, digits: int = 12) -> str:
    """Return hexadecimal digits that replace a text in keys and in names of files."""
    return hashlib.sha256(f"{SPEC_VERSION} {text}".encode()).hexdigest()[:digits]


def _scientific(value):
    # YAML 1.1 reads 1e-3 as text: it wants 1.0e-3.
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def number(*limits: FieldInfo):
    """Return the type of a number. Its limits are first, because the schema omits limits after
    validators."""
    # Adding 0.0 makes -0.0 the 0.0 that it equals: one number, one key.
    one_zero = AfterValidator(lambda x: x + 0.0)
    return Annotated[float, *limits, BeforeValidator(_scientific), one_zero]


Number = number()

LARGEST_WHOLE = 2**31 - 1
"""The largest whole number of the files' columns, which have 32 bits."""
SMALLEST, LARGEST = 1e-37, 1e38
"""The range of positive numbers that networks are trained and measured with: in float32 others
become 0, lose digits or become infinite."""
Positive = number(Field(ge=SMALLEST, le=LARGEST, allow_inf_nan=False))
