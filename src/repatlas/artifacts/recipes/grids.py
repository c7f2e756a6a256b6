"""The grids in the text of a job. They are read once for the jobs of all seeds, which have the
same grids."""

import json
from functools import cache
from typing import Any

from repatlas.named import named

MEASURING = ("measures", "more_measures")
"""The entries of a grid of a job, other than its networks."""


def read_grid(experiment: str, values: dict[str, Any]) -> Any:
    """Return the grid of the networks of an experiment."""
    return named(f"experiments.{experiment}", "spec").Grid.model_validate(values)


@cache
def grid_and_specs(experiment: str, text: str) -> tuple[Any, list[Any]]:
    """Return a grid, given as JSON, and its specs, which are of several families."""
    grid = _grid(experiment, text)
    return grid, grid.specs()


@cache
def modules_named(experiment: str, text: str) -> tuple[str, ...]:
    """Return the modules that a grid names, given as JSON."""
    return tuple(_grid(experiment, text).modules())


@cache
def _grid(experiment: str, text: str) -> Any:
    values = json.loads(text)
    networks = {name: value for name, value in values.items() if name not in MEASURING}
    if networks != values:  # one grid for the jobs that train and the jobs that measure
        return _grid(experiment, json.dumps(networks))
    return read_grid(experiment, values)


def steps_of_measures(values: dict[str, Any], steps: list[int]) -> dict[str, list[int]]:
    """Return the steps of each measure of a grid: the steps of all its networks, or others if the
    grid gives them."""
    found = {name: steps for name in values.get("measures", [])}
    for step, names in values.get("more_measures", {}).items():
        found |= {name: [*found.get(name, []), int(step)] for name in names}
    return found


def experiment_of(sweep: dict[str, Any]) -> str:
    return sweep.get("experiment", "clusters")


def grid_of(sweep: dict[str, Any]) -> Any:
    """Return the grid of a sweep, which does not depend on its seeds."""
    return read_grid(experiment_of(sweep), _without_seeds(sweep))


def modules_of_sweep(sweep: dict[str, Any]) -> tuple[str, ...]:
    """Return the modules that the grid of a sweep names."""
    return modules_named(experiment_of(sweep), json.dumps(_without_seeds(sweep)))


def _without_seeds(sweep: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sweep.items() if name != "seeds"}
