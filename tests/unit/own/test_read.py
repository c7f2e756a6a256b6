"""A file leads to the array that its own tool wrote, with names, or to one sentence."""

import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from repatlas.own import compare, measure, over_time, read
from repatlas.own.annotated import row_names, table_of
from repatlas.own.read import arrays_in

FILES = Path(__file__).parent / "files"
X = np.arange(24.0).reshape(8, 3)
NAMES = [f"image {n}" for n in range(8)]
h5py, xarray, zarr = map(pytest.importorskip, ("h5py", "xarray", "zarr"))


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refusal(*arguments):
    with pytest.raises(ValueError) as refused:
        read(*arguments)
    return str(refused.value)


def assembly(values=X):
    coordinates = {"image": NAMES, "side": ("image", ["left", "right"] * 4)}
    return xarray.DataArray(values, dims=("image", "unit"), coords=coordinates, name="rates")


def test_numpy(monkeypatch):
    np.save("x.npy", X)
    np.savez("x.npz", x=X, side=np.array(["left"] * 8), objects=np.array([{}, 1]))
    np.testing.assert_array_equal(read("x.npy"), X)
    np.testing.assert_array_equal(read("x.npz", "x"), X)
    assert read("x.npz", "side")[0] == "left"
    monkeypatch.setenv("HOME", str(Path.cwd()))
    assert read("~/x.npy").shape == X.shape


def test_pandas_with_the_names_of_its_rows():
    frame = pd.DataFrame(X, index=NAMES, columns=[*"abc"])
    frame.to_csv("x.csv")
    frame.to_parquet("x.parquet")
    for name in ("x.csv", "x.parquet"):
        pd.testing.assert_frame_equal(read(name), frame, check_index_type=False)


def test_an_index_that_counts_is_no_neuron():
    pd.DataFrame(X).to_csv("x.csv")
    assert read("x.csv").shape == (8, 3)
    for samples, labels in ((pd.read_csv("x.csv"), ["l", "r"] * 4), (X, pd.read_csv("x.csv"))):
        with pytest.raises(ValueError, match=r"pandas\.read_csv\(path, index_col=0\)"):
            measure(samples, labels, "trials", measures="decoding")
    assert pd.read_csv("x.csv", index_col=0).shape == (8, 3)


def test_labels_that_are_a_column_of_the_samples_are_refused_with_a_line_that_works():
    samples = pd.DataFrame(X, columns=[*"abc"]).assign(side=["l", "r"] * 4)
    options = {"measures": "decoding", "folds": 2, "draws": 9}
    with pytest.raises(ValueError) as refused:
        measure(samples, "side", "trials", **options)
    line = str(refused.value).partition("apart: ")[2].rstrip(".")
    given = eval(f"({line})", {"samples": samples})
    assert measure(*given, "trials", **options).n[0] == 8


def test_what_nobody_names_blocks_nothing():
    Path("rows.csv").write_text("side,note,note\n" + "l,,x\nr,1,y\n" * 4)
    found = measure(X, read("rows.csv"), "trials", "side", measures="decoding", folds=2, draws=9)
    assert found.n[0] == 8
    with pytest.raises(ValueError, match="two columns 'note'"):
        measure(X, read("rows.csv"), "trials", "note")


def test_a_table_of_bids_keeps_names_that_look_like_numbers():
    Path("events.tsv").write_text(
        "onset\tid\tversion\tcorrect\n0\t0001\t1.1\tTrue\n2\tn/a\t1.10\tFalse\n"
    )
    found = read("events.tsv")
    assert found.onset.tolist() == [0, 2] and found.id[0] == "0001" and pd.isna(found.id[1])
    assert found.version.tolist() == ["1.1", "1.10"] and found.correct.tolist() == [True, False]


def test_numbers_with_zeros_at_the_end_are_numbers_in_an_array():
    Path("x.csv").write_text("a,b\n0.10,1\n0.11,2\n0.12,4\n")
    twice = compare(read("x.csv"), np.array([[0.1, 1], [0.11, 2], [0.12, 4]]), draws=0)
    assert twice.value[0] == pytest.approx(1)


