"""Grids of records: an axis is a value or a list of values, and a grid is their product."""

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, create_model
from pydantic_core import PydanticCustomError, core_schema

from repatlas.record import LARGEST_WHOLE, Record


def _as_list(value):
    return value if isinstance(value, list) else [value]


def unique(values: list) -> list:
    if len(set(values)) < len(values):
        raise PydanticCustomError("repeated", "should name each value once")
    return values


def sorted_unique(values: list) -> list:
    """Return the values in order, for lists whose order has no meaning. None comes first."""
    return sorted(unique(values), key=lambda value: (value is not None, value))


def _one_or_many(schema: dict) -> None:
    """Change the schema of an axis, so that it may be a value or a list of values."""
    items = schema.pop("items")
    del schema["type"], schema["minItems"]
    many = {"type": "array", "items": items, "minItems": 1, "uniqueItems": True}
    schema["anyOf"] = [items, many]


class RecordGrid(Record):
    """The base of all grids of a record."""

    of: ClassVar[type[Record]]


@cache
def grid_of(record: type[Record]) -> type[RecordGrid]:
    """Return the record whose fields take one value or several, in any order, within the same
    limits."""
    fields: dict[str, Any] = {}
    for name, info in record.model_fields.items():
        if name == "kind":
            fields[name] = (info.annotation, ...)
            continue
        axis = Annotated[
            list[info.rebuild_annotation()],
            BeforeValidator(_as_list),
            AfterValidator(sorted_unique),
        ]
        default = ... if info.is_required() else [info.default]
        fields[name] = (axis, Field(default, min_length=1, json_schema_extra=_one_or_many))
    name = f"{record.__name__}Grid"
    grid = create_model(name, __base__=RecordGrid, __doc__=record.__doc__, **fields)
    grid.of = record
    return grid


Steps = Annotated[
    list[Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]], AfterValidator(sorted_unique)
]
"""Training steps, or epochs, in ascending order."""


def records(grid: RecordGrid) -> list:
    """Return the records of a grid. Raises ValidationError where values exclude one another."""
    axes = {name: _as_list(value) for name, value in grid}
    points = product(*axes.values())
    return [grid.of.model_validate(dict(zip(axes, point, strict=True))) for point in points]


class ByName:
    """An annotation for a field whose record has a key that names its class, such as `kind:
    separable`. A class is looked up when its name is read, so modules of other classes are not
    loaded.
    """

    def __init__(
        self,
        key: str,
        names: Callable[[], tuple[str, ...]],
        of: Callable[[str], type[Record]],
        default: str | None = None,
    ):
        self.key, self.names, self.of, self.default = key, names, of, default

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validated)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        records = {name: self.of(name).__pydantic_core_schema__ for name in self.names()}
        return handler(core_schema.tagged_union_schema(records, discriminator=self.key))

    def _validated(self, value: Any) -> Record:
        if isinstance(value, Record):
            return value
        if not isinstance(value, dict):
            raise PydanticCustomError("model_type", "should be keys with values")
        name = value.get(self.key, self.default)
        if name not in self.names():
            context = {"key": self.key, "tag": name, "allowed": list(self.names())}
            raise PydanticCustomError("union_tag", "unknown {key}", context)
        # A ValidationError of the record, which may have several keys, becomes an error of this
        # field.
        return self.of(name).model_validate(value)
