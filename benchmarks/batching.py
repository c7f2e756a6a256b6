"""Networks on a few items: trained together, as the train stage does, or one by one.

CPU seconds of one thread, over the first epochs of every family of the study `gating`. The time of
the whole study follows from these numbers, for all epochs and seeds.
"""

import time
from collections.abc import Iterator

from measuring import ROOT, markdown

from repatlas.artifacts.recipes.networks import Wanted
from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.experiments.items import train as stage
from repatlas.experiments.items.prepare import prepare
from repatlas.plan.places import Shard
from repatlas.plan.plan import Plan

EPOCHS = 200
FITTED = ("recruited", "frozen")
"""Kinds that train others before they start, which no batch makes cheaper."""


def report(smoke: bool = False) -> str:
    """Return the section, in Markdown."""
    rows = list(_rows(5 if smoke else EPOCHS, 3 if smoke else None))
    whole = [sum(row[column] for row in rows) for column in (-2, -1)]
    ratio = whole[1] / whole[0]
    table = [
        [family, networks, epochs, together, alone, alone / together]
        for family, networks, epochs, together, alone, _, _ in rows
    ]
    return "\n\n".join(
        [
            "## Networks on a few items, together and one by one",
            f"CPU microseconds for a network and epoch, from the first {EPOCHS} epochs of the"
            " networks of seed 0 that differ in what is trained; theories that are fitted to"
            " networks are left out.",
            markdown(
                ["family", "networks", "epochs", "together", "one by one", "ratio"],
                sorted(table, key=lambda row: -row[1]),
            ),
            f"The whole study, all epochs and seeds: {whole[0] / 60:.1f} core-minutes together,"
            f" {whole[1] / 60:.1f} one by one, {ratio:.2f} times as long.",
        ]
    )


def _rows(epochs: int, most: int | None) -> Iterator[list]:
    """Return a row for each family: its name, networks of a seed, epochs, and times. Times are
    microseconds for a network and epoch together and alone, and seconds of all its networks,
    together and alone."""
    plan = Plan(read_config(load([ROOT / "config.yaml"]).values))
    shards = [s for s in plan.shards if s.experiment == "items" and s.seed == 0]
    for shard in shards[:most]:
        job = plan.train_job(shard)
        chosen = {k: w for k, w in job.wanted().items() if w.spec.network.kind not in FITTED}
        if not chosen:
            continue
        arrays, *_ = prepare(plan.data["items", plan.data_place(shard)[1]].wanted, None, {}, print)
        brief = {key: Wanted(w.spec, [0, epochs], {}) for key, w in chosen.items()}
        seconds = [_seconds(brief, arrays, numbers) for numbers in (stage.BLOCK_NUMBERS, 1)]
        each = [1e6 * s / epochs / len(brief) for s in seconds]
        trained = sum(wanted.steps[-1] * _seeds(plan, shard, key) for key, wanted in chosen.items())
        longest = max(wanted.steps[-1] for wanted in chosen.values())
        yield [shard.family, len(brief), longest, *each, *(us * trained / 1e6 for us in each)]


def _seconds(wanted: dict[str, Wanted], arrays: dict, numbers: int) -> float:
    """Return the CPU seconds of training networks in blocks of this number of weights."""
    usual, stage.BLOCK_NUMBERS = stage.BLOCK_NUMBERS, numbers
    try:
        start = time.process_time()
        for _ in stage.train(wanted, {}, arrays, 0, "cpu", lambda text: None):
            pass
        return time.process_time() - start
    finally:
        stage.BLOCK_NUMBERS = usual


def _seeds(plan: Plan, shard: Shard, key: str) -> int:
    """Return how many seeds have the network."""
    return sum(
        key in plan.train_job(other).wanted()
        for other in plan.shards
        if (other.experiment, other.family) == (shard.experiment, shard.family)
    )
