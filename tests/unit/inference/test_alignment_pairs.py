"""Alignment of many pairs with intervals: the fast form against the slow one, item by item."""

import re
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from selections import some

from repatlas.geometry import chance_alignment, kernel_alignment
from repatlas.inference import block_products, blocked
from repatlas.inference.alignment_pairs import aligned_pairs
from repatlas.inference.blocked import Blocked
from repatlas.inference.jackknife import jackknife_interval
from repatlas.own import compare

LATENT, *NOISE = np.random.default_rng(0).standard_normal((4, 103, 40))
NARROW = 5 + LATENT[:, :4] + 0.5 * NOISE[0][:, :4]
WIDE = LATENT @ np.random.default_rng(1).standard_normal((40, 300)) + 100
OTHER = NOISE[1][:, :7]
ARRAYS = [NARROW, WIDE, OTHER]


@pytest.fixture(autouse=True)
def without_warnings_of_few_items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def slow(x, y, **options):
    return jackknife_interval(
        lambda rows: kernel_alignment(x[rows], y[rows], debiased=True), len(x), **options
    )


def check(found, xs, ys, **options):
    for i, x in enumerate(xs):
        for j, y in enumerate(ys):
            expected = slow(x, y, **options)
            assert (found.value[i, j], found.low[i, j], found.high[i, j]) == pytest.approx(
                expected, abs=2e-6
            )
            assert found.plain[i, j] == pytest.approx(kernel_alignment(x, y), abs=2e-6)
            assert found.chance[i, j] == pytest.approx(chance_alignment(x, y), rel=2e-6)


@pytest.mark.parametrize("products", [block_products.PRODUCTS, 45], ids=["whole", "in parts"])
@pytest.mark.parametrize("held", [block_products.HELD, 0], ids=["held", "read again"])
@pytest.mark.parametrize("form", ["_feature_products", "_kernel_products"])
def test_it_is_the_jackknife_of_the_debiased_alignment(monkeypatch, form, held, products):
    """Products of features and of items agree, whether or not arrays and products fit in
    memory."""
    for module in (blocked, block_products):
        monkeypatch.setattr(module, "HELD", held)
    monkeypatch.setattr(block_products, "PRODUCTS", products)
    xs = [NARROW, OTHER] if form == "_feature_products" else ARRAYS
    forbidden = {"_feature_products", "_kernel_products"} - {form}
    monkeypatch.delattr(block_products, forbidden.pop())
    check(aligned_pairs(xs), xs, xs)


def test_blocks_seed_and_groups_are_those_of_the_jackknife():
    groups = np.arange(103) // 4
    for options in ({"blocks": 7}, {"seed": 5}, {"groups": groups, "seed": 2}):
        check(aligned_pairs([NARROW], [OTHER], **options), [NARROW], [OTHER], **options)


def test_a_representation_whose_items_are_dealt_otherwise_is_refused():
    with pytest.raises(ValueError, match="patterns was prepared with other blocks or another seed"):
        aligned_pairs([NARROW], [Blocked(OTHER, seed=3)])
    assert aligned_pairs([NARROW], [Blocked(OTHER, seed=3)], seed=3).value < 1


