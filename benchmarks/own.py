"""A user's own representations at scale: alignment, canonical correlations, matching and CCGP.

    python benchmarks/own.py            prints the section
    python benchmarks/own.py TASK ...   one task in this process: prints what it found, as JSON

Each task is a separate process, with one thread or two. Arrays are files, memory-mapped.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measuring import Measured, in_a_process, markdown

LAYERS, ITEMS, FEATURES = 100, 10_000, 512
LARGE = 50_000, 4_096
NEURONS, TRIALS, SHUFFLES = 132, 80, 1000
SIMILAR = 6
"""Layers whose pairs are timed one by one; the time of all is extrapolated from these."""


def report(smoke: bool = False) -> str:
    """Return the section on scale, in Markdown."""
    layers, items, features = (5, 200, 16) if smoke else (LAYERS, ITEMS, FEATURES)
    large = (300, 40) if smoke else LARGE
    shuffles = 5 if smoke else SHUFFLES
    with tempfile.TemporaryDirectory() as folder:
        write_layers(Path(folder), layers + 1, items, features)
        alignment = [
            row(f"{layers} layers, all {layers * (layers - 1) // 2:,} pairs",
                run("all_pairs", folder, layers), "<= 120 s, 2 GB"),
            *(
                row(f"one layer more, {kept}, {threads} thread{'s'[: threads - 1]}",
                    run(task, folder, layers, threads), "<= 5 s wall, two threads")
                for task, kept in (("one_more", "from arrays, no p value"),
                                   ("one_more_prepared", "prepared, 199 permutations"))
                for threads in (1, 2)
            ),
        ]  # fmt: skip
        similar = similarities(run("similarities", folder, min(SIMILAR, layers)), layers)
    with tempfile.TemporaryDirectory() as folder:
        write_layers(Path(folder), 2, *large)
        pair = run("all_pairs", folder, 2)
        alignment.append(row(f"2 arrays of {large[0]:,} x {large[1]:,}", pair, "<= 60 s, 3 GB"))
    shuffled = run("shuffles", str(shuffles))
    return "\n\n".join(
        [
            "## Your own representations",
            f"Layers of {items:,} items x {features} features in single precision, in files that"
            " are memory-mapped. Each line is a process of its own, with one thread unless it says"
            " two. *CPU* is its time, imports included; *wall* depends on what else the machine"
            " did, and *load* says how much that was (a process alone has 1). *Own memory* and"
            " *mapped* (pages of files, 30 MB of them libraries) are the most that was seen of"
            " each. Goals are for two idle cores.",
            "### Alignment: value, 95 % interval, plain value and chance level of each pair",
            markdown(
                ["", "CPU, s", "of the task", "wall, s", "of the task", "load",
                 "own memory, MB", "mapped, MB", "both, MB", "goal"],
                alignment,
            ),
            "*Of the task* is the time of the call alone: without imports, and without `prepare` of"
            " the layers that were there before. One layer more takes"
            f" {2e-9 * items * features**2 * layers:.3g} gigaflop of products with the others, and"
            " from arrays half as many of those with themselves.",
            "### Canonical correlations and matching",
            f"CPU seconds of one thin SVD, and of one pair, of {min(SIMILAR, layers)} layers; those"
            f" of all {layers * (layers - 1) // 2:,} pairs of {layers} layers are extrapolated:"
            " SVDs times layers, pairs times pairs. Goal: 1800 s of two cores, 3600 of them in all,"
            " for the three together.",
            markdown(["", "a layer", "a pair", "all"], similar),
            "### CCGP",
            f"{shuffles:,} shuffles of the labels of {TRIALS} trials x {NEURONS} neurons, two"
            f" variables: {shuffled.answer['cpu']:.1f} s CPU, imports"
            f" and compilation not counted ({shuffled.cpu:.1f} s with them; goal: 10 s). p ="
            f" {shuffled.answer['p']:.3f}.",
        ]
    )  # fmt: skip


def row(name: str, found: Measured, goal: str) -> list:
    return [name, found.cpu, found.answer["cpu"], found.wall, found.answer["wall"], found.load,
            found.anonymous, found.mapped, found.resident, goal]  # fmt: skip


def similarities(found: Measured, layers: int) -> list[list]:
    pairs = layers * (layers - 1) // 2
    rows = [
        [name, layer, pair, layer * layers + pair * pairs]
        for name, (layer, pair) in found.answer.items()
    ]
    rows.append(["together, one SVD for both", "", "",
                 sum(row[3] for row in rows) - rows[0][1] * layers])  # fmt: skip
    return rows


def run(task: str, *arguments) -> Measured:
    command = [sys.executable, __file__, task, *map(str, arguments)]
    return in_a_process(command)


def write_layers(folder: Path, layers: int, items: int, features: int) -> None:
    """Write layers that share less the farther they are from one another, each with its noise."""
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((items, 32), dtype=np.float32)
    for layer in range(layers):
        latent += 0.3 * rng.standard_normal(latent.shape, dtype=np.float32)
        x = latent @ rng.standard_normal((32, features), dtype=np.float32)
        x += 3 * rng.standard_normal(x.shape, dtype=np.float32)
        np.save(folder / f"{layer:03}.npy", np.maximum(x, 0, out=x))


def mapped(folder: str, layers: str) -> list[np.ndarray]:
    paths = sorted(Path(folder).glob("*.npy"))[: int(layers)]
    return [np.load(path, mmap_mode="r") for path in paths]


def timed(call: Callable[[], float]) -> dict:
    cpu, wall = time.process_time(), time.perf_counter()
    value = float(call())
    return {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "value": value,
    }


def all_pairs(folder: str, layers: str) -> dict:
    from repatlas.inference.alignment_pairs import aligned_pairs

    return timed(lambda: aligned_pairs(mapped(folder, layers)).value[0, 1])


def one_more(folder: str, layers: str, threads: str) -> dict:
    from repatlas.inference.alignment_pairs import aligned_pairs

    *before, new = mapped(folder, int(layers) + 1)
    return timed(lambda: aligned_pairs([new], before, threads=int(threads)).value[0, 0])


def one_more_prepared(folder: str, layers: str, threads: str) -> dict:
    from repatlas.own import compare, prepare

    *before, new = mapped(folder, int(layers) + 1)
    kept = prepare(dict(enumerate(before)))
    return timed(lambda: compare({"new": new}, kept, threads=int(threads)).value[0])


def similarities_of_pairs(folder: str, layers: str) -> dict:
    """Return CPU seconds of what is made of a layer once, and of a pair."""
    from itertools import combinations

    from repatlas.named import named

    found = {}
    for name in ("svcca", "pwcca", "matching"):
        module = named("own.similarities", name)
        similarity, prepare = module.similarity, module.PREPARED
        start = time.process_time()
        prepared = [prepare(x) for x in mapped(folder, layers)]
        of_layers = time.process_time() - start
        pairs = list(combinations(prepared, 2))
        start = time.process_time()
        for x, y in pairs:
            similarity(x, y)
        found[name] = of_layers / len(prepared), (time.process_time() - start) / len(pairs)
    return found


def shuffles(draws: str) -> dict:
    from repatlas.geometry import balanced_ccgp
    from repatlas.inference.nulls import shuffle_null

    rng = np.random.default_rng(0)
    levels = np.resize([[0, 0], [0, 1], [1, 0], [1, 1]], (TRIALS, 2))
    rates = levels @ rng.standard_normal((2, NEURONS)) + rng.standard_normal((TRIALS, NEURONS))

    def ccgp(samples, labels):
        return balanced_ccgp(samples, labels, 0, resamples=1).value

    ccgp(rates, levels)
    start = time.process_time()
    found = shuffle_null(ccgp, rates, levels, draws=int(draws))
    return {"cpu": time.process_time() - start, "p": found.p}


TASKS = {
    "all_pairs": all_pairs,
    "one_more": one_more,
    "one_more_prepared": one_more_prepared,
    "similarities": similarities_of_pairs,
    "shuffles": shuffles,
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
    else:
        print(report())
