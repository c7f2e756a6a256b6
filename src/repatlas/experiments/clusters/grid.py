"""Sweeps: grids of specs. An axis is a value or a list of values; a grid is their product."""

from itertools import product
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, create_model
from pydantic_core import PydanticCustomError

from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.clusters.tasks import FAMILIES
from repatlas.experiments.clusters.training import Training
from repatlas.networks.mlp import Network
from repatlas.record import LARGEST_WHOLE, Record


def _as_list(value):
    return value if isinstance(value, list) else [value]


def unique(values: list) -> list:
    if len(set(values)) < len(values):
        raise PydanticCustomError("repeated", "should name each value once")
    return values


def sorted_unique(values: list) -> list:
    """For lists whose order has no meaning. None comes first."""
    return sorted(unique(values), key=lambda value: (value is not None, value))


def _one_or_many(schema: dict) -> None:
    """In the schema, too, an axis is a value or a list of values."""
    items = schema.pop("items")
    del schema["type"], schema["minItems"]
    many = {"type": "array", "items": items, "minItems": 1, "uniqueItems": True}
    schema["anyOf"] = [items, many]


def grid_of(record: type[Record]) -> type[Record]:
    """The record whose fields take one value or several, in any order, within the same limits."""
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
        fields[name] = (
            axis,
            Field(
                default,
                min_length=1,
                description=info.description,
                json_schema_extra=_one_or_many,
            ),
        )
    return create_model(f"{record.__name__}Grid", __base__=Record, __doc__=record.__doc__, **fields)


TASK_GRIDS = tuple(grid_of(family) for family in FAMILIES)
AnyTaskGrid = TASK_GRIDS[0]
for _grid in TASK_GRIDS[1:]:
    AnyTaskGrid |= _grid
AnyTaskGrid = Annotated[AnyTaskGrid, Field(discriminator="kind")]
NetworkGrid = grid_of(Network)
TrainingGrid = grid_of(Training)


class Grid(Record):
    """Specs, as the product of all axes, and the steps at which their networks are stored."""

    task: AnyTaskGrid
    """The task that the networks learn."""
    network: NetworkGrid
    """The network."""
    training: TrainingGrid = TrainingGrid()
    """How it is trained."""
    steps: Annotated[
        list[Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]], AfterValidator(sorted_unique)
    ] = Field(min_length=1)
    """Training steps (batches) after which a checkpoint is stored; 0 is before training."""

    def specs(self) -> list[Spec]:
        """Every spec of the grid, each once."""
        return [
            Spec(task=task, network=network, training=training)
            for task, network, training in product(
                points(self.task), points(self.network), points(self.training)
            )
        ]


def points(grid: Record) -> list[dict]:
    """The records of a grid, as dictionaries."""
    axes = {name: value if isinstance(value, list) else [value] for name, value in grid}
    return [dict(zip(axes, point, strict=True)) for point in product(*axes.values())]
