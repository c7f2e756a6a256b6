"""Trains networks with drawn functions, one at a time on a core."""

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import Arrays
from repatlas.experiments.clusters.training import (
    Training,
    batches,
    training_conditions,
    training_noise,
)
from repatlas.experiments.drawn.loop import steps_taken_by
from repatlas.experiments.drawn.spec import Spec
from repatlas.networks.drawn import shape
from repatlas.networks.mlp import initial_parameters
from repatlas.runs import Run, Wanted

USES_TORCH = False
"""False: trained on a CPU core."""
LOGGED = 100
"""Networks between two lines of the log."""


def train(
    missing: dict[str, Wanted],
    begun: dict[str, Run],
    data: Arrays,
    seed: int,
    device: str,
    log: Callable[[str], None],
) -> Iterator[dict[str, Run]]:
    """Train one network after another; yield each."""
    shared = _Shared(seed)
    descend = steps_taken_by(compiled=find_spec("numba") is not None)
    started, trained = time.perf_counter(), 0
    # BLAS adds up in another order with another number of threads.
    with threadpool_limits(limits=1, user_api="blas"):
        for number, (key, (spec, steps, _)) in enumerate(missing.items(), start=1):
            run = begun.get(key) or _new_run(spec, seed)
            trained += steps[-1] - run.last_step
            yield {key: _trained(run, spec, steps, data, shared, descend)}
            if number % LOGGED == 0 or number == len(missing):
                seconds = time.perf_counter() - started
                log(
                    f"{number} of {len(missing)} networks with drawn functions, {seconds:.1f} s,"
                    f" {1e6 * seconds / max(trained, 1):.0f} us per network and step"
                )


class _Shared:
    """What the networks of a seed share: samples and batches."""

    def __init__(self, seed: int):
        self.seed = seed
        self._found: dict[tuple, tuple[np.ndarray, ...]] = {}

    def samples(self, spec: Spec, start: int, stop: int) -> tuple[np.ndarray, ...]:
        """Return noise (samples, N), conditions (samples,) and batches (steps, B)."""
        task, training, seed = spec.task, spec.training, self.seed
        key = (training, task.inputs, task.clusters, start, stop)
        if key not in self._found:
            like = Training(batch=training.batch, samples=training.samples)
            order = np.array(list(batches(seed, like, stop, start)), np.int32)
            self._found[key] = (
                training_noise(seed, training.samples, task.inputs),
                training_conditions(seed, training.samples, task.clusters),
                order.reshape(-1, training.batch),
            )
        return self._found[key]


def _new_run(spec: Spec, seed: int) -> Run:
    """Return a run before training, at step 0."""
    start = spec.network.start
    initial = initial_parameters(seed, start, spec.task.inputs, spec.task.targets)
    about = {
        "spec": spec.model_dump(mode="json"),
        "steps": [0],
        "diverged_step": None,
        "converged_step": None,
        "goes_on": True,
    }
    return Run({name: initial[name][None] for name in start.trained}, {}, about)


def _trained(
    run: Run,
    spec: Spec,
    steps: list[int],
    data: Arrays,
    shared: _Shared,
    descend: Callable[..., int],
) -> Run:
    """Return a run, trained to the last of these steps."""
    start, task, rate = run.last_step, spec.task, spec.training.learning_rate
    noise, conditions, order = shared.samples(spec, start, steps[-1])
    readout = initial_parameters(shared.seed, spec.network.start, task.inputs, task.targets)
    weights = np.ascontiguousarray(run.parameters["weights1"][-1].T)
    bias = run.parameters["bias1"][-1].copy()
    arguments = (
        weights,
        bias,
        np.ascontiguousarray(readout["readout"].T),
        shape(spec.network.function).numbers().astype(np.float32),
        noise,
        conditions,
        np.ascontiguousarray(data[f"{spec.data}/centres"], np.float32),
        np.ascontiguousarray(data[f"{spec.data}/labels"][:, 0], np.float32),
        float(np.sqrt(task.noise_variance) * task.unit),
        rate,
    )
    stored = [step for step in steps if step <= start]
    ahead = [step for step in steps if step > start]
    values = {name: [*run.at(stored).parameters[name]] for name in ("weights1", "bias1")}
    diverged, at = run.about["diverged_step"], start
    for step in ahead:
        bad = descend(*arguments, order[at - start : step - start])
        if bad >= 0 and diverged is None:
            diverged = at + int(bad) + 1
        at = step
        values["weights1"].append(weights.T.copy())
        values["bias1"].append(bias.copy())
    about = run.about | {
        "steps": stored + ahead,
        "diverged_step": diverged,
        "goes_on": True,
        "device": "cpu",
    }
    return Run({name: np.stack(found) for name, found in values.items()}, {}, about)