@pytest.mark.parametrize("lines", ["side,place\nl,1\nr\n", "side\nl\n\nr\n"])
def test_a_csv_whose_line_was_cut_short_is_refused(lines):
    Path("x.csv").write_text(lines)
    assert refusal("x.csv").startswith("x.csv: row 3 has ")


def test_a_csv_without_names_of_columns_is_refused_and_the_remedy_works():
    np.savetxt("x.csv", X, delimiter=",")
    assert "pandas.read_csv(path, header=None)" in refusal("x.csv")
    found = pd.read_csv("x.csv", header=None)
    assert measure(found, ["l", "r"] * 4, "trials", measures="decoding", folds=2, draws=9).n[0] == 8


@pytest.mark.parametrize("name", ["x.nc", "classic.nc", "x.zarr", "two.zarr"])
def test_xarray_keeps_axes_and_coordinates(name):
    engine = {"x.nc": "h5netcdf", "classic.nc": "scipy"}.get(name)
    if engine:
        assembly().to_netcdf(name, engine=engine)
    else:
        assembly().to_zarr(name, zarr_format=2 if name == "two.zarr" else 3)
    found = read(name)
    assert found.dims == ("image", "unit") and [*row_names(found)] == NAMES
    assert [*table_of(found).side[:2]] == ["left", "right"]
    np.testing.assert_array_equal(found, X)


def test_an_assembly_of_brain_score_is_named_by_its_coordinates():
    coordinates = {
        "stimulus_id": ("presentation", [f"im {n // 2}" for n in range(8)]),
        "repetition": ("presentation", [0, 1] * 4),
        "neuroid_id": ("neuroid", [*"abc"]),
    }
    dims = ("presentation", "neuroid", "time_bin")
    xarray.DataArray(X[:, :, None], dims=dims, coords=coordinates).to_netcdf("a.nc")
    found = read("a.nc")
    assert found.shape == (8, 3) and row_names(found)[2] == (0, "im 1")


@pytest.mark.parametrize("name", ["x.nc", "x.h5", "x.zarr"])
def test_what_a_file_marks_as_missing_is_missing(name):
    values = np.array([[120, 340], [-32768, 55], [80, 61]], np.int16)
    attributes = {"scale_factor": 0.01, "add_offset": 5.0, "_FillValue": -32768}
    if name == "x.zarr":
        zarr.open_group(name, mode="w").create_array("x", data=values).attrs.update(attributes)
    else:
        with h5py.File(name, "w") as file:
            file["x"] = values
            file["x"].attrs.update(attributes | {"_FillValue": np.int16(-32768)})
    np.testing.assert_allclose(read(name, "x"), [[6.2, 8.4], [np.nan, 5.55], [5.8, 5.61]])


@pytest.mark.parametrize("kind", ["f4", "i4"])
def test_numbers_of_netcdf_that_were_never_written_are_missing(kind):
    fill = {"f4": 9.969209968386869e36, "i4": -2147483647}[kind]
    with h5py.File("x.nc", "w") as file:
        x = file.create_dataset("x", (8, 3), kind, fillvalue=fill)
        for axis, name in enumerate(("item", "unit")):
            file[name] = np.arange(x.shape[axis])
            file[name].make_scale(name)
            x.dims[axis].attach_scale(file[name])
        x[:4] = 1
    assert np.isnan(read("x.nc")[4:]).all() and (read("x.nc")[:4] == 1).all()


def test_chunks_that_were_never_written_are_refused_or_missing():
    with h5py.File("x.h5", "w") as file:
        file.create_dataset("x", (8, 3), chunks=(2, 3))[:2] = 1
    shape = {"shape": (8, 3), "chunks": (2, 3), "dtype": "f8"}
    zarr.create_array("x.zarr", **shape)[:2] = 1
    zarr.create_array("nan.zarr", fill_value=np.nan, **shape)[:2] = 1
    assert "1 of its 4 chunks are in the file" in refusal("x.h5")
    assert "1 of its 4 chunks are in the file" in refusal("x.zarr")
    assert np.isnan(read("nan.zarr")[2:]).all()
    zarr.create_array("x.zarr", **shape, overwrite=True, config={"write_empty_chunks": True})[:] = 0
    assert read("x.zarr").shape == (8, 3)


