"""What other tools leave on disk, as files that a config can name."""

import csv
import pickle
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import yaml

from repatlas.__main__ import COMMANDS, main
from repatlas.experiments.files.convert import PACKAGE, convert
from repatlas.experiments.files.spec import Representations
from repatlas.named import names
from repatlas.record import Refused

IMAGES = ["cat.jpg", "dog.jpg", "cow.jpg"]
FEATURES = np.arange(12, dtype=np.float32).reshape(3, 4)


def converted(kind, source="in", target="out"):
    return convert(kind, Path(source), Path(target))


def refusal(kind, source="in"):
    with pytest.raises(Refused) as refused:
        converted(kind, source)
    assert not Path("out").exists()
    return str(refused.value)


def rows(path="out/rows.csv"):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_names(folder="in", names=IMAGES):
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder, "file_names.txt").write_text("".join(f"data/{name}\n" for name in names))


def test_every_conversion_is_tried_here():
    assert set(names(PACKAGE)) == {
        "brainscore",
        "decodanda",
        "net2brain",
        "rsatoolbox",
        "thingsvision",
    }


# thingsvision.


def save_npy(folder):
    np.save(f"{folder}/features.npy", FEATURES)


def save_txt(folder):
    np.savetxt(f"{folder}/features.txt", FEATURES)


def save_mat(folder):
    """Save a matrix for each image, under the image's name without suffix."""
    pairs = zip(("data/cat", "data/dog", "data/cow"), FEATURES, strict=True)
    scipy.io.savemat(f"{folder}/features.mat", dict(pairs), long_field_names=True)


def save_splits(folder):
    for number, rows_of in enumerate(([0], [1, 2]), start=1):
        np.save(f"{folder}/features_{number:02d}.npy", FEATURES[rows_of])


def save_pieces(folder):
    for first in (1, 2, 0):
        np.save(f"{folder}/features_{first}-{first + 1}.npy", FEATURES[first : first + 1])


@pytest.mark.parametrize("save", [save_npy, save_txt, save_mat, save_splits, save_pieces])
def test_features_of_thingsvision_are_one_array_in_the_order_of_the_names(save):
    write_names()
    save("in")
    converted("thingsvision")
    np.testing.assert_array_equal(np.load("out/features.npy"), FEATURES)
    assert [row["image"] for row in rows()] == IMAGES


def test_features_of_thingsvision_in_hdf5_are_read_too(h5py):
    write_names()
    with h5py.File("in/features.hdf5", "w") as file:
        file["features"] = FEATURES
    converted("thingsvision")
    np.testing.assert_array_equal(np.load("out/features.npy"), FEATURES)


def test_modules_of_thingsvision_are_layers():
    write_names()
    for module in ("features.0", "classifier.1"):
        Path("in", module).mkdir()
        save_pieces(f"in/{module}")
    found = converted("thingsvision")
    assert set(found.shapes) == {"features.0.npy", "classifier.1.npy"}


def test_classes_of_images_with_the_same_names_keep_their_folders():
    write_names(names=["cat/1.jpg", "dog/1.jpg", "dog/2.jpg"])
    save_npy("in")
    converted("thingsvision")
    assert [row["image"] for row in rows()] == [
        f"data/{n}" for n in ("cat/1.jpg", "dog/1.jpg", "dog/2.jpg")
    ]


def test_features_without_names_are_refused():
    Path("in").mkdir()
    save_npy("in")
    assert refusal("thingsvision").startswith(
        "in/file_names.txt: no such file; without it nobody knows which row is which image"
    )


def test_another_number_of_names_is_refused():
    write_names(names=IMAGES[:2])
    save_npy("in")
    assert refusal("thingsvision") == "in: has 3 rows and in/file_names.txt 2 names"


def test_a_piece_that_is_missing_is_refused():
    write_names()
    np.save("in/features_0-1.npy", FEATURES[:1])
    np.save("in/features_2-3.npy", FEATURES[2:])
    assert refusal("thingsvision") == (
        "in: features_2-3.npy does not follow features_0-1.npy: a piece is missing"
    )


