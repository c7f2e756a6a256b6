"""Files that declare what they do not hold, that lead to other files, or that are no files."""

import json
import os
import signal
import socket
import struct
import time
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse

from repatlas.experiments.files import declared, probe
from repatlas.experiments.files.content import array_digest
from repatlas.experiments.files.conversions import brainscore
from repatlas.experiments.files.look import look
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_of, columns_of, keys_of
from repatlas.experiments.files.readers import npy as npy_reader
from repatlas.named import names
from repatlas.record import Refused


def refusal(function, *arguments):
    with pytest.raises(Refused) as refused:
        function(*arguments)
    return str(refused.value)


def read(path, key=None):
    return array_digest(Path(path), key)


# What a reader raises.


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "a.npy: needs more memory than there is (MemoryError)"),
        (OSError(5, "Input/output error"), "a.npy: cannot be read (OSError: [Errno 5] Input/outp"),
        (RecursionError("too\ndeep"), "a.npy: damaged, or not what its name says (RecursionErr"),
        (KeyError("x"), "a.npy: damaged, or not what its name says (KeyError: 'x'): write or copy"),
    ],
)
def test_whatever_a_reader_raises_is_one_sentence(error, sentence, array, monkeypatch):
    def array_that_fails(*_):
        raise error

    np.save("a.npy", array)
    monkeypatch.setattr(npy_reader, "array", array_that_fails)
    found = refusal(array_of, Path("a.npy"))
    assert found.startswith(sentence)
    assert "\n" not in found


def test_rows_that_cannot_be_read_are_one_sentence(array):
    class Failing:
        shape, dtype = array.shape, array.dtype

        def __getitem__(self, rows):
            raise OSError("Can't synchronously read data (inflate() failed)")

    matrix = Matrix("a.h5/x", Failing(), None, None)
    assert "a.h5/x: damaged" in refusal(matrix.take, np.array([3, 1]))
    assert "inflate() failed" in refusal(list, matrix.raw_blocks())


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def hang():
    while True:
        pass


def fail():
    raise ValueError


@pytest.mark.parametrize(("function", "reason"), [(crash, "SIGSEGV"), (hang, "SIGXCPU")])
def test_a_file_that_crashes_or_hangs_its_library_is_refused(function, reason, monkeypatch):
    monkeypatch.setattr(probe, "CPU_SECONDS", 1)
    expected = f"a.h5: damaged, its library crashes or never ends ({reason}): write or copy it"
    assert refusal(probe.probe, Path("a.h5"), function).startswith(expected)


def test_what_a_library_raises_in_the_copy_is_refused_here():
    assert "(ValueError)" in refusal(probe.probe, Path("a.h5"), fail)


def test_a_file_whose_library_survives_is_read():
    probe.probe(Path("a.h5"), list)


# Shapes and sizes.

SHAPES = [(2**62, 4), (2**32, 2**32), (-1, 4), (True, 4), (2**40, 6)]


def npy_bytes(shape, content=b"\0" * 240, descr="<f4"):
    file = BytesIO()
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + content


@pytest.mark.parametrize("shape", SHAPES)
def test_an_npy_file_with_a_shape_that_it_does_not_hold_is_refused(shape):
    Path("a.npy").write_bytes(npy_bytes(shape))
    assert refusal(read, "a.npy").startswith(("a.npy: cut short", "a.npy: damaged"))


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("shape", [*SHAPES, (9, 6), (11, 6)])
def test_an_npz_file_with_a_shape_that_it_does_not_hold_is_refused(shape, compression):
    with zipfile.ZipFile("a.npz", "w", compression) as archive:
        archive.writestr("x.npy", npy_bytes(shape))
    assert refusal(read, "a.npz", "x").startswith("a.npz/x: damaged")


def test_a_small_npz_file_that_would_fill_the_memory_is_refused(monkeypatch):
    # Compressing the 256 megabytes that any array may have would take seconds.
    monkeypatch.setattr(declared, "FREE_BYTES", 2**24)
    with (
        zipfile.ZipFile("a.npz", "w", zipfile.ZIP_LZMA) as archive,
        archive.open("x.npy", "w") as file,
    ):
        file.write(npy_bytes((17, 2**20), b"", "|u1"))
        for _ in range(17):
            file.write(bytes(2**20))
    assert "a.npz/x: declares 17,825,792 bytes" in refusal(read, "a.npz", "x")


