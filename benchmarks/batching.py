"""Networks on a few items: trained together, as the train stage does, or one by one.

CPU seconds of one thread, over the first epochs of every family of the study `gating`. The time of
the whole study follows from these numbers, for all epochs and seeds.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator

from measuring import ROOT, markdown

from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.experiments.items import train as stage
from repatlas.experiments.items.prepare import prepare
from repatlas.runs import Wanted
from repatlas.workflow.groups import Group, groups_of, sweeps_of

EPOCHS = 200
MANY = 3
"""The fewest networks of a family in the table."""
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
        if networks >= MANY
    ]
    return "\n\n".join(
        [
            "## Networks on a few items, together and one by one",
            f"CPU microseconds for a network and epoch, from the first {EPOCHS} epochs of the"
            f" networks of seed 0, for families of {MANY} networks or more; fitted theories are"
            " left out.",
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
    groups = _groups()
    wanted = [grid.data(group.label, 0)[1] for group in groups for grid, _ in group.grids]
    arrays, *_ = prepare(wanted, None, {}, print)
    families: dict[str, dict[str, Wanted]] = defaultdict(dict)
    epochs_of_all: Counter[str] = Counter()
    for group in groups:
        for seed in group.seeds:
            for key, run in group.networks(seed).items():
                if run.spec.network.kind not in FITTED:
                    families[run.spec.family][key] = Wanted(run.spec, [0, epochs], {})
                    epochs_of_all[key, seed] = max(epochs_of_all[key, seed], run.steps[-1])
    for family, brief in list(families.items())[:most]:
        seconds = [_seconds(brief, arrays, numbers) for numbers in (stage.BLOCK_NUMBERS, 1)]
        each = [1e6 * s / epochs / len(brief) for s in seconds]
        own = [number for (key, _), number in epochs_of_all.items() if key in brief]
        yield [family, len(brief), max(own), *each, *(us * sum(own) / 1e6 for us in each)]


def _groups() -> list[Group]:
    """Return the groups of networks on a few items of the usual config."""
    studies = read_config(load([ROOT / "config.yaml"]).values).studies
    found = [
        group
        for name, study in studies.items()
        for sweep, grids in sweeps_of(study).items()
        for group in groups_of(name, sweep, grids)
    ]
    return [group for group in found if group.experiment == "items"]


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
