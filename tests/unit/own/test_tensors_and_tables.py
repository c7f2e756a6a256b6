"""Tensors of torch, also on a GPU, and AnnData go into every function as they are."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from repatlas.geometry import centred_kernel
from repatlas.own import ceiling_of_trials, compare, measure

RNG = np.random.default_rng(0)
SIDE, PLACE = np.tile([0, 1], 40), np.repeat([0, 1], 40)
RATES = np.column_stack([SIDE, PLACE]) @ RNG.standard_normal((2, 8)) + RNG.standard_normal((80, 8))
RUNS = np.repeat(np.arange(8), 10)


class OnGPU:
    """A tensor that numpy cannot read before it is on the CPU and has no gradient, as torch's."""

    def __init__(self, array, kept=("detach", "cpu")):
        self.array, self.kept = array, kept
        self.dtype, self.shape = array.dtype, array.shape

    def detach(self):
        return OnGPU(self.array, [each for each in self.kept if each != "detach"])

    def cpu(self):
        return OnGPU(self.array, [each for each in self.kept if each != "cpu"])

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        if self.kept:
            raise TypeError(f"can't convert cuda:0 device type tensor to numpy. Use {self.kept}")
        return np.array(self.array, dtype)


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


def test_a_tensor_on_a_gpu_is_measured_and_compared_as_its_numbers():
    labels = np.column_stack([SIDE, PLACE])
    expected = measure(RATES, labels, "trials", None, ["ccgp"], draws=9)
    found = measure(OnGPU(RATES), OnGPU(labels), "trials", None, ["ccgp"], draws=9)
    pd.testing.assert_frame_equal(found, expected)
    pairs = compare(OnGPU(RATES), {"same": OnGPU(RATES)}, ["procrustes"], draws=2)
    assert pairs.value[0] == pytest.approx(1)
    found = ceiling_of_trials(OnGPU(RATES), OnGPU(np.arange(80) % 20), splits=2)
    pd.testing.assert_frame_equal(found, ceiling_of_trials(RATES, np.arange(80) % 20, splits=2))


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
