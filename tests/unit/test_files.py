"""Files are whole or not there, say what they are, and are refused if they aren't that."""

import ast
import errno
import hashlib
import json
import os
import re
import stat
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from safetensors.numpy import save_file
from selections import some

from repatlas.artifacts.drawings import read_drawing, write_drawing
from repatlas.artifacts.files import (
    FORMAT,
    METRICS_SCHEMA,
    Arrays,
    Unreadable,
    read_header,
    read_table,
    set_aside,
    whole_file,
    write_arrays,
    write_table,
)
from repatlas.artifacts.pages import read_page
from repatlas.artifacts.pieces import TableFile
from repatlas.artifacts.provenance import ROOT
from repatlas.artifacts.runs import Run, read_runs, write_runs
from repatlas.studies.structure.columns import TABLE_SCHEMA

HEADER = {"job": {"seed": 0}, "runs": {"a": {"steps": [0, 5], "diverged_step": None}}, "µ": "ü"}
CCGP = {"run": "a", "seed": 0, "step": 5, "by": "ccgp", "measure": "ccgp"}
WEIGHT = {"run": "b", "seed": 1, "step": 0, "by": "selectivity", "measure": "weight", "neuron": 3}
ROWS = [
    CCGP | {"variant": "", "value": 0.1 + 0.2},
    CCGP | {"variant": "x", "value": None},
    WEIGHT | {"variant": "", "value": 2},
]


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()[:32]


def metrics():
    return pa.Table.from_pylist(ROWS, schema=METRICS_SCHEMA)


@pytest.fixture
def arrays_file(tmp_path):
    path = tmp_path / "runs.safetensors"
    write_arrays(path, "runs", HEADER, {"a/weights": np.arange(6.0).reshape(2, 3)})
    return path


@pytest.fixture
def table_file(tmp_path):
    path = tmp_path / "metrics.parquet"
    write_table(path, "metrics", HEADER, metrics())
    return path


# Round trips.


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
def test_arrays_come_back_as_they_were(tmp_path, dtype):
    rng = np.random.default_rng(0)
    array = (10 * rng.standard_normal((3, 4, 5))).astype(dtype)
    empty = np.zeros((0, 4), dtype)
    path = tmp_path / "a.safetensors"
    write_arrays(path, "runs", {}, {"key/weights": array, "empty": empty})
    file = Arrays(path, "runs")
    for name, expected in (("key/weights", array), ("empty", empty)):
        assert file[name].dtype == dtype
        assert np.array_equal(file[name], expected)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[:, ::2],
        lambda a: a[::-1],
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[0], a.shape),
        lambda a: a.transpose(1, 0)[1:, 1:],
    ],
    ids=["transposed", "strided", "reversed", "fortran", "broadcast", "inner"],
)
def test_an_array_that_does_not_lie_in_memory_row_by_row_comes_back_as_it_was(tmp_path, view):
    array = view(np.arange(12.0).reshape(3, 4))
    write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": array})
    assert np.array_equal(Arrays(tmp_path / "a.safetensors", "runs")["a"], array)


def test_nan_and_infinity_come_back_as_they_were(tmp_path):
    array = np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": array})
    assert Arrays(tmp_path / "a.safetensors", "runs")["a"].tobytes() == array.tobytes()


def test_an_array_without_dimensions_comes_back_as_it_was(tmp_path):
    write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": np.array(1.5)})
    array = Arrays(tmp_path / "a.safetensors", "runs")["a"]
    assert array.shape == ()
    assert array == 1.5


def test_a_table_comes_back_as_it_was(table_file):
    _, table = read_table(table_file, "metrics", METRICS_SCHEMA)
    assert table.equals(metrics())
    assert table["value"].to_pylist() == [0.1 + 0.2, None, 2.0]


def test_a_table_without_rows_comes_back_as_it_was(tmp_path):
    path = tmp_path / "empty.parquet"
    write_table(path, "table", {}, TABLE_SCHEMA.empty_table())
    _, table = read_table(path, "table", TABLE_SCHEMA)
    assert table.num_rows == 0


