"""What jobs take: seconds of one core of an AMD EPYC, from times that our own networks took.

Networks of another size than ours take another time.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from repatlas.pairs.seed_pairs import seed_pairs
from repatlas.runs import Wanted
from repatlas.workflow.plan import Result

SECONDS = {
    "classification digits mlp": {"train": 0.0005, "measure": 0.029, "compare": 0.042},
    "classification digits small_cnn": {"train": 0.055, "measure": 0.11, "compare": 0.13},
    "clusters aligned": {"train": 4e-05, "measure": 0.014, "compare": 0.0023},
    "clusters common_separable": {"train": 9e-05, "measure": 0.0089, "compare": 0.0026},
    "clusters separable": {"train": 8.8e-05, "measure": 0.036},
    "clusters unstructured": {"train": 0.00019, "measure": 0.029},
    "drawn separable": {"train": 2.7e-05, "measure": 0.0029},
    "images digits resnet18": {"train": 0.24, "measure": 0.25},
    "images digits small_cnn": {"train": 0.077, "measure": 0.23},
    "items contexts closed_form": {"train": 2.1e-05, "measure": 0.12},
    "items contexts frozen": {"train": 0.00025, "measure": 0.031},
    "items contexts gated": {"train": 0.00024, "measure": 0.039},
    "items contexts gated_deep": {"train": 0.00023, "measure": 0.062},
    "items contexts linear": {"train": 9e-05, "measure": 0.019},
    "items contexts logistic": {"train": 2.8e-05, "measure": 0.12},
    "items contexts mean_field": {"train": 0.00011, "measure": 0.016},
    "items contexts race": {"train": 4.3e-05, "measure": 0.23},
    "items contexts recruited": {"train": 0.0024, "measure": 0.059},
    "items contexts relu": {"train": 0.00019, "measure": 0.04},
    "items contexts tanh": {"train": 9.8e-05, "measure": 0.038},
    "items xor relu": {"train": 1.6e-06, "measure": 0.0031},
    "items xor tanh": {"train": 2e-06, "measure": 0.0055},
}
"""By kind of network: for a step of training, for a step that is measured, and for a similarity
of two networks at a step."""
START = 2
"""Seconds before the first network, and of a job that has none"""
HEADROOM = 3
"""Times the expected seconds: nodes may be slower than that machine, and busy."""
MEGABYTES = {"images": 8000, "files": 4000}
"""What a job on images, or on a user's arrays, asks for: ResNet-18 takes 6 GB for a batch in all
layers, and a comparison maps arrays into memory. Others took 840 at most, two Snakemakes around
them included."""
MEGABYTES_ELSE = 1800


class Request(NamedTuple):
    """What the first attempt at a job asks of a cluster."""

    megabytes: int
    minutes: int


def request(result: Result | None) -> Request:
    """Return what the job of a result asks for: an hour more for networks of a kind that was never
    measured, and ten minutes at least. None: for a job whose result the config has lost."""
    if result is None:
        return Request(MEGABYTES_ELSE, 10)
    group = result.what[1][0] if result.stage == "compare_files" else result.what
    megabytes = MEGABYTES.get(getattr(group, "experiment", ""), MEGABYTES_ELSE)
    seconds = seconds_of(result)
    expected = 60 if math.isnan(seconds) else math.ceil(HEADROOM * seconds / 60)
    return Request(megabytes, 10 + expected)


def kind_of(spec: Any) -> str:
    """Return the kind of a network, as in SECONDS."""
    task = getattr(spec, "data_set", None) or getattr(getattr(spec, "task", None), "kind", "")
    network = getattr(spec, "network", None)
    form = getattr(network, "kind", "") or getattr(network, "architecture", "")
    return " ".join(filter(None, (spec.experiment, task, form)))


def seconds_of(result: Result, networks: Iterable[Wanted] | None = None) -> float:
    """Return what the job of a result takes, for all its networks or for these; nan if networks of
    this kind were never measured."""
    if result.stage == "compare_networks":
        return START + sum(_seconds_of_pairs(*each) for each in result.what[1])
    if result.stage not in ("train", "measure"):
        return START
    if networks is None:
        group = result.what
        networks = [run for seed in group.seeds for run in group.networks(seed).values()]
    total = 0.0
    for run in networks:
        measured = {step for steps in run.measures.values() for step in steps}
        steps = run.steps[-1] if result.stage == "train" else len(measured)
        total += _each(run.spec, result.stage) * steps
    return START + total


def _each(spec: Any, stage: str) -> float:
    return SECONDS.get(kind_of(spec), {}).get(stage, math.nan)


def _seconds_of_pairs(comparison: Any, cohort: Any) -> float:
    pairs = len(seed_pairs(comparison.pairs, cohort.seeds, len(cohort.specs) == 2))
    values = pairs * len(comparison.similarities) * len(comparison.items) * len(cohort.steps)
    return values * _each(cohort.specs[0], "compare")