def test_other_tools():
    np.testing.assert_array_equal(read(FILES / "rsatoolbox.hdf5"), X)
    assert [*read(FILES / "rsatoolbox.hdf5", "obs_descriptors/stim")[:2]] == ["im0", "im1"]
    np.testing.assert_array_equal(read(FILES / "session.nwb", "acquisition/lfp/data"), X / 2 + 1)
    assert [*read(FILES / "session.nwb", "intervals/trials/side")[:2]] == ["left", "right"]
    pytest.importorskip("anndata")
    cells = read(FILES / "cells.h5ad")
    np.testing.assert_array_equal(cells.X.toarray(), X)
    assert cells.obs_names[1] == "cell 1" and cells.obs.side.iloc[1] == "right"
    assert read(FILES / "cells.h5ad", "layers/raw").obs_names[1] == "cell 1"


def test_each_channel_of_nwb_has_its_own_conversion():
    with h5py.File("x.nwb", "w") as file:
        series = file.create_group("acquisition/lfp")
        series.attrs["neurodata_type"] = "ElectricalSeries"
        series["data"], series["channel_conversion"] = X, np.arange(X.shape[1])
        series["data"].attrs["conversion"] = 2.0
    np.testing.assert_array_equal(
        read("x.nwb", "acquisition/lfp/data"), 2 * X * np.arange(X.shape[1])
    )


def test_cells_of_matlab_7_3_are_texts():
    with h5py.File("x.h5", "w") as file:
        for name, text in (("a", "left"), ("b", "right")):
            cell = file.create_dataset(f"#refs#/{name}", data=[[ord(sign)] for sign in text])
            cell.attrs["MATLAB_class"] = np.bytes_("char")
        places = [[file["#refs#/a"].ref, file["#refs#/b"].ref]]
        side = file.create_dataset("side", data=places, dtype=h5py.ref_dtype)
        side.attrs["MATLAB_class"] = np.bytes_("cell")
    assert read("x.h5", "side").tolist() == ["left", "right"]


@pytest.mark.parametrize("attribute", ["MATLAB_empty", "MATLAB_object_decode"])
def test_numbers_that_stand_for_something_else_in_matlab_7_3_are_refused(attribute):
    with h5py.File("x.h5", "w") as file:
        file["x"] = [[0, 5]]
        file["x"].attrs.update({"MATLAB_class": np.bytes_("table"), attribute: 1})
    with pytest.raises(ValueError, match=r"x.h5/x: is empty or a table"):
        read("x.h5", "x")


def test_matrices_in_cells_of_matlab_are_refused():
    from scipy.io import savemat

    savemat("x.mat", {"trials": np.array([X, X[:2]], object)})
    with pytest.raises(ValueError, match=r"x.mat/trials: has a matrix of \(\d, 3\) in a cell"):
        read("x.mat", "trials")


