"""Rows with names are matched by name or refused, and never matched by position."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from repatlas.own import compare, measure

ROWS = 40
NAMES = [f"image {number}" for number in range(ROWS)]
SIDE = np.repeat(["left", "right"], ROWS // 2)
LAYER, NOISE = np.random.default_rng(0).standard_normal((2, ROWS, 4))
LAYER[SIDE == "right"] += 3


def similarity(a, b, **options):
    return compare(a, b, draws=0, **options).value[0]


def decoded(samples, labels):
    return measure(samples, labels, "items", measures=["decoding"], draws=1).value[0]


def shuffled(frame):
    return frame.sample(frac=1, random_state=0)


INDICES = {
    "0, 1, 2 ...": pd.RangeIndex(ROWS),
    "names": NAMES,
    "numbers with gaps": np.arange(ROWS) * 3,
    "two levels": pd.MultiIndex.from_product([["first", "second"], range(ROWS // 2)]),
    "times": pd.date_range("2024-01-01", periods=ROWS),
}


@pytest.mark.parametrize("kind", INDICES)
def test_compare_takes_rows_in_any_order(kind):
    a, b = (pd.DataFrame(x, index=INDICES[kind]) for x in (LAYER, LAYER + NOISE))
    expected = similarity(LAYER, LAYER + NOISE)
    assert similarity(a, b) == expected
    assert similarity(a, shuffled(b)) == expected
    assert similarity(a, b.sort_values(0)) == expected
    mask = LAYER[:, 0] > 1
    some = similarity(LAYER[mask], (LAYER + NOISE)[mask])
    assert similarity(a[mask], shuffled(b[mask])) == some


@pytest.mark.parametrize("kind", INDICES)
def test_measure_takes_labels_in_any_order(kind):
    samples = pd.DataFrame(LAYER, index=INDICES[kind])
    labels = pd.DataFrame({"side": SIDE, "more": np.arange(ROWS)}, index=INDICES[kind])[["side"]]
    expected = decoded(LAYER, SIDE)
    assert expected == 1
    assert decoded(samples, shuffled(labels)) == expected
    assert decoded(samples, {"side": shuffled(labels)["side"]}) == expected
    assert decoded(samples, shuffled(labels)["side"]) == expected


def test_all_representations_of_a_mapping_have_the_order_of_the_first():
    frame = pd.DataFrame(LAYER, index=NAMES)
    noisy = pd.DataFrame(LAYER + NOISE, index=NAMES)
    found = compare({"one": frame, "two": shuffled(noisy)}, {"three": shuffled(frame)}, draws=0)
    assert found.value[0] == pytest.approx(1)
    assert found.value[1] == pytest.approx(similarity(noisy, frame))


def test_an_index_that_counts_from_0_is_matched_with_an_array_by_position():
    expected = similarity(LAYER, LAYER + NOISE)
    assert similarity(pd.DataFrame(LAYER), LAYER + NOISE) == expected
    assert similarity(LAYER, pd.DataFrame(LAYER + NOISE)) == expected
    assert decoded(LAYER, pd.DataFrame({"side": SIDE})) == 1
    assert decoded(pd.DataFrame(LAYER), SIDE.tolist()) == 1


FRAME = pd.DataFrame(LAYER, index=NAMES)
REFUSED = {
    "other names": (
        lambda: compare(pd.DataFrame(LAYER), FRAME),
        "b lacks 40 of the rows that the index of a names: 0, 1, 2, 3, 4, .... Both must have",
    ),
    "a row less": (
        lambda: compare(FRAME, FRAME[1:]),
        "b lacks 1 of the rows that the index of a names: 'image 0'. Both must have the same rows",
    ),
    "a row more": (
        lambda: compare(FRAME[1:], FRAME),
        "a lacks 1 of the rows that the index of b names: 'image 0'",
    ),
    "a row twice": (
        lambda: compare(FRAME, FRAME.iloc[[0, *range(ROWS - 1)]]),
        "b has 'image 0' more than once in its index. Rows are matched by their names",
    ),
    "levels and names": (
        lambda: compare(FRAME, FRAME.set_axis(INDICES["two levels"])),
        "b lacks 40 of the rows that the index of a names: 'image 0'",
    ),
    "numbers and text": (
        lambda: compare(FRAME.set_axis(range(ROWS)), FRAME.set_axis(map(str, range(ROWS)))),
        "b lacks 40 of the rows",
    ),
    "a shuffled frame and an array": (
        lambda: compare(LAYER, shuffled(pd.DataFrame(LAYER))),
        "b has names for its rows (its index) and a has none, so that rows cannot be matched. "
        "Give a as a data frame with the same index, or b.to_numpy() if",
    ),
    "an array and labels with names": (
        lambda: decoded(LAYER, {"side": pd.Series(SIDE, index=NAMES)}),
        "labels['side'] has names for its rows (its index) and samples has none",
    ),
    "samples with names and a list of labels": (
        lambda: decoded(FRAME, {"side": SIDE.tolist()}),
        "samples has names for its rows (its index) and labels['side'] has none",
    ),
    "labels of some rows": (
        lambda: decoded(FRAME, pd.DataFrame({"side": SIDE}, index=NAMES)[3:]),
        "labels['side'] lacks 3 of the rows that the index of samples names: 'image 0', 'image 1'",
    ),
    "two columns of other rows": (
        lambda: decoded(
            FRAME,
            {"side": pd.Series(SIDE, index=NAMES), "b": pd.Series(SIDE, index=[*NAMES[1:], "x"])},
        ),
        "labels['b'] lacks 1 of the rows that the index of samples names: 'image 0'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_rows_that_cannot_be_matched_are_refused(case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value).startswith(sentence)


def test_a_frame_of_polars_has_no_names_and_is_matched_by_position():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(LAYER)
    assert similarity(frame, LAYER + NOISE) == similarity(LAYER, LAYER + NOISE)
    assert decoded(frame, polars.DataFrame({"side": SIDE})) == 1


def test_arrays_need_no_pandas_to_be_matched():
    program = (
        "import sys, numpy as np; from repatlas.own.rows import matched_rows; "
        "matched_rows({'a': np.eye(3), 'b': [1, 2, 3]}); assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
