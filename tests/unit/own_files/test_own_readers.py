"""Every type of file gives the same array, in slices, and what is no array is refused."""

import io
import pickle
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
from safetensors.numpy import save_file

from repatlas.experiments.files.opened import PACKAGE, array_of, columns_of, keys_of
from repatlas.named import names
from repatlas.record import Refused


def write_npy(path, x):
    np.save(path, x)


def write_npz(path, x):
    np.savez(path, x=x)


def write_packed_npz(path, x):
    np.savez_compressed(path, x=x)


def write_safetensors(path, x):
    save_file({"x": x}, path)


def write_mat(path, x):
    scipy.io.savemat(path, {"x": x})


def write_csv(path, x):
    lines = [",".join(f"f{n}" for n in range(x.shape[1]))]
    lines += [",".join(repr(float(value)) for value in row) for row in x]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_parquet(path, x):
    pq.write_table(pa.table({f"f{n}": column for n, column in enumerate(x.T)}), path)


def write_h5(path, x):
    import h5py

    with h5py.File(path, "w") as file:
        file["x"] = x


def write_zarr(path, x):
    import zarr

    zarr.create_array(path, data=x)


WRITERS = {
    "npy": write_npy,
    "npz": write_npz,
    "safetensors": write_safetensors,
    "mat": write_mat,
    "csv": write_csv,
    "parquet": write_parquet,
    "h5": write_h5,
    "hdf5": write_h5,
    "nc": write_h5,
    "zarr": write_zarr,
}


@pytest.fixture(params=WRITERS)
def written(request, array, tmp_path):
    """A file of each type, with one array in it."""
    if request.param in ("h5", "hdf5", "nc"):
        request.getfixturevalue("h5py")
    if request.param == "zarr":
        request.getfixturevalue("zarr")
    path = tmp_path / f"a.{request.param}"
    WRITERS[request.param](path, array)
    return path


def test_every_type_of_file_is_tried_here():
    assert set(WRITERS) == set(names(PACKAGE))


def test_a_file_gives_the_array_that_was_saved(written, array):
    (key,) = keys_of(written) or [None]
    found = array_of(written, key)
    assert found.shape == array.shape
    np.testing.assert_array_equal(np.asarray(found[0:10]), array)


def test_rows_are_read_in_slices(written, array):
    (key,) = keys_of(written) or [None]
    np.testing.assert_array_equal(np.asarray(array_of(written, key)[3:7]), array[3:7])


@pytest.mark.parametrize("suffix", ["npy", "npz", "safetensors"])
def test_large_files_are_mapped_and_not_read(suffix, array, tmp_path):
    path = tmp_path / f"a.{suffix}"
    WRITERS[suffix](path, array)
    (key,) = keys_of(path) or [None]
    assert isinstance(array_of(path, key), np.memmap)


def test_a_packed_npz_is_read_too(array, tmp_path):
    path = tmp_path / "a.npz"
    write_packed_npz(path, array)
    np.testing.assert_array_equal(array_of(path, "x"), array)


@pytest.mark.parametrize("write", [write_npy, write_npz, write_packed_npz])
def test_an_array_in_the_order_of_fortran_is_the_same_array(write, array, tmp_path):
    path = tmp_path / ("a.npy" if write is write_npy else "a.npz")
    write(path, np.asfortranarray(array))
    np.testing.assert_array_equal(array_of(path, (keys_of(path) or [None])[0]), array)


def test_bfloat16_is_read_as_the_float32_that_it_is(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file as save_tensors

    tensor = torch.linspace(-3, 3, 12).reshape(4, 3).to(torch.bfloat16)
    save_tensors({"x": tensor}, tmp_path / "a.safetensors")
    found = array_of(Path("a.safetensors"), "x")
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[1:3], tensor.float().numpy()[1:3])


def test_an_array_in_a_group_is_named_by_group_and_name(h5py, array, tmp_path):
    with h5py.File("a.h5", "w") as file:
        file["net/layer1"] = array
        file["net/words"] = ["a", "b"]
    assert keys_of(Path("a.h5")) == ["net/layer1"]


