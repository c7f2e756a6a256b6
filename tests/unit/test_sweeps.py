from itertools import product

import pytest
from pydantic import ValidationError

from repatlas.config.schema import schema_of
from repatlas.experiments.clusters.arrays import kinds, task_class
from repatlas.experiments.clusters.spec import Grid, Spec
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.grids import grid_of

VALUES = {
    "task": {"kind": "separable", "delta": [0.0, 0.5, 1.0], "noise_variance": [1.0, 4.0]},
    "network": {"activation": ["tanh", "relu"], "width": 40},
    "training": {"learning_rate": [0.1, 0.2], "batch": 20, "samples": 400},
    "steps": [0, 10],
}


def grid(**changes):
    return Grid.model_validate(VALUES | changes)


def test_the_grid_is_the_product_of_its_axes():
    expected = {
        Spec.model_validate(
            {
                "task": {"kind": "separable", "delta": delta, "noise_variance": variance},
                "network": {"activation": activation, "width": 40},
                "training": {"learning_rate": rate, "batch": 20, "samples": 400},
            }
        )
        for delta, variance, activation, rate in product(
            [0.0, 0.5, 1.0], [1.0, 4.0], ["tanh", "relu"], [0.1, 0.2]
        )
    }
    specs = grid().specs()
    assert len(specs) == 24
    assert set(specs) == expected


def test_a_value_stands_for_a_list_of_one():
    scalar = grid(task={"kind": "separable", "delta": 0.5})
    assert scalar.specs() == grid(task={"kind": "separable", "delta": [0.5]}).specs()


def test_an_axis_that_is_left_out_has_its_default_value():
    only = grid(task={"kind": "separable"}, network={"activation": "relu"}, training={}).specs()
    assert only == [
        Spec.model_validate({"task": {"kind": "separable"}, "network": {"activation": "relu"}})
    ]


def test_the_order_of_a_list_has_no_meaning():
    backwards = grid(
        task={"kind": "separable", "delta": [1.0, 0.5, 0.0], "noise_variance": [4.0, 1.0]},
        network={"activation": ["relu", "tanh"], "width": 40},
        steps=[10, 0],
    )
    assert backwards == grid()
    assert backwards.specs() == grid().specs()


def test_an_axis_may_have_null_beside_numbers():
    specs = grid(training={"stop_below": [0.1, None, 0.05]}).specs()
    assert {spec.training.stop_below for spec in specs} == {None, 0.05, 0.1}
    assert specs == grid(training={"stop_below": [None, 0.05, 0.1]}).specs()


@pytest.mark.parametrize(
    "changes",
    [
        {"task": {"kind": "separable", "delta": [0.5, 0.5]}},
        {"task": {"kind": "separable", "delta": ["1e-1", 0.1]}},
    ],
)
def test_a_repeated_value_is_refused(changes):
    with pytest.raises(ValidationError, match="should name each value once"):
        grid(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": {"kind": "separable", "delta": [0.5, 1.01]}}, "less than or equal to 1"),
        ({"task": {"kind": "separable", "noise_variance": [float("inf")]}}, "finite"),
        ({"task": {"kind": "unstructured", "clusters": [4, 5]}}, "multiple of 2"),
        ({"network": {"activation": ["tanh", "no_such"]}}, "'relu', .* or 'tanh'"),
        ({"training": {"stop_below": [None, 0.0]}}, "greater than or equal to 0.0"),
        ({"task": {"kind": "separable", "delta": []}}, "at least 1 item"),
        ({"task": {"kind": "separable", "clusters": 4}}, "unknown key 'clusters'"),
    ],
)
def test_an_axis_has_the_limits_of_the_single_value(changes, message):
    with pytest.raises(ValidationError, match=message):
        grid(**changes)


@pytest.mark.parametrize("family", [task_class(kind) for kind in kinds()])
def test_a_grid_has_the_fields_and_descriptions_of_its_record(family):
    assert {*grid_of(family).model_fields} == {*family.model_fields}
    found, described = (schema_of(record)["properties"] for record in (grid_of(family), family))
    for name in described:
        assert found[name].get("description") == described[name].get("description")


def test_the_schema_of_an_axis_is_a_value_or_a_list_of_values():
    delta = schema_of(grid_of(Separable))["properties"]["delta"]
    one, many = delta["anyOf"]
    assert one == {"type": "number", "minimum": 0, "maximum": 1}
    assert many == {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}