def test_a_header_comes_back_as_it_was(arrays_file, table_file):
    digests = {
        "runs": {"digests": {"a/weights": sha256(b"float64 (2, 3)", np.arange(6.0).tobytes())}},
        "metrics": {"digest": read_header(table_file, "metrics")["digest"]},
    }
    for path, kind in ((arrays_file, "runs"), (table_file, "metrics")):
        expected = HEADER | {"format": FORMAT, "kind": kind} | digests[kind]
        assert read_header(path, kind) == expected
    assert Arrays(arrays_file, "runs").header == read_header(arrays_file, "runs")
    assert read_table(table_file, "metrics", METRICS_SCHEMA)[0] == (
        read_header(table_file, "metrics")
    )


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (0, "run", "A"),
        (0, "seed", 1),
        (0, "value", 0.3),  # the file has 0.30000000000000004
        (0, "value", None),
        (1, "value", 0.0),  # null there
        (2, "value", -2.0),
        (2, "neuron", None),
        (0, "cluster", 0),
    ],
)
def test_the_digest_of_a_table_changes_with_any_value(tmp_path, table_file, row, column, value):
    rows = [dict(row) for row in ROWS]
    rows[row][column] = value
    path = tmp_path / "other.parquet"
    write_table(path, "metrics", HEADER, pa.Table.from_pylist(rows, schema=METRICS_SCHEMA))
    digests = {read_header(file, "metrics")["digest"] for file in (path, table_file)}
    assert len(digests) == 2


def test_the_digest_of_a_table_is_that_of_its_values_however_they_lie_in_memory(
    tmp_path, table_file
):
    path = tmp_path / "again.parquet"
    pieces = pa.concat_tables([metrics().slice(0, 1), metrics().slice(1)])
    write_table(path, "metrics", HEADER, pieces)
    assert read_header(path, "metrics") == read_header(table_file, "metrics")
    assert read_table(path, "metrics", METRICS_SCHEMA)[1].equals(metrics())


def test_the_same_contents_are_the_same_bytes(tmp_path, arrays_file, table_file):
    write_arrays(tmp_path / "again", "runs", HEADER, {"a/weights": np.arange(6.0).reshape(2, 3)})
    assert (tmp_path / "again").read_bytes() == arrays_file.read_bytes()
    write_table(tmp_path / "again", "metrics", HEADER, metrics())
    assert (tmp_path / "again").read_bytes() == table_file.read_bytes()


def test_folders_on_the_way_are_made(tmp_path):
    path = tmp_path / "runs/family/seed-0.safetensors"
    write_arrays(path, "runs", {}, {"a": np.zeros(1)})
    assert path.exists()


# Refusals.


def read(path, kind=None):
    """Read all of a file."""
    if path.suffix == ".safetensors":
        return Arrays(path, kind or "runs")["a/weights"]
    return read_table(path, kind or "metrics", METRICS_SCHEMA)


def assert_unreadable(path, message=None, kind=None, header_too=True):
    with pytest.raises(Unreadable, match=message) as refusal:
        read(path, kind)
    assert str(refusal.value) == f"{path}: {refusal.value.reason}"
    assert refusal.value.path == path
    if header_too:
        with pytest.raises(Unreadable, match=message):
            read_header(path, kind or ("runs" if path.suffix == ".safetensors" else "metrics"))


@pytest.fixture
def file(request):
    return request.getfixturevalue(request.param)


both_files = pytest.mark.parametrize("file", ["arrays_file", "table_file"], indirect=True)


@both_files
def test_a_file_of_another_kind_is_refused(file):
    found = "runs" if file.suffix == ".safetensors" else "metrics"
    assert_unreadable(file, f"is a file of {found}, format {FORMAT}, not of tasks", kind="tasks")


@both_files
def test_a_file_of_another_format_is_refused(file, monkeypatch):
    monkeypatch.setattr("repatlas.artifacts.files.FORMAT", FORMAT + 1)
    assert_unreadable(file, f"format {FORMAT}, not of .*, format {FORMAT + 1}")


@both_files
def test_an_empty_file_is_refused(file):
    file.write_bytes(b"")
    assert_unreadable(file)


@both_files
def test_a_file_that_is_not_of_its_type_is_refused(file):
    file.write_text("Not what its name says.\n" * 100)
    assert_unreadable(file, "damaged, or no")


@both_files
@pytest.mark.parametrize("kept", [0.02, 0.3, 0.7, 0.99])
def test_a_truncated_file_is_refused(file, kept):
    whole = file.read_bytes()
    file.write_bytes(whole[: int(kept * len(whole))])
    assert_unreadable(file, "damaged, or no")


