"""Damages, 300 at random: each file is refused or reads as it was written."""

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from small_files import ROWS, flipped

from repatlas.artifacts.drawings import read_drawing, write_drawing
from repatlas.artifacts.files import (
    METRICS_SCHEMA,
    Arrays,
    Unreadable,
    read_table,
    write_arrays,
    write_table,
)
from repatlas.runs import Run
from repatlas.workflow.results import read_json, write_json
from repatlas.workflow.store import Networks

SUFFIXES = {
    **dict.fromkeys(("tasks", "networks"), "safetensors"),
    **dict.fromkeys(("metrics", "table"), "parquet"),
    **{"runs": "json", "pdf": "pdf", "png": "png"},
}
SCHEMAS = {"metrics": METRICS_SCHEMA, "table": None}
STEPS = [0, 2, 5]


def write_any(kind, path, seed):
    rng = np.random.default_rng(seed)
    header = {"job": {"seed": seed}, "identity": f"{kind} of {seed}", "modules": {"a": "b"}}
    match kind:
        case "tasks":
            write_arrays(path, kind, header, {"x/centres": rng.random((4, 3))})
        case "networks":
            weights = rng.random((3, 4, 2), dtype=np.float32)
            run = Run({"weights1": weights}, {"mean/bias1": rng.random(4)}, {"steps": STEPS})
            networks = Networks(path.parent, path.stem)
            networks.write({key: run for key in ("one", "two")})
            (written,) = networks.folder.iterdir()
            written.replace(path)
        case "runs":
            listed = {f"{key}/{seed}": {"identity": key, "file": "a"} for key in ("one", "two")}
            write_json(path, header, {"networks": listed})
        case "metrics":
            rows = [row | {"seed": seed, "value": rng.random()} for row in 20 * ROWS]
            table = pa.Table.from_pylist(rows, schema=METRICS_SCHEMA)
            write_table(path, kind, header, table)
        case "table":
            row = {
                "run": "a",
                "activation": "tanh",
                "by": "ccgp",
                "measure": "ccgp",
                "variant": "",
                "clusters": 4,
                "targets": 1,
            }
            rows = [row | {"seed": seed, "value": rng.random()} for _ in range(50)]
            write_table(path, kind, header, pa.Table.from_pylist(rows))
        case "pdf" | "png":
            figure = Figure(figsize=(1, 1))
            FigureCanvasAgg(figure)
            figure.subplots().plot(rng.random(5))
            write_drawing(figure, path, header)


def content(arrays):
    return {name: (a.dtype, a.shape, a.tobytes()) for name, a in sorted(arrays.items())}


def everything_in(kind, path):
    """Return all that a reader takes from a file of this kind."""
    match kind:
        case "tasks" | "networks":
            file = Arrays(path, kind)
            file.check()
            return file.header, content({name: file[name] for name in file.header["digests"]})
        case "runs":
            return read_json(path)["content"]
        case "metrics" | "table":
            header, table = read_table(path, kind, SCHEMAS[kind])
            return header, table.to_pylist()
        case "pdf":
            return read_drawing(path)
        case "png":
            header = read_drawing(path)
            with Image.open(path) as image:
                return header, image.tobytes()


def damaged(rng, content, others):
    """Return damaged content, and the name of the damage. `others` are the contents of other files
    that may replace it."""
    start = int(rng.integers(len(content)))
    length = int(rng.choice([1, 2, 16, 200]))
    damages = {
        "empty": b"",
        "truncated": content[:start],
        "bits flipped": flipped(content, start, int(rng.integers(8))),
        "zeros": content[:start] + bytes(length) + content[start + length :],
        "noise": content[:start] + rng.bytes(length) + content[start + length :],
        "cut out": content[:start] + content[start + length :],
        "put in": content[:start] + rng.bytes(length) + content[start:],
        "twice": content + content,
        "text": b"Not what its name says.\n" * 20,
        "unwritten": bytes(len(content)),
    } | others
    name = str(rng.choice(list(damages)))
    return name, damages[name]


@pytest.fixture(scope="module")
def one_of_each(tmp_path_factory):
    """The content of a file of each kind, of two seeds."""
    folder, contents = tmp_path_factory.mktemp("each"), {}
    for kind, suffix in SUFFIXES.items():
        for seed in (0, 1):
            path = folder / f"{kind}-{seed}.{suffix}"
            write_any(kind, path, seed)
            contents[kind, seed] = path.read_bytes()
    return contents


@pytest.mark.parametrize("kind", SUFFIXES)
def test_a_file_that_was_damaged_in_any_way_is_refused_or_reads_as_it_was_written(
    one_of_each, tmp_path, kind, capfd
):
    path = tmp_path / f"seed-0.{SUFFIXES[kind]}"
    rng = np.random.default_rng(list(kind.encode()))
    whole, renamed = one_of_each[kind, 0], one_of_each[kind, 1]
    foreign = {f"foreign {k}": c for (k, seed), c in one_of_each.items() if k != kind and not seed}
    found = {}
    for content in (whole, renamed):
        path.write_bytes(content)
        found[content] = everything_in(kind, path)
    assert found[whole] != found[renamed]  # so a file of another seed is distinguished
    refused = 0
    for _ in range(43):
        name, content = damaged(rng, whole, {"renamed": renamed, **foreign})
        path.write_bytes(content)
        try:
            read = everything_in(kind, path)
        except Unreadable as error:
            assert str(error).startswith(f"{path}: "), name
            refused += 1
        else:
            assert read == found[renamed if name == "renamed" else whole], name
    assert refused > 20
    assert capfd.readouterr() == ("", "")