def test_an_array_in_a_group_of_zarr_is_named_likewise(zarr, array):
    zarr.open_group("a.zarr", mode="w").create_array("net/layer1", data=array)
    assert keys_of(Path("a.zarr")) == ["net/layer1"]
    np.testing.assert_array_equal(array_of(Path("a.zarr"), "net/layer1")[2:4], array[2:4])


def test_matlab_text_beside_numbers_is_passed_over(array):
    scipy.io.savemat("a.mat", {"x": array, "who": "monkey"})
    assert keys_of(Path("a.mat")) == ["x"]


# Tables.


def test_cells_have_one_type_in_each_column(table):
    table("a.csv", image=["a", "none", "NA"], side=["1", "2", ""], x=["1", "2.5", "1e3"])
    assert columns_of(Path("a.csv")) == {
        "image": ["a", "none", "NA"],
        "side": [1, 2, None],
        "x": [1.0, 2.5, 1000.0],
    }


def test_a_table_is_the_same_from_csv_and_parquet(table):
    cells = {"image": ["a", "b"], "side": [1, 2], "x": [0.5, 1.5]}
    table("a.csv", **cells)
    pq.write_table(pa.table(cells), "a.parquet")
    assert columns_of(Path("a.csv")) == columns_of(Path("a.parquet")) == cells


def test_pandas_categories_are_texts_and_its_index_is_no_column():
    import pandas as pd

    frame = pd.DataFrame({"image": pd.Categorical(["b", "a", "b"])}, index=[5, 3, 1])
    frame.to_parquet("a.parquet")
    assert columns_of(Path("a.parquet")) == {"image": ["b", "a", "b"]}


def test_a_table_that_excel_saved_has_no_sign_before_its_first_column(tmp_path):
    Path("a.csv").write_bytes(b"\xef\xbb\xbfimage,side\r\na,1\r\n\r\n")
    assert columns_of(Path("a.csv")) == {"image": ["a"], "side": [1]}


# What is refused.


def refusal(path, key=None, of=array_of):
    with pytest.raises(Refused) as refused:
        of(Path(path), key) if of is array_of else of(Path(path))
    return str(refused.value)


def run(sentence):
    """Run the command that the refusal prints."""
    command = shlex.split(sentence[sentence.index("python -c") :])
    subprocess.run([sys.executable, *command[1:]], check=True)


@pytest.mark.parametrize(("suffix", "stored"), [("pkl", "an array"), ("pickle", "a dictionary")])
def test_a_pickle_is_refused_with_the_line_that_converts_it(suffix, stored, array):
    path = Path(f"a.{suffix}")
    path.write_bytes(pickle.dumps(array if stored == "an array" else {"layer1": array}))
    sentence = refusal(path)
    assert sentence.startswith(f"a.{suffix}: is a pickle, which may run any code")
    run(sentence)
    key = "array" if stored == "an array" else "layer1"
    np.testing.assert_array_equal(array_of(Path("a.npz"), key), array)


@pytest.mark.parametrize(("suffix", "stored"), [("pt", "an array"), ("pth", "a dictionary")])
def test_a_torch_file_is_refused_with_the_line_that_converts_it(suffix, stored, array):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(array).T.contiguous().T  # as views are
    torch.save(tensor if stored == "an array" else {"layer1": tensor}, f"a.{suffix}")
    sentence = refusal(f"a.{suffix}")
    assert "never read here" in sentence
    run(sentence)
    key = "array" if stored == "an array" else "layer1"
    np.testing.assert_array_equal(array_of(Path("a.safetensors"), key), array)


def test_an_array_of_objects_is_refused_with_the_line_that_converts_it(array):
    rows = np.empty(10, object)
    rows[:] = list(array)
    np.save("a.npy", rows)
    sentence = refusal("a.npy")
    assert sentence.startswith("a.npy: holds Python objects, which are pickled")
    run(sentence)
    np.testing.assert_array_equal(array_of(Path("a-plain.npy")), array)


