"""Trains multilayer perceptrons that name images, in blocks that share all but their labels."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.classification.engine import Block, Trained
from repatlas.experiments.classification.engine import train as train_block
from repatlas.experiments.classification.runs import continued, new_run
from repatlas.experiments.classification.spec import Spec
from repatlas.experiments.classification.taught import taught
from repatlas.images.content import CLASSES
from repatlas.networks.mlp import initial_parameters
from repatlas.runs import Run, Wanted

BLOCK_RUNS = {"cpu": 8, "cuda": 256}
"""Runs in one batched program."""
SEGMENT_STEPS = 2000
"""Steps between two yields: half a second for a network of width 64 and depth 4."""


def train(
    missing: dict[str, Wanted],
    begun: dict[str, Run],
    data: Arrays,
    seed: int,
    device: str,
    log: Callable[[str], None],
) -> Iterator[dict[str, Run]]:
    """Train in blocks, and in segments of steps; yield the runs of the block after each segment."""
    groups = defaultdict(list)
    for key, (spec, steps, _) in missing.items():
        start = begun[key].last_step if key in begun else 0
        shown = spec.task.images, spec.task.pixels
        groups[shown, spec.network, spec.training, tuple(steps), start].append(key)
    size = BLOCK_RUNS[device]
    blocks = [
        (list(steps), start, keys[first : first + size])
        for (_, _, _, steps, start), keys in groups.items()
        for first in range(0, len(keys), size)
    ]
    for number, (steps, start, keys) in enumerate(blocks, start=1):
        specs = [missing[key].spec for key in keys]
        started = time.perf_counter()
        block = _block(specs, data, seed)
        initial = initial_parameters(seed, specs[0].network.network, block.inputs.shape[1], CLASSES)
        # At step 0 a stored run may have a state, of zeros, where a new one has none.
        runs = [begun[k] if start else new_run(missing[k].spec, initial) for k in keys]
        for stop in [*range(start + SEGMENT_STEPS, steps[-1], SEGMENT_STEPS), steps[-1]]:
            runs = _train_segment(block, specs[0], runs, steps, stop, seed, device)
            yield dict(zip(keys, runs, strict=True))
        seconds = time.perf_counter() - started
        each = 1e6 * seconds / max((steps[-1] - start) * len(keys), 1)
        log(
            f"block {number} of {len(blocks)}: {len(keys)} {specs[0].network.activation} networks,"
            f" steps {start} to {steps[-1]}, {seconds:.1f} s, {each:.0f} us per network and step"
            f" on {device}: {' '.join(keys)}"
        )


def _train_segment(
    block: Block, spec: Spec, runs: list[Run], steps: list[int], stop: int, seed: int, device: str
) -> list[Run]:
    """Return the runs of a block, trained on to step `stop`, with that as their last checkpoint."""
    start = runs[0].last_step
    ahead = sorted({step for step in steps if start < step < stop} | {stop})
    trained = train_block(
        block._replace(
            parameters=_stacked([{n: v[-1] for n, v in run.parameters.items()} for run in runs]),
            state=_stacked([run.state for run in runs]),
        ),
        spec.network.activation,
        spec.training,
        seed,
        ahead,
        device=device,
        start=start,
    )
    return [_longer(run, trained, number, steps, ahead, device) for number, run in enumerate(runs)]


def _longer(
    run: Run, trained: Trained, number: int, steps: list[int], ahead: list[int], device: str
) -> Run:
    """Return a run with its checkpoints from `trained`, where it has this number."""
    about = {"device": device}
    if trained.diverged[number] >= 0 and run.about["diverged_step"] is None:
        about["diverged_step"] = int(trained.diverged[number])
    return continued(
        run,
        steps,
        ahead,
        {name: values[number] for name, values in trained.parameters.items()},
        {name: values[number] for name, values in trained.state.items()},
        {name: (trained.passed, values[number]) for name, values in trained.curves.items()},
        about,
    )


def _stacked(arrays: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.stack([each[name] for each in arrays]) for name in arrays[0]}


def _block(specs: list[Spec], data: Arrays, seed: int) -> Block:
    """Return what networks of one seed learn that are shown the same images, without their
    parameters."""
    tasks = [taught(spec.task, data, seed) for spec in specs]
    first = tasks[0]
    return Block(
        first.flat("train")[first.chosen],
        np.stack([task.labels for task in tasks]),
        first.flat("test"),
        first.true_labels["test"],
        {},
    )
