"""Changes of a config by hand, and the grids and networks that the changed config asks for."""

from repatlas.config.config import read_config

REMOVED = object()


def grid(values, sweep):
    [found] = read_config(values).studies["structure"].sweeps[sweep]
    return found


def change(values, path, value):
    *folders, last = path.split(".")
    for folder in folders:
        values = values.setdefault(folder, {})
    if value is REMOVED:
        del values[last]
    else:
        values[last] = value


def checkpoints(plan):
    """Return every network, seed and step that a plan trains."""
    groups = [result.what for result in plan.results.values() if result.stage == "train"]
    return {
        (key, seed, step)
        for group in groups
        for seed in group.seeds
        for key, run in group.networks(seed).items()
        for step in run.steps
    }
