"""What the jobs of sweeps say of these: records whose text changes with nothing else."""

import json
from collections.abc import Iterable
from typing import Any

from repatlas.config.sweeps import OfSweep


def record_of(sweep: OfSweep, more: frozenset[str]) -> dict:
    """Return the grid of a sweep, and more of its entries."""
    fields = {"steps", *sweep.settings, *more}
    values = sweep.model_dump(mode="json", include=fields, exclude_defaults=True)
    if "measures" in more:
        values["measures"] = list(sweep.measures)
    return named_by_experiment(values, sweep)


def named_by_experiment(values: dict, of: Any) -> dict:
    """Return the record of a sweep, or of a spec, with its experiment."""
    # The default is not in the record, nor in the keys of networks.
    return values | ({} if of.experiment == "clusters" else {"experiment": of.experiment})


def with_seeds(sweeps: Iterable[OfSweep]) -> list[dict]:
    """Return the grids of sweeps, with the number of seeds of each."""
    return sorted_records(
        {
            json.dumps(record_of(sweep, frozenset()) | {"seeds": sweep.seeds}, sort_keys=True)
            for sweep in sweeps
        }
    )


def sorted_records(texts: set[str]) -> list[dict]:
    """Return each record once, in an order that does not depend on the config's order."""
    return [json.loads(text) for text in sorted(texts)]