def test_a_first_piece_that_is_missing_is_refused():
    write_names()
    np.save("in/features_2-3.npy", FEATURES[2:])
    assert refusal("thingsvision") == "in: features_2-3.npy is not the first piece: one is missing"


def test_features_twice_are_refused():
    write_names()
    save_npy("in")
    save_pieces("in")
    assert refusal("thingsvision") == (
        "in: found features in one file and in pieces, allowed: either"
    )


def test_no_features_are_refused():
    write_names()
    assert refusal("thingsvision").startswith("in: no features found, allowed: features.npy")


def test_torch_features_are_refused_with_the_line_after_which_they_are_read():
    torch = pytest.importorskip("torch")
    write_names()
    torch.save(torch.from_numpy(FEATURES), "in/features.pt")
    sentence = refusal("thingsvision")
    command = shlex.split(sentence[sentence.index("python -c") :])
    subprocess.run([sys.executable, *command[1:]], check=True)
    converted("thingsvision")
    np.testing.assert_array_equal(np.load("out/features.npy"), FEATURES)


# Net2Brain.


def net2brain_by_item(layers=("conv1", "fc")):
    Path("in").mkdir()
    for n, image in enumerate(["img10.jpg", "img9.jpg"]):
        arrays = {layer: np.full((1, 2, 3), 10 * n + k) for k, layer in enumerate(layers)}
        np.savez_compressed(f"in/{image}.npz", **arrays)


def net2brain_by_layer():
    Path("in").mkdir()
    for k, layer in enumerate(("conv1", "fc")):
        arrays = {f"img{i}.jpg": np.full((1, 2, 3), 10 * n + k) for n, i in enumerate((10, 9))}
        np.savez_compressed(f"in/{layer}.npz", **arrays)


@pytest.mark.parametrize("save", [net2brain_by_item, net2brain_by_layer])
def test_features_of_net2brain_are_an_array_for_each_layer(save):
    save()
    found = converted("net2brain")
    assert found.shapes == {"conv1.npy": (2, 2, 3), "fc.npy": (2, 2, 3)}
    assert [row["stimulus"] for row in rows()] == ["img9.jpg", "img10.jpg"]
    np.testing.assert_array_equal(np.load("out/fc.npy")[:, 0, 0], [11, 1])


def test_an_item_that_lacks_a_layer_is_refused():
    net2brain_by_item()
    np.savez("in/img11.jpg.npz", conv1=np.zeros((1, 2, 3)))
    assert refusal("net2brain") == "in: 'img11.jpg' lack layer 'fc', allowed: all items"


def test_items_of_another_shape_are_refused():
    net2brain_by_item()
    np.savez("in/img11.jpg.npz", conv1=np.zeros((1, 2, 4)), fc=np.zeros((1, 2, 3)))
    assert "found shape (2, 4) and (2, 3) for the first item" in refusal("net2brain")


def test_items_that_look_like_layers_are_refused():
    Path("in").mkdir()
    np.savez("in/a.npz", b=np.zeros((1, 2)))
    assert refusal("net2brain").startswith("in: cannot tell items from layers in a.npz with 'b'")


def test_a_folder_without_features_is_refused():
    Path("in").mkdir()
    assert (
        refusal("net2brain") == "in: found no npz files, allowed: a folder of Net2Brain's features"
    )


# Brain-Score: the layout of xarray's to_netcdf.


@pytest.fixture
def assembly(h5py):
    def write(path="a.nc", axes=("presentation", "neuroid"), name="__xarray_dataarray_variable__"):
        values = FEATURES if axes[0] == "presentation" else FEATURES.T
        sizes = {"presentation": 3, "neuroid": 4, "time_bin": 1}
        with h5py.File(path, "w") as file:
            for dimension in axes:
                scale = file.create_dataset(dimension, data=np.zeros(sizes[dimension], ">f4"))
                scale.make_scale("This is a netCDF dimension but not a netCDF variable.")
            file[name] = values.reshape([sizes[dimension] for dimension in axes])
            words = h5py.string_dtype()
            for coordinate, dimension, cells in (
                ("stimulus_id", "presentation", np.array(IMAGES, dtype=words)),
                ("repetition", "presentation", np.array([0, 0, 1])),
                ("layer", "neuroid", np.array(["conv", "fc", "conv", "fc"], dtype=words)),
                ("neuroid_id", "neuroid", np.arange(4)),
            ):
                file[coordinate] = cells
                file[coordinate].dims[0].attach_scale(file[dimension])
            for number, dimension in enumerate(axes):
                file[name].dims[number].attach_scale(file[dimension])

    return write