def test_a_changed_byte_of_an_npz_file_is_noticed_by_its_checksum(array):
    np.savez("a.npz", x=array)
    content = Path("a.npz").read_bytes()
    place = content.index(array.tobytes())
    Path("a.npz").write_bytes(content[:place] + b"\1" + content[place + 1 :])
    assert "Bad CRC-32" in refusal(read, "a.npz", "x")


def test_an_npz_file_that_is_encrypted_is_refused(array):
    np.savez("a.npz", x=array)
    content = bytearray(Path("a.npz").read_bytes())
    content[6] |= 1  # a flag of the member
    content[content.index(b"PK\1\2") + 8] |= 1  # the same in the directory
    Path("a.npz").write_bytes(content)
    assert "is encrypted" in refusal(read, "a.npz", "x")


def test_a_matlab_file_with_a_negative_size_is_refused(array):
    scipy.io.savemat("a.mat", {"x": array[:6]})  # 6 x 6: (-6) x (-6) numbers are as many
    content = Path("a.mat").read_bytes()
    sizes = struct.pack("<2i", 6, 6)
    assert content.count(sizes) == 1
    for changed in ((-6, -6), (-1, 6), (36, -1), (2**31 - 1, 2**31 - 1), (5, 6)):
        Path("a.mat").write_bytes(content.replace(sizes, struct.pack("<2i", *changed)))
        assert refusal(read, "a.mat", "x").startswith("a.mat")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", [0, 8, 10, 14, 57, 233 * 256 + 7])
def test_numbers_of_a_type_that_matlab_does_not_have_are_refused(kind, compressed, array):
    scipy.io.savemat("a.mat", {"x": array})
    content = Path("a.mat").read_bytes()
    tag = struct.pack("<2I", 7, 240)
    assert content.count(tag) == 1
    start, matrix = content[:128], content[128:].replace(tag, struct.pack("<2I", kind, 240))
    if compressed:
        packed = zlib.compress(matrix)
        matrix = struct.pack("<2I", 15, len(packed)) + packed
    Path("a.mat").write_bytes(start + matrix)
    assert f"found numbers of type {kind}, which does not exist" in refusal(read, "a.mat", "x")


def test_complex_numbers_of_matlab_are_refused(array):
    scipy.io.savemat("a.mat", {"x": array + 1j, "y": array})
    assert "a.mat/x: found complex numbers, allowed: real" in refusal(read, "a.mat", "x")
    np.testing.assert_array_equal(array_of(Path("a.mat"), "y"), array)


def tensor(shape=(4, 4), offsets=(0, 64), **more):
    return {"x": {"dtype": "F32", "shape": list(shape), "data_offsets": list(offsets)} | more}


HEADERS = {
    "a list": [],
    "a number": 3,
    "null": None,
    "a list for an array": {"x": []},
    "no type": {"x": {"shape": [4, 4], "data_offsets": [0, 64]}},
    "no such type": tensor(dtype="F33"),
    "numbers before the file's": tensor(offsets=(-64, 0)),
    "numbers in the header": tensor((2, 4), offsets=(-32, 0)),
    "an end before the beginning": tensor(offsets=(64, 0)),
    "fewer numbers than the shape": tensor(offsets=(0, 32)),
    "more numbers than the shape": tensor((2, 4)),
    "numbers after the end": tensor(offsets=(64, 128)),
    "numbers of another array": {**tensor(), "y": tensor()["x"]},
    "a large shape": tensor((2**62, 4)),
    "a very large shape": tensor((2**70, 4)),
    "a shape of fractions": tensor((4.0, 4)),
    "true in a shape": tensor((True, 16)),
    "a negative shape": tensor((-4, -4)),
    "a deep list": "[" * 100_000,
}