def test_safetensors_of_someone_else_are_refused(tmp_path):
    path = tmp_path / "foreign.safetensors"
    save_file({"a/weights": np.zeros(3)}, path)
    assert_unreadable(path, "not written by repatlas")
    save_file({"a/weights": np.zeros(3)}, path, metadata={"format": "pt"})
    assert_unreadable(path, "not written by repatlas")


def test_a_parquet_file_of_someone_else_is_refused(tmp_path):
    path = tmp_path / "foreign.parquet"
    pq.write_table(pa.table({"value": [1.0, 2.0]}), path)
    assert_unreadable(path, "not written by repatlas")


def test_a_table_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "old.parquet"
    write_table(path, "metrics", {}, metrics().drop_columns(["neuron"]))
    assert_unreadable(path, "other columns than a file of metrics", header_too=False)
    write_table(
        path, "metrics", {}, metrics().cast(metrics().schema.set(1, pa.field("seed", "i8")))
    )
    assert_unreadable(path, "other columns than a file of metrics", header_too=False)


def test_an_array_that_is_not_there_is_named(arrays_file):
    with pytest.raises(Unreadable, match="has no array b/weights"):
        Arrays(arrays_file, "runs")["b/weights"]


@both_files
def test_a_file_that_is_missing_is_not_taken_for_a_damaged_one(file):
    file.unlink()
    with pytest.raises(FileNotFoundError, match=f"No such file or directory.*{file.name}"):
        read(file)
    with pytest.raises(FileNotFoundError):
        read_header(file, "runs")


def test_a_missing_table_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError) as refusal:
        read_table(tmp_path / "none.parquet", "metrics", METRICS_SCHEMA)
    assert refusal.value.filename == str(tmp_path / "none.parquet")
    assert refusal.value.strerror == "No such file or directory"


# Damage. Digests find what the formats themselves don't.


def test_each_bit_of_an_array_is_looked_at(arrays_file):
    whole = arrays_file.read_bytes()
    for place in range(len(whole) - 6 * 8, len(whole)):
        arrays_file.write_bytes(flipped(whole, place, place % 8))
        file = Arrays(arrays_file, "runs")  # its header is whole
        for look in (file.check, lambda file=file: file["a/weights"]):
            with pytest.raises(Unreadable, match="damaged, array a/weights is not what was writt"):
                look()