@pytest.mark.parametrize(
    "similarity",
    [lambda x, y: aligned_pairs([x], [y]), lambda x, y: compare(x, y, draws=2)],
    ids=["intervals", "p values"],
)
def test_what_was_read_of_a_file_is_given_back(similarity, tmp_path):
    """A mapped file of 40 MB has only a few pages in memory after it was read."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("no /proc to ask how much memory is of files")

    def mapped_memory():
        [kilobytes] = re.findall(r"RssFile:\s+(\d+) kB", status.read_text())
        return int(kilobytes) / 1024

    similarity(NARROW, NARROW)  # what it imports is of files, too
    np.save(tmp_path / "x.npy", np.ones((20_000, 500), np.float32) * np.arange(500.0, dtype="f4"))
    before = mapped_memory()
    x = np.load(tmp_path / "x.npy", mmap_mode="r")
    similarity(x, x[:, :3])
    assert mapped_memory() < before + 10


def test_units_offsets_and_kinds_of_numbers_change_nothing():
    expected = aligned_pairs([NARROW], [OTHER])
    scaled = aligned_pairs([1e-30 * NARROW], [1e30 * OTHER])
    assert scaled.low == pytest.approx(expected.low, abs=2e-6)
    for factor, offset in ((1, 1e5), (2.0**70, 0), (2.0**-140, 0)):
        single = (factor * (NARROW + offset)).astype(np.float32)
        same = aligned_pairs([single.astype(np.float64)], [OTHER])
        assert aligned_pairs([single], [OTHER]).value == pytest.approx(same.value, abs=1e-7)
    whole = np.random.default_rng(2).integers(0, 256, (100, 6), dtype=np.uint8)
    assert aligned_pairs([whole]).value == pytest.approx(aligned_pairs([whole * 1.0]).value)


def test_memory_goes_with_blocks_and_not_with_items_squared(monkeypatch):
    for module in (blocked, block_products):
        monkeypatch.setattr(module, "HELD", 2**18)
    x, y = np.random.default_rng(0).standard_normal((2, 20_000, 50), dtype=np.float32)
    tracemalloc.start()
    try:
        aligned_pairs([x], [y])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * x.nbytes  # 32 MB; a kernel of all items has 1.6 GB in single precision


def test_items_that_are_all_the_same_have_no_alignment_and_harm_no_other():
    found = aligned_pairs([NARROW, np.full((103, 3), 0.1)], [OTHER])
    assert some(np.isnan([found.value[1], found.low[1], found.high[1], found.plain[1]])).all()
    check(aligned_pairs([NARROW], [OTHER]), [NARROW], [OTHER])
    alone = aligned_pairs([NARROW], [OTHER]).value[0]
    assert found.value[0] == pytest.approx(alone, abs=1e-14)


@pytest.mark.parametrize("features", [6, 60])
def test_one_huge_activation_of_one_item_leaves_the_alignment_and_its_interval_exact(features):
    large = np.random.default_rng(0).standard_normal((103, features))
    large[3, 2] = 1e5
    found = aligned_pairs([large, NARROW], [OTHER])
    expected = kernel_alignment(large, OTHER, debiased=True)
    assert found.value[0, 0] == pytest.approx(expected, abs=1e-6)
    _, *ends = jackknife_interval(
        lambda rows: kernel_alignment(large[rows], OTHER[rows], debiased=True), 103
    )
    assert [found.low[0, 0], found.high[0, 0]] == pytest.approx(ends, abs=1e-5)
    alone = aligned_pairs([NARROW], [OTHER]).value[0]
    assert found.value[1] == pytest.approx(alone, abs=1e-14)


def test_five_groups_are_too_few_for_an_interval():
    found = aligned_pairs([NARROW], [OTHER], groups=np.arange(103) % 5)
    assert np.isnan(found.low) and np.isnan(found.high)
    assert found.value == pytest.approx(kernel_alignment(NARROW, OTHER, debiased=True), abs=2e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([NARROW, OTHER[:50]],), r"xs\[0\] has 103 items and xs\[1\] has 50; all must describe"),
        (([NARROW], [OTHER[:50]]), r"xs\[0\] has 103 items and ys\[0\] has 50; all must describe"),
        (([NARROW[:4]],), r"xs\[0\] has 4 items in 4 blocks, 3 without the largest; .* 4 or more"),
        (([],), "xs or ys is empty; allowed is one representation or more"),
        (([NARROW], [np.full((103, 2), np.nan)]), r"ys\[0\] holds NaN or infinite values"),
        (([NARROW], [OTHER[:, 0]]), r"ys\[0\] has shape \(103,\); allowed is a non-empty matrix"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        aligned_pairs(*arguments)


def test_threads_change_no_bit_of_the_results():
    layers = np.random.default_rng(0).standard_normal((6, 400, 30))
    for ys in (None, layers[2:]):
        one, three = (aligned_pairs(layers, ys, threads=threads) for threads in (1, 3))
        assert all(np.array_equal(a, b) for a, b in zip(one[:5], three[:5], strict=True))
