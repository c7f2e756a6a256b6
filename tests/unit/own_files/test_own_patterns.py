"""Patterns of files: each name in braces becomes a column of every result."""

from pathlib import Path

import numpy as np
import pytest

from repatlas.experiments.files.pattern import braces, places
from repatlas.record import Refused


def save(*names):
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        np.save(name, np.zeros((2, 2)))


def columns(pattern):
    return [place.columns for place in places(pattern)]


def refusal(pattern):
    with pytest.raises(Refused) as refused:
        places(pattern)
    return str(refused.value)


def test_braces_of_folders_and_files_are_columns():
    save("net/0/10/conv.npy", "net/0/10/fc.npy", "net/1/20/fc.npy")
    Path("net/1/20/fc.npy.bak").touch()
    assert columns("net/{seed}/{epoch}/{layer}.npy") == [
        {"seed": 0, "epoch": 10, "layer": "conv"},
        {"seed": 0, "epoch": 10, "layer": "fc"},
        {"seed": 1, "epoch": 20, "layer": "fc"},
    ]


def test_numbers_are_sorted_as_numbers_and_names_with_numbers_naturally():
    save(*(f"a/{epoch}-layer{layer}.npy" for epoch in (100, 20, 3) for layer in (10, 9)))
    assert columns("a/{epoch}-{layer}.npy") == [
        {"epoch": epoch, "layer": f"layer{layer}"} for epoch in (3, 20, 100) for layer in (9, 10)
    ]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["007", "8"], ["007", "8"]),
        (["1.10", "1.2"], ["1.2", "1.10"]),
        (["7", "8"], [7, 8]),
        (["0.5", "1"], [0.5, 1.0]),
        (["1e-3", "1e-2"], [0.001, 0.01]),
        (["1", "best"], ["1", "best"]),
        (["nan", "inf"], ["inf", "nan"]),
    ],
)
def test_values_are_whole_numbers_numbers_or_texts(texts, values):
    save(*(f"a/{text}.npy" for text in texts))
    found = [row["value"] for row in columns("a/{value}.npy")]
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_names_of_arrays_in_a_file_are_the_last_brace():
    np.savez("0.npz", conv=np.zeros((2, 2)), fc=np.zeros((2, 2)))
    np.savez("1.npz", conv=np.zeros((2, 2)))
    found = places("{seed}.npz/{layer}")
    assert [(*each.columns.values(), f"{each.path}/{each.key}") for each in found] == [
        (0, "conv", "0.npz/conv"),
        (0, "fc", "0.npz/fc"),
        (1, "conv", "1.npz/conv"),
    ]


def test_one_array_of_each_file_is_named_after_the_file():
    np.savez("0.npz", conv=np.zeros((2, 2)), fc=np.zeros((2, 2)))
    assert [place.key for place in places("{seed}.npz/fc")] == ["fc"]


def test_groups_in_a_file_may_have_braces(h5py):
    with h5py.File("a.h5", "w") as file:
        for seed in (0, 1):
            file[f"seed{seed}/fc"] = np.zeros((2, 2))
    assert columns("a.h5/seed{seed}/{layer}") == [
        {"seed": 0, "layer": "fc"},
        {"seed": 1, "layer": "fc"},
    ]


def test_a_folder_of_zarr_is_a_file(zarr):
    for seed in (0, 1):
        zarr.create_array(f"{seed}.zarr", data=np.zeros((2, 2)))
    assert columns("{seed}.zarr") == [{"seed": 0}, {"seed": 1}]


def test_a_brace_that_stands_twice_has_one_value():
    save("0/net-0.npy", "1/net-1.npy")
    assert columns("{seed}/net-{seed}.npy") == [{"seed": 0}, {"seed": 1}]


def test_hidden_files_are_no_arrays():
    save("a/0.npy", "a/._0.npy")
    assert columns("a/{seed}.npy") == [{"seed": 0}]


def test_a_pattern_without_braces_is_one_file():
    save("a.npy")
    assert columns("a.npy") == [{}]


def test_a_pattern_may_begin_at_the_root(tmp_path):
    save("a/0.npy")
    assert columns(f"{tmp_path}/a/{{seed}}.npy") == [{"seed": 0}]


def test_nothing_that_matches_is_refused_with_what_there_is(tmp_path):
    save("data/net/a.txt.npy", "data/net/b.npy")
    sentence = refusal("data/net/{seed}/{layer}.npy")
    assert sentence == (
        "arrays: no array matches 'data/net/{seed}/{layer}.npy'; the folder"
        f" {tmp_path}/data/net holds 'a.txt.npy', 'b.npy'"
    )


def test_two_files_of_one_value_are_refused():
    save("a/0.1.npy", "a/1e-1.npy")
    assert refusal("a/{rate}.npy") == (
        "arrays: a/0.1.npy and a/1e-1.npy both stand for rate=0.1; allowed: one array for each"
    )


def test_a_name_that_can_be_read_in_two_ways_is_refused():
    save("a/x-y-z.npy")
    assert refusal("a/{one}-{other}.npy") == (
        "pattern 'a/{one}-{other}.npy': 'a/x-y-z.npy' can be read in two ways, as one=x-y,"
        " other=z and as one=x, other=y-z: put a / or another sign between the braces"
    )


def test_a_name_in_a_file_of_one_array_is_refused():
    save("0.npy")
    assert refusal("{seed}.npy/{layer}").endswith(
        "0.npy is one array, allowed after its name: nothing"
    )


@pytest.mark.parametrize("pattern", ["a/{seed:03d}.npy", "a/{}.npy", "a/{my seed}.npy"])
def test_a_brace_that_is_no_name_is_refused(pattern):
    assert "allowed in braces: the name of a column" in refusal(pattern)


def test_a_brace_that_is_not_closed_is_refused():
    assert refusal("a/{seed.npy").endswith("found a brace that is not closed or not opened")


def test_braces_are_named_in_order():
    assert braces("{b}/{a}/{b}.npz/{c}") == ["b", "a", "c"]