def test_each_bit_of_a_header_is_looked_at(arrays_file):
    whole = arrays_file.read_bytes()
    place = whole.index(b"diverged_step")
    for number in range(8 * len(b"diverged_step")):
        arrays_file.write_bytes(flipped(whole, place + number // 8, number % 8))
        with pytest.raises(Unreadable, match="damaged"):
            Arrays(arrays_file, "runs")


def test_a_check_reads_every_array(tmp_path):
    path = tmp_path / "runs.safetensors"
    write_arrays(path, "runs", {}, {name: np.full(3, ord(name), np.uint8) for name in "abc"})
    Arrays(path, "runs").check()
    whole = path.read_bytes()
    for name in b"abc":
        path.write_bytes(
            whole[:-9] + whole[-9:].replace(bytes([name] * 3), bytes([name] * 2 + [0]))
        )
        file = Arrays(path, "runs")
        for other in set(b"abc") - {name}:
            assert file[chr(other)].tolist() == [other] * 3
        with pytest.raises(Unreadable, match=f"array {chr(name)} "):
            file.check()


def test_an_array_that_took_the_place_of_another_is_refused(tmp_path):
    path = tmp_path / "runs.safetensors"
    write_arrays(path, "runs", {}, {"a": np.zeros(3), "b": np.ones(3)})
    path.write_bytes(path.read_bytes().replace(b'"a":{', b'"x":{').replace(b'"b":{', b'"a":{'))
    with pytest.raises(Unreadable, match="array a is not what was written"):
        Arrays(path, "runs")["a"]
    with pytest.raises(Unreadable, match="has no array b"):
        Arrays(path, "runs")["b"]


def test_a_table_with_damage_inside_is_refused_wherever_it_is(tmp_path):
    path = tmp_path / "metrics.parquet"
    rng = np.random.default_rng(0)
    rows = [
        {
            "run": "a",
            "seed": 0,
            "step": i,
            "by": "m",
            "measure": "m",
            "variant": "v",
            "value": rng.random(),
        }
        for i in range(2000)
    ]
    table = pa.Table.from_pylist(rows, schema=METRICS_SCHEMA)
    write_table(path, "metrics", {}, table)
    whole = path.read_bytes()
    refused = 0
    for start in range(4, len(whole) - 16, len(whole) // 200):
        path.write_bytes(whole[:start] + bytes(16) + whole[start + 16 :])
        try:
            _, found = read_table(path, "metrics", METRICS_SCHEMA)
        except Unreadable:
            refused += 1
            continue
        assert found.equals(table), f"16 bytes from {start} on"
    assert refused > 150


@pytest.mark.parametrize("text", [b"diverged_step", b"repatlas", b"variant"])
def test_a_name_that_damage_made_no_text_is_refused(table_file, text):
    whole = table_file.read_bytes()
    places = [found.start() for found in re.finditer(text, whole)]
    assert places
    for place in places:
        table_file.write_bytes(flipped(whole, place + 2, 7))
        try:
            found = read_table(table_file, "metrics", METRICS_SCHEMA)[1]
        except Unreadable:
            continue
        assert found.equals(metrics())


@pytest.mark.parametrize("text", [b"diverged_step", b"variant"])
def test_a_header_among_names_that_are_no_text_is_refused_or_as_it_was(table_file, text):
    header = read_header(table_file, "metrics")
    whole = table_file.read_bytes()
    for found in re.finditer(text, whole):
        table_file.write_bytes(flipped(whole, found.start() + 2, 7))
        try:
            assert read_header(table_file, "metrics") == header
        except Unreadable:
            continue


def test_a_value_that_damage_made_no_text_is_refused(tmp_path):
    path = tmp_path / "metrics.parquet"
    table = metrics().set_column(4, METRICS_SCHEMA.field("measure"), [["ccgp", "ccgp", "weight"]])
    write_table(path, "metrics", {}, table)
    # Without compression, as pyarrow would also read it: the text lies in the file as it is.
    raw = pq.read_table(path)
    pq.write_table(raw, path, compression="none", use_dictionary=False, write_statistics=False)
    assert read_table(path, "metrics", METRICS_SCHEMA)[1].equals(table)
    whole = path.read_bytes()
    path.write_bytes(flipped(whole, whole.index(b"weight"), 7))
    with pytest.raises(Unreadable, match="damaged"):
        read_table(path, "metrics", METRICS_SCHEMA)


def flipped(content, place, bit):
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


# 300 damages, drawn at random, of every kind of file.

SUFFIXES = {
    **dict.fromkeys(("tasks", "runs", "part"), "safetensors"),
    **dict.fromkeys(("metrics", "table"), "parquet"),
    **{"pdf": "pdf", "png": "png"},
}
SCHEMAS = {"metrics": METRICS_SCHEMA, "table": TABLE_SCHEMA}
STEPS = [0, 2, 5]


def write_any(kind, path, seed):
    """Write a small file of any kind."""
    rng = np.random.default_rng(seed)
    header = {"job": {"seed": seed}, "identity": f"{kind} of {seed}", "modules": {"a": "b"}}
    match kind:
        case "tasks":
            write_arrays(path, kind, header, {"x/centres": rng.random((4, 3))})
        case "runs" | "part":
            about = {"steps": STEPS, "goes_on": True, "basis": {"seed": seed}}
            weights = rng.random((3, 4, 2), dtype=np.float32)
            parameters = {"weights1": weights, "bias1": weights[..., 0]}
            run = Run(parameters, {"mean/bias1": rng.random(4)}, about)
            runs = {key: run for key in ("one", "two")}
            write_runs(path, header if kind == "runs" else {}, runs)
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
            write_table(path, kind, header, pa.Table.from_pylist(rows, schema=TABLE_SCHEMA))
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
        case "tasks" | "runs":
            file = Arrays(path, kind)
            file.check()
            return file.header, content({name: file[name] for name in file.header["digests"]})
        case "part":
            runs = read_runs(
                path, {"one": STEPS, "two": STEPS}, {key: {"seed": 0} for key in ("one", "two")}
            )
            return {k: (content(r.parameters), content(r.state), r.about) for k, r in runs.items()}
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
            assert not name.startswith("foreign") or {kind, name[8:]} == {"runs", "part"}, name
            if not name.startswith("foreign"):
                assert read == found[renamed if name == "renamed" else whole], name
    assert refused > 20
    assert capfd.readouterr() == ("", "")


# Writing.


def contents(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "result.txt"
    path.write_text("old")
    with pytest.raises(error), whole_file(path) as temporary:
        temporary.write_text("half of the n")
        raise error
    assert path.read_text() == "old"
    assert contents(tmp_path) == ["result.txt"]


def test_until_all_is_written_the_old_file_stands(tmp_path):
    path = tmp_path / "result.txt"
    path.write_text("old")
    with whole_file(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
        assert temporary.parent == path.parent  # a rename between disks isn't one step
        assert temporary.suffix == path.suffix  # matplotlib goes by it
    assert path.read_text() == "new"
    assert contents(tmp_path) == ["result.txt"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(arrays_file, monkeypatch, call):
    before = arrays_file.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(f"repatlas.artifacts.files.os.{call}", full)
    with pytest.raises(OSError, match="No space left"):
        write_arrays(arrays_file, "runs", {}, {"a/weights": np.ones(3)})
    assert arrays_file.read_bytes() == before
    assert contents(arrays_file.parent) == [arrays_file.name]


@both_files
def test_a_disk_that_fills_while_a_file_is_written_leaves_the_old_file_and_nothing_else(file):
    """No disk is filled: the test limits the size of files instead."""
    before = file.read_bytes()
    write = {
        ".safetensors": "write_arrays(path, 'runs', {}, {'a': noise})",
        ".parquet": "write_table(path, 'metrics', {}, pa.table({'a': noise}))",
    }
    script = f"""
import resource, sys
from pathlib import Path
import numpy as np, pyarrow as pa
from repatlas.artifacts.files import write_arrays, write_table
path, noise = Path(sys.argv[1]), np.random.default_rng(0).random(10_000)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
{write[file.suffix]}
"""
    ended = subprocess.run([sys.executable, "-c", script, file], capture_output=True, text=True)
    assert ended.returncode == 1
    assert "File too large" in ended.stderr
    assert file.read_bytes() == before
    assert contents(file.parent) == [file.name]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_result_has_the_permissions_that_the_umask_leaves(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": np.zeros(1)})
        assert os.umask(umask) == umask  # and it is left as it was
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.safetensors").stat().st_mode) == mode


def test_setting_aside_keeps_every_file(tmp_path):
    path = tmp_path / "seed-0.parquet"
    kept = []
    for number in range(3):
        path.write_text(f"damaged {number}")
        kept.append(set_aside(path))
        assert not path.exists()
    assert [file.read_text() for file in kept] == ["damaged 0", "damaged 1", "damaged 2"]
    assert len(contents(tmp_path)) == 3
    assert all(file.name.startswith(path.name) for file in some(kept))


def test_nothing_is_read_with_pickle():
    risky = {"pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    loaders = {"torch.load", "pd.read_pickle"}
    of_numpy = {"np.load", "numpy.load"}  # which refuse pickles only where they are told to
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import):
                assert not risky & {alias.name.split(".")[0] for alias in node.names}, where
            elif isinstance(node, ast.ImportFrom):
                assert node.module.split(".")[0] not in risky, where
            elif isinstance(node, ast.Call):
                assert ast.unparse(node.func) not in loaders, where
                told = {word.arg for word in node.keywords}
                assert ast.unparse(node.func) not in of_numpy or "allow_pickle" in told, where
            elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert ast.unparse(node.value) == "False", where


def test_headers_are_json_that_other_programs_can_read(arrays_file, table_file):
    raw = arrays_file.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    metadata = json.loads(raw[8 : 8 + length])["__metadata__"]
    assert metadata.keys() == {"repatlas"}
    in_table = pq.read_schema(table_file).metadata[b"repatlas"].decode()
    for kind, entry in (("runs", metadata["repatlas"]), ("metrics", in_table)):
        digest, _, text = entry.partition(" ")
        assert json.loads(text)["kind"] == kind
        assert digest == sha256(text.encode())


# What is no file.


@pytest.mark.parametrize("what", ["a folder", "a pipe"])
@pytest.mark.parametrize(
    "read",
    [
        lambda path: Arrays(path, "runs"),
        lambda path: read_table(path, "metrics", METRICS_SCHEMA),
        lambda path: read_header(path, "metrics"),
        lambda path: TableFile(path, "table", TABLE_SCHEMA),
        read_drawing,
        read_page,
    ],
    ids=["arrays", "a table", "a header", "pieces", "a drawing", "a page"],
)
def test_no_reader_waits_for_what_is_no_file(tmp_path, read, what):
    path = tmp_path / "runs"
    if what == "a folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(Unreadable, match="is no file but a folder, a pipe, a device or a link"):
        read(path)
