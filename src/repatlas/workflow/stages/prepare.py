"""The data that networks are trained on: tasks drawn, images read and checked."""

from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.named import named
from repatlas.workflow.stages import Job, log


def make(job: Job) -> None:
    """Write the data of the seeds of a group, or data that all seeds share."""
    recipe, arrays, about = job.recipe, {}, {}
    experiment = recipe["experiment"]
    prepare = named(f"experiments.{experiment}", "prepare")
    wanted = job.plan.wanted(job.what)
    named_by_data = [module for each in wanted for module in prepare.modules(each)]
    job.declare(f"experiments.{experiment}.prepare", *named_by_data)
    source = job.plan.source(experiment, wanted[0])
    for seed in recipe["seeds"] or [None]:
        found, about, said = prepare.prepare(wanted, seed, source, log)
        before = "" if seed is None else f"{seed}/"
        arrays |= {f"{before}{name}": array for name, array in found.items()}
        log(said)
    write_arrays(job.output(".safetensors"), "data", job.header | about, arrays)


class OfSeed:
    """The data of a seed, as an experiment knows them."""

    def __init__(self, arrays: Arrays, seed: int):
        self._arrays, self._before = arrays, f"{seed}/"
        start = len(self._before)
        own = {
            n[start:]: d for n, d in arrays.header["digests"].items() if n.startswith(self._before)
        }
        self.path, self.header = arrays.path, arrays.header | {"digests": own}

    def __getitem__(self, name: str):
        return self._arrays[self._before + name]


def data_of_seed(arrays: Arrays, seed: int) -> Arrays | OfSeed:
    """Return the data of a seed."""
    return arrays if arrays.header["job"]["seeds"] is None else OfSeed(arrays, seed)