def test_an_array_of_objects_in_an_npz_is_refused_with_its_line(array):
    rows = np.empty(10, object)
    rows[:] = list(array)
    np.savez("a.npz", layer1=rows)
    run(refusal("a.npz", "layer1"))
    np.testing.assert_array_equal(array_of(Path("a-layer1.npy")), array)


def test_a_dictionary_that_numpy_saved_is_refused_with_its_line(array):
    np.save("a.npy", {"layer1": array})
    run(refusal("a.npy"))
    np.testing.assert_array_equal(array_of(Path("a-plain.npz"), "layer1"), array)


def test_nothing_in_a_pickle_is_run(monkeypatch):
    class Trap:
        def __reduce__(self):
            return (Path("trapped").write_text, ("yes",))

    content = io.BytesIO()
    trap = np.empty(1, object)
    trap[0] = Trap()
    np.save(content, trap, allow_pickle=True)
    Path("a.npy").write_bytes(content.getvalue())
    with zipfile.ZipFile("a.npz", "w") as archive:
        archive.writestr("x.npy", content.getvalue())
    refusal("a.npy")
    refusal("a.npz", "x")
    assert not Path("trapped").exists()


@pytest.mark.parametrize(("suffix", "package"), [("h5", "h5py"), ("nc", "h5py"), ("zarr", "zarr")])
def test_a_missing_package_is_named_with_the_extra(suffix, package, monkeypatch):
    path = Path(f"a.{suffix}")
    path.mkdir() if suffix == "zarr" else path.write_bytes(b"")
    for name in ("h5", "hdf5", "nc", "zarr"):
        monkeypatch.delitem(sys.modules, f"repatlas.{PACKAGE}.{name}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(sys, "path", [])
    assert refusal(path) == (
        f'a.{suffix}: reading .{suffix} needs {package}: pip install "repatlas[files]"'
    )


SENTENCES = {
    "a.txt": (b"1 2 3", "found suffix 'txt', allowed: csv, h5, hdf5, mat, nc, npy, npz, parquet"),
    "a.npy": (b"no array", "damaged, or not what its name says"),
    "a.npz": (b"no archive", "damaged, or not what its name says"),
    "a.safetensors": (b"no tensors at all", "damaged, or not what its name says"),
    "a.mat": (b"no matrices" * 20, "damaged, or not what its name says"),
    "a.parquet": (b"no table", "damaged, or not what its name says"),
    "a.csv": (b"x;y\n1;2\n", "found columns separated by ';', allowed: ','"),
    "b.csv": (b"x,y\n1\n", "found 1 cells in line 2, allowed: 2, one for each column"),
    "c.csv": (b"x,x\n1,2\n", "found several columns named 'x', allowed: one"),
    "d.csv": (b"x,y\n", "found 1 lines, allowed: names of columns and rows"),
    "e.csv": (b"x,y\n1,\xff\n", "found another encoding, allowed: UTF-8"),
    "f.csv": (b"image,y\na,1\n", "found texts in column 'image', allowed in an array: numbers"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_file_that_is_not_what_its_name_says_is_refused(name):
    content, sentence = SENTENCES[name]
    Path(name).write_bytes(content)
    assert refusal(name).startswith(name)
    assert sentence in refusal(name)


def test_a_missing_file_is_refused():
    assert refusal("a.npy") == "a.npy: no such file"


CUT_SHORT = {
    "npy": "a.npy: cut short, 40 bytes are missing: save it again",
    "npz": "BadZipFile",
    "safetensors": "file not fully covered",
    "mat": "a.mat: damaged",
    "parquet": "ArrowInvalid",
    "h5": "truncated file",
}


@pytest.mark.parametrize("suffix", CUT_SHORT)
def test_a_file_that_was_cut_short_is_refused(suffix, array, request):
    if suffix == "h5":
        request.getfixturevalue("h5py")
    path = Path(f"a.{suffix}")
    WRITERS[suffix](path, array)
    path.write_bytes(path.read_bytes()[:-40])
    assert CUT_SHORT[suffix] in refusal(path, "x" if suffix != "npy" else None)


@pytest.mark.parametrize("suffix", ["npz", "safetensors", "mat"])
def test_an_array_that_is_not_in_the_file_is_refused_with_those_that_are(suffix, array):
    path = Path(f"a.{suffix}")
    WRITERS[suffix](path, array)
    assert "has no" in refusal(path, "y") and "found: 'x'" in refusal(path, "y")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (np.ones((2, 2), complex), "found complex numbers, allowed: real numbers"),
        (np.array([["a", "b"]]), "found the type <U1, allowed: real numbers"),
        (np.array(1.0), "found a single number, allowed: one row for each item"),
        (np.ones((0, 5)), "is empty, found shape (0, 5)"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(values, sentence):
    np.save("a.npy", values)
    assert refusal("a.npy").startswith(f"a.npy: {sentence}")


def test_cells_and_structures_of_matlab_are_refused_with_what_there_is():
    cells = np.empty((1, 2), object)
    cells[0] = [np.ones(3), np.ones(4)]
    scipy.io.savemat("a.mat", {"spikes": cells})
    assert "found spikes (cell), allowed: matrices of numbers" in refusal("a.mat", of=keys_of)


def test_matlab_7_3_is_refused_with_the_line_that_saves_it_otherwise():
    header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    Path("a.mat").write_bytes(header + b"\0" * 512)
    assert refusal("a.mat", of=keys_of) == (
        "a.mat: is a MATLAB file of version 7.3, allowed: up to 7; in MATLAB: save('a.mat', '-v7')"
    )


def test_netcdf_3_is_refused_with_the_command_that_converts_it(h5py, array):
    with scipy.io.netcdf_file("a.nc", "w") as file:
        file.createDimension("row", 3)
        file.createVariable("x", "f", ("row",))[:] = [1, 2, 3]
    assert "is a NetCDF-3 file, allowed: NetCDF-4; convert it with: nccopy" in refusal(
        "a.nc", of=keys_of
    )


@pytest.mark.parametrize("suffix", ["h5", "zarr"])
def test_a_container_without_numbers_is_refused(suffix, h5py, zarr):
    path = Path(f"a.{suffix}")
    if suffix == "h5":
        with h5py.File(path, "w") as file:
            file["words"] = ["a"]
    else:
        zarr.open_group(path, mode="w")
    assert refusal(path, of=keys_of) == f"a.{suffix}: found no array of numbers in it"


@pytest.mark.parametrize("suffix", ["h5", "zarr"])
def test_what_is_no_container_is_refused(suffix, h5py, zarr):
    path = Path(f"a.{suffix}")
    path.mkdir() if suffix == "zarr" else path.write_bytes(b"no")
    assert "damaged, or not what its name says" in refusal(path, of=keys_of)


def test_a_parquet_column_of_lists_is_refused():
    pq.write_table(pa.table({"x": [[1, 2], [3]]}), "a.parquet")
    assert "column 'x' is list" in refusal("a.parquet", of=columns_of)


def test_an_array_is_no_table(array):
    np.save("a.npy", array)
    assert refusal("a.npy", of=columns_of) == "a.npy: found no table, allowed: csv, parquet"


def test_a_parquet_array_whose_rows_have_names_is_refused_as_they_would_be_ignored():
    import pandas as pd

    frame = pd.DataFrame({"unit 0": [1.0, 2.0, 3.0], "unit 1": [0.0, 1.0, 0.0]})
    frame.to_parquet("a.parquet")
    assert array_of(Path("a.parquet"), None).shape == (3, 2)
    frame.loc[[1, 0, 2]].to_parquet("a.parquet")
    assert refusal("a.parquet").startswith(
        "a.parquet: has an index of pandas (__index_level_0__), and an array has no names of rows"
    )
    frame[::-1].to_parquet("a.parquet")
    assert "has an index of pandas (a range from 2 by -1)" in refusal("a.parquet")
    frame.set_axis([5, 6, 7]).rename_axis("image").to_parquet("a.parquet")
    assert "has an index of pandas (image)" in refusal("a.parquet")