@pytest.mark.parametrize("name", ["x.mat", "x.h5"])
def test_matlab_7_3_counts_axes_the_other_way_round(name):
    with h5py.File(name, "w", userblock_size=512) as file:
        file["x"] = X.T
        file["x"].attrs["MATLAB_class"] = np.bytes_("double")
    with open(name, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    np.testing.assert_array_equal(read(name), X)


def test_matlab_7():
    from scipy.io import savemat
    from scipy.sparse import csc_matrix

    savemat("x.mat", {"x": X, "s": csc_matrix(X), "side": np.array(["left", "right"], object)})
    np.testing.assert_array_equal(read("x.mat", "x"), X)
    np.testing.assert_array_equal(read("x.mat", "s"), X)
    assert read("x.mat", "side").tolist() == ["left", "right"]


PICKLES = {
    "a list of tensors": "[torch.ones(4, 2), torch.ones(4, 3)]",
    "numbers as keys": "{1: {'mean': torch.ones(4, 2).bfloat16()}, 2: 'a text', 'n': 7, 'm': None}",
    "features of platonic-rep": "{'feats': torch.ones(4, 3, 8), 'num_params': 7, 'mask': None}",
    "a tensor with a gradient": "torch.ones(4, 2, requires_grad=True)",
}


@pytest.mark.parametrize("what", PICKLES)
def test_the_line_that_refused_tensors_suggest_works(what):
    torch = pytest.importorskip("torch")
    torch.save(eval(PICKLES[what], {"torch": torch}), "x.pt")
    _run(re.search("python -c .*", refusal("x.pt"))[0])
    names = {
        "a list of tensors": ["0", "1"],
        "numbers as keys": ["1/mean", "n"],
        "features of platonic-rep": ["feats", "num_params"],
        "a tensor with a gradient": ["array"],
    }
    assert arrays_in("x-arrays.npz") == names[what]
    assert len(read("x-arrays.npz", names[what][0])) == 4


@pytest.mark.parametrize("value", [{"x": X, "side": ["l", "r"]}, [[1.0, 2.0], [3.0, 4.0]]])
def test_the_line_that_refused_objects_suggest_works(value):
    np.save("x.npy", np.array(value, dtype=object))
    np.savez("y.npz", x=X, objects=np.array(value, dtype=object))
    _run(re.search("python -c .*", refusal("x.npy"))[0])
    _run(re.search("python -c .*", refusal("y.npz", "objects"))[0])
    Path("z.pkl").write_bytes(pickle.dumps(value))
    _run(re.search("python -c .*", refusal("z.pkl"))[0])
    pytest.importorskip("joblib").dump(value, "j.joblib")
    _run(re.search("python -c .*", refusal("j.joblib"))[0])
    for name in ("x-arrays.npz", "y-objects-arrays.npz"):
        assert arrays_in(name) == (["x"] if isinstance(value, dict) else ["array"])


def _run(line):
    line = line.replace("python", sys.executable, 1)
    made = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


FORMATS = ("npy", "npz", "parquet", "mat", "h5", "nc", "h5ad", "safetensors")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_damaged_file_is_one_sentence_with_the_reason_of_the_library(suffix):
    Path(f"x.{suffix}").write_bytes(b"no such format" * 100)
    said = refusal(f"x.{suffix}")
    assert said.startswith(f"x.{suffix}: cannot be read (") and "\n" not in said


def test_what_is_no_file_is_refused():
    assert refusal("x.npy") == "x.npy: no such file"
    assert refusal("x.xlsx").startswith("x.xlsx: found suffix 'xlsx', allowed: npy, npz, csv")
    np.savez("x.npz", a=X, b=X)
    assert refusal("x.npz").endswith("allowed: one, or its name, as x.npz/a")


def test_rows_of_assemblies_are_matched_by_name_and_axes_by_theirs():
    noisy = X + np.random.default_rng(0).standard_normal(X.shape)
    a, b = assembly(noisy), assembly()
    expected = compare(noisy, X, draws=0).value[0]
    assert compare(a, b[::-1], draws=0).value[0] == pytest.approx(expected)
    turned = {"turned": b.transpose("unit", "image")}
    with pytest.raises(ValueError, match=r"b\['turned'\]\.transpose\('image', \.\.\.\)"):
        compare(a, turned, draws=0)
    assert compare(a, turned["turned"].transpose("image", ...), draws=0).value[0] == expected
    found = measure(b[::-1], "side", "trials", measures="decoding", folds=2, draws=9)
    assert found.about[0] == "side" and found.n[0] == 8


def test_arrays_of_xarray_with_more_axes_are_matched_by_name_over_time_and_stacked():
    x, order = np.random.default_rng(0).standard_normal((40, 3, 2)), np.arange(40)[::-1]
    side = np.tile(["left", "right"], 20)
    coordinates = {"trial": [f"t{n}" for n in range(40)], "side": ("trial", side)}
    found = xarray.DataArray(x, dims=("trial", "unit", "time"), coords=coordinates)
    expected = over_time(x, side, draws=5).value
    labels = pd.Series(side, index=found.trial.to_numpy()).iloc[order]
    np.testing.assert_array_equal(over_time(found, labels, draws=5).value, expected)
    with pytest.raises(ValueError, match=r"stack\(feature=\[\"unit\", \"time\"\]\)"):
        compare(found, x)
    stacked = found.stack(feature=["unit", "time"])[order]
    assert compare(stacked, found[:, :, 0], draws=0).n[0] == 40