@pytest.mark.parametrize("what", HEADERS)
def test_a_safetensors_header_that_the_library_refuses_is_refused(what):
    header = HEADERS[what]
    header = (header if isinstance(header, str) else json.dumps(header)).encode()
    Path("a.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(64))
    sentence = refusal(read, "a.safetensors", "x")
    assert sentence.startswith("a.safetensors: damaged, or not what its name says (Safetensor")


def test_a_safetensors_header_that_is_right_is_read():
    header = json.dumps({"__metadata__": {"of": "me"}} | tensor()).encode()
    numbers = np.arange(16, dtype=np.float32).reshape(4, 4)
    content = struct.pack("<Q", len(header)) + header + numbers.tobytes()
    Path("a.safetensors").write_bytes(content)
    assert keys_of(Path("a.safetensors")) == ["x"]
    np.testing.assert_array_equal(array_of(Path("a.safetensors"), "x"), numbers)


def test_numbers_of_hdf5_that_were_never_written_are_refused(h5py):
    with h5py.File("a.h5", "w") as file:
        file.create_dataset("x", (10**7, 10**6), "f4", chunks=(100, 100))
        file.create_dataset("one_block", (10, 6), "f4")
        part = file.create_dataset("part", (10, 6), "f4", chunks=(5, 6))
        part[:5] = 1
    assert "/x: 0 of its 1,000,000,000 blocks were written" in refusal(read, "a.h5", "x")
    assert "/one_block: 0 of its 1 blocks were written" in refusal(read, "a.h5", "one_block")
    assert "/part: 1 of its 2 blocks were written, HDF5 would read the others as 0.0" in refusal(
        read, "a.h5", "part"
    )


def test_numbers_of_zarr_that_were_never_written_are_refused(zarr):
    zarr.create_array("a.zarr", shape=(10**7, 10**6), chunks=(1000, 1000), dtype="f4")
    assert "a.zarr: declares 40,000,000,000,000 bytes" in refusal(read, "a.zarr")
    zarr.create_array("b.zarr", shape=(10**7, 2), chunks=(1, 2), dtype="f4")
    assert "b.zarr: declares 10,000,000 chunks and has 1 files" in refusal(read, "b.zarr")


def test_chunks_that_zarr_leaves_out_since_they_are_zero_are_read(zarr, array):
    array[5:] = 0
    zarr.create_array("a.zarr", data=array, chunks=(5, 6))
    np.testing.assert_array_equal(array_of(Path("a.zarr"))[0:10], array)


# Names.


def test_equal_names_are_refused_in_every_type_of_file(array):
    pq.write_table(pa.Table.from_arrays([pa.array([1, 2])] * 2, names=["y", "y"]), "a.parquet")
    Path("a.csv").write_text("y,y\n1,2\n", encoding="utf-8")
    for name in ("a.parquet", "a.csv"):
        expected = f"{name}: found several columns named 'y', allowed: one"
        assert refusal(columns_of, Path(name)) == expected
        assert refusal(read, name) == expected
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile("a.npz", "w") as archive,
    ):
        archive.writestr("y.npy", npy_bytes((10, 6)))
        archive.writestr("y.npy", npy_bytes((10, 6)))
    assert refusal(keys_of, Path("a.npz")) == "a.npz: found several arrays named 'y', allowed: one"
    scipy.io.savemat("a.mat", {"x": array, "y": array})
    content = Path("a.mat").read_bytes()
    name = struct.pack("<2H", 1, 1) + b"y"
    Path("a.mat").write_bytes(content.replace(name, name[:-1] + b"x"))
    assert (
        refusal(keys_of, Path("a.mat")) == "a.mat: found several matrices named 'x', allowed: one"
    )


@pytest.mark.parametrize("columns", [{}, {"__index_level_0__": pa.array([1, 2])}, {"x": []}])
def test_a_parquet_table_without_columns_or_rows_is_refused(columns):
    pq.write_table(pa.table(columns), "a.parquet")
    assert "a.parquet: found " in refusal(columns_of, Path("a.parquet"))


def test_a_csv_file_of_many_columns_takes_seconds():
    line = ",".join(map(str, range(100_000)))
    Path("a.csv").write_text(f"{line}\n{line}\n", encoding="utf-8")
    start = time.process_time()
    assert len(columns_of(Path("a.csv"))) == 100_000
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (f"x\n{'a' * 200_000}\n", "field larger than field limit"),
        (f"x\n{'1' * 5000}\n", "integer string conversion"),
        (f"x\n{'1' * 400}\n", "too large to convert to float"),
        ('x,y\n1,"2\n', "unexpected end of data"),
        ("x\na\0\n", "a.csv: "),
    ],
)
def test_cells_that_cannot_be_read_are_one_sentence(content, sentence):
    Path("a.csv").write_text(content, encoding="utf-8")
    assert sentence in refusal(read, "a.csv")


# Other files of the user.


