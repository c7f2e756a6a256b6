"""Changes of a config by hand, and the grids and networks that the changed config asks for."""

from repatlas.config.config import read_config

REMOVED = object()


def grid(values, sweep):
    """Return the one grid of a sweep."""
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
    return {
        (key, shard.seed, step)
        for shard in plan.shards
        for key, run in plan.train_job(shard).wanted().items()
        for step in run.steps
    }
