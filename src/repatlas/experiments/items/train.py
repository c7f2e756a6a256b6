"""Trains networks on a few items, or steps theories of them, in blocks of one shape."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import Arrays
from repatlas.experiments.items import engine
from repatlas.experiments.items.network import Member, State, network_class
from repatlas.experiments.items.spec import Spec
from repatlas.experiments.items.task import Items
from repatlas.runs import Curve, Run, Wanted

USES_TORCH = False
"""True: trained with torch, on a GPU if there is one. False: trained with numpy on one CPU core."""
BLOCK_NUMBERS = 40_000
"""Weights in one block. Small networks are bound by calls, and 30 of them with 400 weights are
trained in a fifth of the time together; large ones are bound by products, and are best alone."""
SEGMENT_EPOCHS = 2000
"""Epochs between two yields: seconds, or a minute for the largest networks."""


def train(
    missing: dict[str, Wanted],
    begun: dict[str, Run],
    data: Arrays,
    seed: int,
    device: str,
    log: Callable[[str], None],
) -> Iterator[dict[str, Run]]:
    """Train in blocks, and in segments of epochs; yield the runs of the block after each segment.
    All is computed by numpy, on one core of the CPU, whatever the device."""
    groups = defaultdict(list)
    states: dict[str, State] = {}
    for key, (spec, steps, _) in missing.items():
        start = begun[key].last_step if key in begun else 0
        states[key] = begun[key].state if key in begun else _initial(spec, data, seed)
        shapes = tuple((name, values.shape) for name, values in states[key].items())
        task, network = spec.task, spec.network
        shape = (task.kind, task.number_of_contexts, network.kind, network.shape, shapes)
        groups[shape, spec.training.precision, tuple(steps), start].append(key)
    blocks = [
        (list(steps), start, keys[first : first + size])
        for (_, _, steps, start), keys in groups.items()
        for size in [_block_size(states[keys[0]])]
        for first in range(0, len(keys), size)
    ]
    for number, (steps, start, keys) in enumerate(blocks, start=1):
        specs = [missing[key].spec for key in keys]
        runs = [begun.get(key) or _new_run(missing[key].spec, states[key]) for key in keys]
        started = time.perf_counter()
        for stop in [*range(start + SEGMENT_EPOCHS, steps[-1], SEGMENT_EPOCHS), steps[-1]]:
            # The bits of BLAS go with its number of threads. No limit outlives a yield.
            with threadpool_limits(limits=1):
                runs = _train_segment(specs, runs, steps, stop, data)
            yield dict(zip(keys, runs, strict=True))
        seconds = time.perf_counter() - started
        each = 1e6 * seconds / max((steps[-1] - start) * len(keys), 1)
        log(
            f"block {number} of {len(blocks)}: {len(keys)} {specs[0].network.kind} networks, epochs"
            f" {start} to {steps[-1]}, {seconds:.1f} s, {each:.0f} us per network and epoch:"
            f" {' '.join(keys)}"
        )


def _block_size(state: State) -> int:
    return max(1, BLOCK_NUMBERS // sum(values.size for values in state.values()))


def _initial(spec: Spec, data: Arrays, seed: int) -> State:
    with threadpool_limits(limits=1):
        return spec.network.start(spec.task, _items(spec, data), spec.training, seed)


def _items(spec: Spec, data: Arrays) -> Items:
    return Items(*(data[f"{spec.data}/{name}"] for name in Items._fields))


def _new_run(spec: Spec, state: State) -> Run:
    """Return a run before training. It has no checkpoint, since the engine makes the checkpoint of
    epoch 0."""
    about = {
        "spec": spec.model_dump(mode="json"),
        "steps": [],
        "diverged_step": None,
        "converged_step": None,
        "goes_on": True,
    }
    return Run({}, state, about)


def _train_segment(
    specs: list[Spec], runs: list[Run], steps: list[int], stop: int, data: Arrays
) -> list[Run]:
    """Return the runs of a block, trained on to epoch `stop`, with that as their last
    checkpoint."""
    before = runs[0].about["steps"]
    start = before[-1] if before else 0
    ahead = sorted({step for step in steps if start <= step < stop} | {stop})
    stored = [step for step in before if step in steps and step < start]
    members = [Member(s.network, s.task, s.training, _items(s, data)) for s in specs]
    state = {name: np.stack([run.state[name] for run in runs]) for name in runs[0].state}
    program = network_class(specs[0].network.kind).program(members, state)
    below = [len(run.curves["level"].epochs) if "level" in run.curves else 0 for run in runs]
    longer = []
    for run, trained in zip(
        runs, engine.train(members, program, start, ahead, below, bool(before)), strict=True
    ):
        past = run.at(stored).parameters if stored else {}
        about = run.about | {
            "steps": stored + ahead,
            "goes_on": True,
            "device": "cpu",
        }
        if trained.diverged is not None and about["diverged_step"] is None:
            about["diverged_step"] = trained.diverged
        parameters = {
            name: np.concatenate([past[name], values]) if past else values
            for name, values in trained.checkpoints.items()
        }
        curves = {
            name: _joined(run.curves.get(name), trained.curves.get(name))
            for name in run.curves | trained.curves
        }
        longer.append(Run(parameters, trained.state, about, curves))
    return longer


def _joined(past: Curve | None, found: Curve | None) -> Curve | None:
    if past is None or found is None:
        return past or found
    return Curve(*(np.concatenate(pair) for pair in zip(past, found, strict=True)))
