"""Tensors of torch, also on a GPU, and AnnData go into every function as they are."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from repatlas.geometry import centred_kernel
from repatlas.own import (
    ceiling_of_trials,
    ceiling_of_units,
    compare,
    decoding_ceiling_of_trials,
    measure,
    over_time,
    plot_layers,
    prepare,
)

RNG = np.random.default_rng(0)
SIDE, PLACE = np.tile([0, 1], 40), np.repeat([0, 1], 40)
RATES = np.column_stack([SIDE, PLACE]) @ RNG.standard_normal((2, 8)) + RNG.standard_normal((80, 8))
RUNS = np.repeat(np.arange(8), 10)
LABELS = np.column_stack([SIDE, PLACE])
PARTS = {"one": slice(0, 3), "two": slice(3, 6), "three": slice(4, 8)}


def on_gpu(array):
    """Return a tensor of torch whose device is cuda:0. It has no values for numpy until it is
    copied to the CPU, as on a machine with a GPU, and any other operation fails."""
    torch = pytest.importorskip("torch")

    class OnGPU(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
            operations, kwargs = torch.ops.aten, kwargs or {}
            if operation is operations.detach.default:
                return on_gpu(args[0].values)
            assert operation is operations._to_copy.default, f"{operation} on the GPU"
            assert kwargs["device"] == torch.device("cpu")
            return args[0].values

    values = torch.as_tensor(array)
    shape, dtype = values.shape, values.dtype
    tensor = torch.Tensor._make_wrapper_subclass(OnGPU, shape, dtype=dtype, device="cuda:0")
    tensor.values = values
    return tensor


class Annotated:
    """What AnnData has of a matrix, its rows and their columns."""

    def __init__(self, matrix, obs):
        self.X, self.obs, self.obs_names = matrix, obs, obs.index
        self.var_names = [f"gene {number}" for number in range(matrix.shape[1])]


def annotated(matrix, obs):
    """Return an AnnData, or what it has where the package is missing."""
    try:
        from anndata import AnnData
    except ImportError:
        return Annotated(matrix, obs)
    return AnnData(matrix, obs=obs)


TABLE = pd.DataFrame({"side": SIDE, "place": PLACE, "run": RUNS})


def test_numpy_cannot_read_the_tensor_that_stands_for_one_on_a_gpu():
    with pytest.raises(RuntimeError):
        np.asarray(on_gpu(RATES))
    assert on_gpu(RATES).is_cuda


@pytest.mark.parametrize(
    "call",
    [
        lambda of: measure(of(RATES), of(LABELS), "trials", None, ["ccgp"], draws=9),
        lambda of: measure(of(RATES), of(SIDE), "items", None, ["alignment"], draws=9),
        lambda of: compare(of(RATES), {"other": of(RATES[:, :4])}, ["procrustes"], draws=2),
        lambda of: compare(of(RATES), prepare({"old": of(RATES[:, :4])}), draws=2),
        lambda of: ceiling_of_trials(of(RATES), of(np.arange(80) % 20), splits=2),
        lambda of: ceiling_of_units({name: of(RATES[:, part]) for name, part in PARTS.items()}),
        lambda of: decoding_ceiling_of_trials(of(RATES), of(LABELS), splits=2),
        lambda of: over_time(of(RATES.reshape(80, 4, 2)), of(SIDE), draws=2),
    ],
    ids=["ccgp", "alignment", "compare", "prepare", "ceiling", "units", "decoding", "over_time"],
)
def test_a_tensor_on_a_gpu_is_taken_as_its_numbers(call):
    pd.testing.assert_frame_equal(call(on_gpu), call(np.asarray))


def test_a_tensor_with_a_gradient_is_taken_and_keeps_it():
    torch = pytest.importorskip("torch")
    samples = torch.tensor(RATES, requires_grad=True)
    found = measure(samples, torch.tensor(SIDE), "trials", None, ["decoding"], draws=9)
    expected = measure(RATES, SIDE, "trials", None, ["decoding"], draws=9)
    pd.testing.assert_frame_equal(found, expected)
    assert samples.requires_grad and samples.is_leaf


def test_bfloat16_has_the_numbers_of_its_float32():
    torch = pytest.importorskip("torch")
    half = torch.tensor(RATES).to(torch.bfloat16)
    assert np.array_equal(centred_kernel(half), centred_kernel(half.float()))


@pytest.mark.parametrize("names", ["cells", "counted"])
def test_columns_of_anndata_are_labels_by_their_names(names):
    index = [f"cell {n}" if names == "cells" else str(n) for n in range(80)]
    data = annotated(RATES, TABLE.set_axis(index, axis=0))
    expected = measure(
        RATES, TABLE[["side", "place"]], "trials", None, ["ccgp", "decoding"], draws=9, blocks=RUNS
    )
    found = measure(
        data, ["side", "place"], "trials", None, ["ccgp", "decoding"], draws=9, blocks="run"
    )
    pd.testing.assert_frame_equal(found, expected)
    one = measure(data, "side", "trials", None, ["decoding"], draws=9)
    assert one.about.tolist() == ["side"]


def test_rows_of_anndata_are_matched_by_their_names():
    data = annotated(RATES, TABLE.set_axis([f"cell {n}" for n in range(80)], axis=0))
    other = pd.DataFrame(RATES, data.obs_names).sample(frac=1, random_state=0)
    assert compare(data, other, ["procrustes"], draws=2).value[0] == pytest.approx(1)
    shuffled = data.obs[["side"]].sample(frac=1, random_state=0)
    found = measure(data, shuffled, "trials", None, ["decoding"], draws=9)
    expected = measure(RATES, TABLE[["side"]], "trials", None, ["decoding"], draws=9)
    pd.testing.assert_frame_equal(found, expected)


def test_a_sparse_matrix_of_anndata_is_measured():
    from scipy.sparse import csr_matrix

    counts = RNG.poisson(1.0, (80, 8)).astype(float)
    data = annotated(csr_matrix(counts), TABLE.set_axis([f"cell {n}" for n in range(80)], axis=0))
    assert compare(data, {"dense": pd.DataFrame(counts, data.obs_names)}, ["procrustes"],
                   draws=2).value[0] == pytest.approx(1)  # fmt: skip


def test_a_column_that_anndata_lacks_is_refused_with_those_that_it_has():
    data = annotated(RATES, TABLE.set_axis([f"cell {n}" for n in range(80)], axis=0))
    with pytest.raises(ValueError) as refused:
        measure(data, "choice", "trials")
    assert str(refused.value) == (
        "labels has 'choice'; samples.obs has 'side', 'place', 'run'."
    )  # fmt: skip


def test_neither_torch_nor_anndata_is_imported():
    code = (
        "import sys, numpy as np\nfrom repatlas.own import compare\n"
        "compare(np.eye(12), np.eye(12), draws=2)\n"
        "sys.exit(bool({'torch', 'anndata'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


ODD = {
    "two names that are written alike": (
        lambda: compare({1: RATES, "1": RATES}),
        "a has two names that are written '1'",
    ),
    "a list of layers": (
        lambda: compare([RATES, RATES[:, :4]]),
        "a has one representation and b none; allowed are two or more, as a mapping",
    ),
    "a list of layers next to another": (
        lambda: compare([RATES, RATES[:, :4]], RATES),
        "a is a list of matrices; allowed is one matrix, or for compare and report a mapping",
    ),
    "layers in measure": (
        lambda: measure({"layer": RATES}, SIDE, "trials"),
        "samples is a mapping of 1; allowed is one representation",
    ),
    "two columns of one name": (
        lambda: measure(
            RATES, pd.DataFrame(np.column_stack([SIDE, PLACE]), columns=["s", "s"]), "trials"
        ),
        "labels has two columns 's'; rename one.",
    ),
    "a row for each variable": (
        lambda: measure(RATES, (SIDE, PLACE), "trials"),
        "labels['0'] has shape (2,); allowed is one value for each of the 80 samples, and in an",
    ),
    "a seed that is a text": (
        lambda: measure(RATES, SIDE, "trials", seed="today"),
        "seed is 'today'; allowed are whole numbers from 0.",
    ),
    "a seed below 0": (
        lambda: compare(RATES, RATES, seed=-1),
        "seed is -1; allowed are whole numbers from 0.",
    ),
    "no thread": (
        lambda: prepare({"layer": RATES}, threads=0),
        "threads is 0; allowed are whole numbers from 1.",
    ),
    "similarities where measures are drawn": (
        lambda: plot_layers({"layer": compare(RATES, RATES, draws=2)}),
        "found is no result of measure: it needs measure, about",
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_input_is_refused_in_a_sentence(case):
    call, sentence = ODD[case]
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value).startswith(sentence)


def test_one_name_of_a_measure_or_of_a_variable_needs_no_list():
    labels = {"side": SIDE, "place": PLACE}
    found = measure(RATES, labels, "trials", "side", "decoding", draws=2)
    assert found[["measure", "about"]].to_numpy().tolist() == [["decoding", "side"]]
    assert compare(RATES, RATES, "procrustes", draws=2).measure.tolist() == ["procrustes"]
    assert ceiling_of_trials(RATES, np.arange(80) % 20, "predictivity", splits=2).shape[0] == 1