@pytest.mark.parametrize("axes", [("presentation", "neuroid"), ("neuroid", "presentation")])
def test_layers_of_a_brain_score_assembly_are_arrays(assembly, axes):
    assembly(axes=axes)
    converted("brainscore", "a.nc")
    np.testing.assert_array_equal(np.load("out/conv.npy"), FEATURES[:, [0, 2]])
    np.testing.assert_array_equal(np.load("out/fc.npy"), FEATURES[:, [1, 3]])
    assert rows() == [
        {"stimulus_id": name, "repetition": str(n)}
        for name, n in zip(IMAGES, (0, 0, 1), strict=True)
    ]


def test_an_assembly_of_another_name_is_found(assembly):
    assembly(name="activations")
    assert set(converted("brainscore", "a.nc").shapes) == {"conv.npy", "fc.npy"}


def test_an_assembly_with_time_is_refused(assembly):
    assembly(axes=("presentation", "neuroid", "time_bin"))
    assert refusal("brainscore", "a.nc") == (
        "a.nc: found dimensions presentation, neuroid, time_bin, allowed: presentations and"
        " neuroid, without time"
    )


def test_a_pickled_assembly_is_refused_with_the_line_that_converts_it():
    Path("a.pkl").write_bytes(pickle.dumps({"data": [1]}))
    sentence = refusal("brainscore", "a.pkl")
    assert "never read here" in sentence and ".to_netcdf('a.nc')" in sentence


def test_the_layers_of_a_real_assembly_are_arrays(recordings, h5py):
    found = converted("brainscore", recordings / "alexnet.nc")
    assert found.shapes == {"features.12.npy": (1, 9216), "classifier.5.npy": (1, 4096)}
    with h5py.File(recordings / "alexnet.nc") as file:
        whole = file["__xarray_dataarray_variable__"][:]
    np.testing.assert_array_equal(np.load("out/classifier.5.npy"), whole[:, 9216:])
    assert rows()[0]["stimulus_path"].endswith("rgb.jpg")


# rsatoolbox.


@pytest.fixture
def dataset(h5py):
    def write(path="d.hdf5", kind="Dataset", values=FEATURES):
        with h5py.File(path, "w") as file:
            file.attrs["type"], file.attrs["rsatoolbox_version"] = kind, "0.3.2"
            file["measurements"] = values
            file["obs_descriptors/stim"] = np.array([b"cat", b"dog", b"cat"])
            file["obs_descriptors/run"] = [0, 0, 1]
            file["channel_descriptors/voxel"] = [7, 8, 9, 10]
            file.create_group("descriptors")

    return write


def test_a_dataset_of_rsatoolbox_is_an_array_with_its_descriptors(dataset):
    dataset()
    found = converted("rsatoolbox", "d.hdf5")
    np.testing.assert_array_equal(np.load("out/patterns.npy"), FEATURES)
    assert [row["stim"] for row in rows()] == ["cat", "dog", "cat"]
    assert [row["voxel"] for row in rows("out/channels.csv")] == ["7", "8", "9", "10"]
    assert "trials: true" in found.text(Path("out"))


def test_distances_are_refused(dataset):
    dataset(kind="RDMs")
    assert refusal("rsatoolbox", "d.hdf5") == (
        "d.hdf5: holds a RDMs of rsatoolbox, allowed: Dataset, TemporalDataset"
    )


def test_a_file_without_measurements_is_refused(h5py):
    with h5py.File("d.hdf5", "w") as file:
        file["x"] = FEATURES
    assert refusal("rsatoolbox", "d.hdf5").startswith("d.hdf5: no dataset of rsatoolbox (")


def test_a_pickled_dataset_is_refused_with_the_line_that_saves_it_otherwise():
    Path("d.pkl").write_bytes(pickle.dumps({}))
    assert refusal("rsatoolbox", "d.pkl").endswith(
        "load_dataset('d.pkl', 'pkl').save('d.hdf5', file_type='hdf5')\""
    )