@pytest.fixture
def secret(tmp_path):
    """Write a file that lies outside of the folder of the user's data."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "key").write_bytes(bytes(range(60)))
    return folder / "key"


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The folder of the user's data, where the test runs."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write_virtual(h5py, path, source, name="x", shape=(10, 6), dtype="f4"):
    layout = h5py.VirtualLayout(shape, dtype)
    layout[:] = h5py.VirtualSource(str(source), name, shape)
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("x", layout)


@pytest.mark.parametrize("suffix", ["h5", "hdf5", "nc"])
def test_numbers_outside_of_an_hdf5_file_are_never_read(suffix, secret, data, h5py):
    path = f"a.{suffix}"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (10, 6), "u1", external=[(str(secret), 0, 60)])
    assert "/x: keeps its numbers outside of the file" in refusal(read, path, "x")


def test_a_virtual_data_set_reads_from_the_folder_of_its_file_alone(array, secret, data, h5py):
    other = secret.parent / "other.h5"
    for path in (other, "source.h5"):
        with h5py.File(path, "w") as file:
            file["x"] = array
    write_virtual(h5py, "a.h5", "source.h5")
    np.testing.assert_array_equal(array_of(Path("a.h5"), "x")[:], array)
    os.symlink(other, "linked.h5")
    for number, source in enumerate((other, "../home/other.h5", "linked.h5")):
        write_virtual(h5py, f"{number}.h5", source)
        assert "outside of the file's folder" in refusal(read, f"{number}.h5", "x")


def test_a_virtual_data_set_by_another_name_of_its_file_is_read(array, secret, data, h5py):
    with h5py.File("source.h5", "w") as file:
        file["x"] = array
    write_virtual(h5py, "a.h5", "source.h5")
    os.symlink(Path("a.h5").absolute(), secret.parent / "a.h5")
    np.testing.assert_array_equal(array_of(secret.parent / "a.h5", "x")[:], array)


def test_a_virtual_data_set_whose_source_is_not_there_is_refused(array, data, h5py):
    write_virtual(h5py, "a.h5", "source.h5")
    assert "reads from source.h5/x, which is not there" in refusal(read, "a.h5", "x")
    with h5py.File("source.h5", "w") as file:
        file["y"] = array
    assert "no such array is there" in refusal(read, "a.h5", "x")


def test_sources_that_are_a_pattern_are_refused(data, h5py):
    h5s, h5p = h5py.h5s, h5py.h5p
    blocks = h5s.create_simple((10, 6), (h5s.UNLIMITED, 6))
    blocks.select_hyperslab((0, 0), (h5s.UNLIMITED, 1), (10, 6), (10, 6))
    properties = h5p.create(h5p.DATASET_CREATE)
    properties.set_virtual(blocks, b"source-%b.h5", b"x", h5s.create_simple((10, 6)))
    with h5py.File("a.h5", "w") as file:
        space = h5s.create_simple((10, 6), (h5s.UNLIMITED, 6))
        h5py.h5d.create(file.id, b"x", h5py.h5t.IEEE_F32LE, space, properties)
    assert "a pattern" in refusal(read, "a.h5", "x")


def test_a_source_cannot_lead_further(secret, data, h5py):
    with h5py.File("source.h5", "w") as file:
        file.create_dataset("x", (10, 6), "u1", external=[(str(secret), 0, 60)])
        file["y"] = h5py.ExternalLink(str(secret), "x")
        file["z"] = h5py.SoftLink("/x")
    for name, sentence in (("x", "outside of the file"), ("y", "no such"), ("z", "no such")):
        write_virtual(h5py, f"{name}.h5", "source.h5", name, dtype="u1")
        assert sentence in refusal(read, f"{name}.h5", "x")


def test_virtual_data_sets_in_a_circle_are_refused(data, h5py):
    write_virtual(h5py, "a.h5", "b.h5")
    write_virtual(h5py, "b.h5", "a.h5")
    assert "which reads from it in turn" in refusal(read, "a.h5", "x")


@pytest.mark.parametrize("kind", ["ExternalLink", "SoftLink"])
def test_links_in_an_hdf5_file_are_not_followed(kind, array, data, h5py):
    with h5py.File("other.h5", "w") as file:
        file["x"] = array
    with h5py.File("a.h5", "w") as file:
        file["y"] = array
        link = h5py.SoftLink("/y") if kind == "SoftLink" else h5py.ExternalLink("other.h5", "x")
        file["x"] = link
        file["group"] = h5py.ExternalLink("other.h5", "/")
    assert keys_of(Path("a.h5")) == ["y"]
    for key in ("x", "group/x"):
        assert refusal(read, "a.h5", key) == f"a.h5: has no array {key!r}, found: 'y'"


def test_a_conversion_reads_no_other_file(array, secret, data, h5py):
    with h5py.File("a.nc", "w") as file:
        file[brainscore.ASSEMBLY] = array
        file.create_dataset("stimulus_id", (10,), "u1", external=[(str(secret), 0, 10)])
    assert "keeps its numbers outside" in refusal(brainscore.convert, Path("a.nc"), Path("target"))


@pytest.mark.parametrize("place", ["c/0/0", "zarr.json", "c"])
def test_links_in_a_zarr_folder_are_not_followed(place, array, secret, data, zarr):
    zarr.create_array("a.zarr", data=array)
    inside = Path("a.zarr", place)
    inside.rename(secret.parent / "moved")
    os.symlink(secret.parent / "moved", inside)
    assert f"{inside}: is a link or no file" in refusal(read, "a.zarr")


def test_links_in_a_group_of_zarr_are_not_followed(array, secret, data, zarr):
    zarr.open_group("a.zarr", mode="w").create_array("net/x", data=array)
    Path("a.zarr/net").rename(secret.parent / "net")
    os.symlink(secret.parent / "net", "a.zarr/net")
    assert "a.zarr/net: is a link or no file" in refusal(read, "a.zarr", "net/x")
    assert "a.zarr/net: is a link or no file" in refusal(keys_of, Path("a.zarr"))


# What is no file.


@pytest.mark.parametrize("suffix", names("experiments.files.readers"))
def test_a_folder_a_pipe_a_socket_and_a_device_are_refused(suffix, tmp_path):
    path = Path(f"a.{suffix}")
    if suffix != "zarr":
        path.mkdir()
        assert refusal(keys_of, path) == f"a.{suffix}: is a folder, allowed: a file"
        path.rmdir()
    expected = f"a.{suffix}: is a pipe, a socket or a device, allowed: a"
    os.mkfifo(path)
    assert refusal(keys_of, path).startswith(expected)
    path.unlink()
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(path))
        assert refusal(keys_of, path).startswith(expected)
    path.unlink()
    os.symlink("/dev/zero", path)
    assert refusal(keys_of, path).startswith(expected)


def test_a_pipe_in_a_zarr_folder_is_refused(array, zarr):
    zarr.create_array("a.zarr", data=array)
    Path("a.zarr/c/0/0").unlink()
    os.mkfifo("a.zarr/c/0/0")
    assert "a.zarr/c/0/0: is a link or no file" in refusal(read, "a.zarr")


# Numbers that cannot be used, and what to do.


def test_numbers_whose_squares_are_infinite_are_refused_with_their_place(array):
    array = array.astype(np.float64)
    array[7, 3] = -1e160
    found = refusal(look, Matrix("a.npy", array, None, None))
    assert found == (
        "a.npy: found -1e+160 in row 7, feature 3 (counted from 0), allowed: numbers up to 1e+150,"
        " whose squares are finite: multiply the array by a small number"
    )


def test_numbers_up_to_1e150_are_looked_at(array):
    array = array.astype(np.float64)
    array *= 1e150 / np.abs(array).max()
    facts = {fact.fact: fact.value for fact in look(Matrix("a", array, None, None)).facts}
    assert facts["rank"] == 6


@pytest.mark.parametrize("kind", ["csr_array", "coo_matrix"])
def test_a_sparse_matrix_is_refused_with_the_line_that_converts_it(kind, array):
    matrix = getattr(scipy.sparse, kind)(array)
    scipy.sparse.save_npz("a.npz", matrix)
    found = refusal(keys_of, Path("a.npz"))
    assert found.startswith("a.npz: holds a sparse matrix of scipy")
    exec(found.split('"')[1])
    np.testing.assert_array_equal(array_of(Path("a.npy")), array)


def test_a_sparse_matrix_of_matlab_is_refused_with_the_line_that_converts_it(array):
    scipy.io.savemat("a.mat", {"x": scipy.sparse.csc_matrix(array)})
    assert refusal(keys_of, Path("a.mat")) == (
        "a.mat: found x (sparse), allowed: matrices of numbers; in MATLAB:"
        " x = full(...); save('a.mat', 'x')"
    )


def test_bfloat16_that_numpy_cannot_name_is_refused_with_what_to_do():
    Path("a.npy").write_bytes(npy_bytes((10, 6), bytes(120), "|V2"))
    assert "bfloat16 becomes float32 with .float() in torch" in refusal(read, "a.npy")


def test_eight_bit_floats_are_refused_with_what_to_do():
    header = json.dumps(tensor((8, 8), dtype="F8_E4M3")).encode()
    Path("a.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(64))
    assert "found the type F8_E4M3" in refusal(read, "a.safetensors", "x")
    assert "save x.float()" in refusal(read, "a.safetensors", "x")