# decodanda.


SESSION = {
    "raster": FEATURES,
    "letter": np.array(["A", "B", "A"]),
    "trial": np.array([1, 2, 3]),
}


@pytest.mark.parametrize("suffix", ["npz", "mat"])
def test_sessions_of_decodanda_are_arrays_with_their_labels(suffix):
    Path("in").mkdir()
    for name in ("m1", "m2"):
        if suffix == "npz":
            np.savez(f"in/{name}.npz", **SESSION)
        else:
            turned = {k: v if v.ndim == 2 else v[:, None] for k, v in SESSION.items()}
            scipy.io.savemat(f"in/{name}.mat", turned)
    found = converted("decodanda")
    np.testing.assert_array_equal(np.load("out/m2.npy"), FEATURES)
    assert [row["letter"] for row in rows("out/m2.csv")] == ["A", "B", "A"]
    assert "pool: session" in found.text(Path("out"))


def test_a_session_without_a_raster_is_refused():
    np.savez("s.npz", spikes=FEATURES)
    assert refusal("decodanda", "s.npz") == "s.npz: has no 'raster', found: 'spikes'"


def test_labels_of_another_length_are_refused():
    np.savez("s.npz", **SESSION | {"trial": np.arange(2)})
    assert refusal("decodanda", "s.npz") == "s.npz: 'trial' has 2 values for 3 rows"


def test_a_pickled_session_is_refused_with_the_line_after_which_it_is_read():
    Path("s.pickle").write_bytes(pickle.dumps(SESSION))
    sentence = refusal("decodanda", "s.pickle")
    command = shlex.split(sentence[sentence.index("python -c") :])
    subprocess.run([sys.executable, *command[1:]], check=True)
    converted("decodanda", "s.npz")
    np.testing.assert_array_equal(np.load("out/s.npy"), FEATURES)


def test_labels_as_objects_are_refused_with_the_line_after_which_they_are_read():
    np.savez("s.npz", **SESSION | {"letter": np.array(["A", "B", "A"], object)})
    sentence = refusal("decodanda", "s.npz")
    command = shlex.split(sentence[sentence.index("python -c") :])
    subprocess.run([sys.executable, *command[1:]], check=True)
    converted("decodanda", "s-plain.npz")
    assert [row["letter"] for row in rows("out/s-plain.csv")] == ["A", "B", "A"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a.txt", "in/a.txt: found suffix 'txt', allowed: "),
        ("a.npy", "in/a.npy: found no session, allowed: npz, mat"),
        (None, "in: found no sessions, allowed: npz or mat files"),
    ],
)
def test_what_is_no_session_is_refused(name, sentence):
    Path("in").mkdir()
    if name:
        np.save(Path("in", name), FEATURES)
        Path("in", name).touch()
        Path("in", f"{name}.npy").unlink(missing_ok=True)
    assert refusal("decodanda").startswith(sentence)


# The command.


def test_the_command_prints_what_a_config_says(monkeypatch, capsys):
    net2brain_by_item()
    monkeypatch.setattr(sys, "argv", ["repatlas", "convert", "net2brain", "in", "out"])
    main()
    said = yaml.safe_load(capsys.readouterr().out)["representations"]["out"]
    specs = Representations.model_validate(said).grid("out").specs()
    assert [spec.columns["layer"] for spec in specs] == ["conv1", "fc"]
    assert said["item"] == "stimulus" and said["reduction"] == "pooled"


def test_the_command_is_one_of_the_project():
    assert COMMANDS["convert"] == "experiments.files.convert"


def test_a_refusal_of_the_command_is_one_sentence(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["repatlas", "convert", "net2brain", "in", "out"])
    with pytest.raises(SystemExit, match=r"^repatlas convert: error: in: no such file or folder$"):
        main()


def test_a_folder_with_something_in_it_is_refused():
    net2brain_by_item()
    Path("out").mkdir()
    Path("out/mine.npy").touch()
    with pytest.raises(Refused, match=r"^out: already exists; name a new or an empty folder$"):
        converted("net2brain")
