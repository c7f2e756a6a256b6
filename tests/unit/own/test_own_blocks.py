"""Rows of one run are not independent: folds, permutations and intervals keep runs together."""

import numpy as np
import pandas as pd
import pytest

from repatlas.geometry import balanced_ccgp, balanced_decoding, corrected_parallelism_score
from repatlas.inference.jackknife import jackknife_interval
from repatlas.inference.nulls import shuffle_null
from repatlas.own import compare, measure

EVERY = ["decoding", "ccgp", "parallelism", "dimensionality", "alignment"]
RUNS, ROWS, NEURONS = 8, 24, 12


def labels_of_runs(rng):
    """Return two variables, in a random order per run; four rows of a condition are together."""
    cells = np.array([(a, b) for a in "LR" for b in "uvw"])
    orders = [rng.permutation(cells) for _ in range(RUNS)]
    return np.concatenate([np.repeat(order, ROWS // len(cells), axis=0) for order in orders])


@pytest.fixture
def runs():
    return np.repeat([f"run {number}" for number in range(RUNS)], ROWS)


@pytest.fixture
def recording(runs):
    """Both variables are coded in parallel; each run has its drift."""
    rng = np.random.default_rng(0)
    table = labels_of_runs(rng)
    codes = np.column_stack([table[:, 0] == "R", table[:, 1] == "v", table[:, 1] == "w"])
    drift = np.repeat(rng.standard_normal((RUNS, NEURONS)), ROWS, axis=0)
    noise = rng.standard_normal((RUNS * ROWS, NEURONS))
    return codes @ rng.standard_normal((3, NEURONS)) + 0.5 * drift + noise, table


def test_no_run_is_in_a_fit_and_in_its_test(recording, runs, monkeypatch):
    samples, table = recording
    fitted, tested = [], []

    def scaling_of(rows, scale):
        fitted.append(rows)

        def scaled(rows):
            tested.append(rows)
            return rows

        return scaled, np.column_stack([rows, np.ones(len(rows))])

    monkeypatch.setattr("repatlas.geometry.balanced.scaled_with_ones", scaling_of)
    run_of = {row.tobytes(): run for row, run in zip(samples, runs, strict=True)}
    for score in (balanced_decoding, balanced_ccgp):
        score(samples, table, 0, folds=4, scale=None, resamples=2, blocks=runs)
    assert len(fitted) > 8
    for pair in zip(fitted, tested, strict=True):
        of_fit, of_test = ({run_of[row.tobytes()] for row in rows} for rows in pair)
        assert not of_fit & of_test


def test_what_a_run_has_in_common_is_not_decoded(runs):
    """Each condition has another pattern in each run, which tells nothing of other runs."""
    rng = np.random.default_rng(0)
    table = labels_of_runs(rng)
    pattern = {
        (run, *row): rng.standard_normal(40) for run in set(runs) for row in map(tuple, table)
    }
    samples = np.array(
        [pattern[run, *row] for run, row in zip(runs, map(tuple, table), strict=True)]
    )
    samples += 0.1 * rng.standard_normal(samples.shape)
    assert balanced_decoding(samples, table, 0).value > 0.95
    assert balanced_decoding(samples, table, 0, blocks=runs).value == pytest.approx(0.5, abs=0.15)


def test_all_rows_are_tested_and_each_condition_has_the_same_weight(runs):
    """The sign of the first feature says it all, except in one condition, where it is wrong."""
    table = labels_of_runs(np.random.default_rng(0))
    wrong = (table[:, 0] == "L") & (table[:, 1] == "u")
    side = np.where((table[:, 0] == "R") ^ wrong, 1.0, -1.0)
    found = balanced_decoding(side[:, None], table, 0, blocks=runs, folds=4)
    assert found.value == pytest.approx(5 / 6)


def test_measures_with_blocks_find_what_is_there(recording, runs):
    samples, table = recording
    found = measure(
        samples, pd.DataFrame(table, columns=["side", "place"]), "trials", None, EVERY, draws=39,
        blocks=runs,
    )  # fmt: skip
    own = found[found.about == "side"].set_index("measure")
    assert own.p[["decoding", "ccgp", "parallelism"]].tolist() == [1 / 40] * 3
    assert own.value["decoding"] > 0.75
    assert own.value["parallelism"] == pytest.approx(1, abs=0.15)
    assert own.low["parallelism"] < 1 < own.high["parallelism"]
    assert own.n["decoding"] == RUNS * ROWS
    assert "folds of blocks" in own.how["decoding"] and "folds of blocks" in own.how["ccgp"]


def test_labels_of_whole_runs_move_together(recording, runs):
    samples, table = recording
    seen = []

    def statistic(samples, labels):
        seen.append(labels.reshape(RUNS, ROWS, 2).tolist())
        return 0.0

    shuffle_null(statistic, samples, table, draws=5, blocks=runs)
    own = seen[0]
    for labels in seen[1:]:
        assert labels != own
        assert sorted(labels) == sorted(own)


def test_a_draw_that_cannot_be_scored_counts_as_large(recording, runs):
    samples, table = recording
    own = []

    def statistic(samples, labels):
        if own and labels.tolist() != own[0]:
            raise ValueError("a fold lacks a condition")
        own.append(labels.tolist())
        return 1.0

    assert shuffle_null(statistic, samples, table, draws=9, blocks=runs).p == 1.0


def test_intervals_leave_out_whole_runs(recording, runs):
    """Copies of the rows of a run do not make an interval shorter."""
    samples, table = recording
    labels = {"side": table[:, 0], "place": table[:, 1]}
    twice, of_both = np.repeat(samples, 3, axis=0), np.repeat(runs, 3)
    thrice = {name: np.repeat(column, 3) for name, column in labels.items()}
    once = measure(samples, labels, "trials", None, ["parallelism"], draws=1, blocks=runs)
    more = measure(twice, thrice, "trials", None, ["parallelism"], draws=1, blocks=of_both)
    plain = measure(twice, thrice, "trials", None, ["parallelism"], draws=1)
    assert (more.high - more.low).tolist() == pytest.approx((once.high - once.low).tolist())
    assert more.value.tolist() == pytest.approx(once.value.tolist())
    assert (plain.high - plain.low < 0.8 * (once.high - once.low)).all()


def test_items_of_a_film_stay_together_in_alignment_and_dimensionality(runs):
    rng = np.random.default_rng(0)
    film = np.repeat(rng.standard_normal((RUNS, NEURONS)), ROWS, axis=0)
    samples = film + 0.2 * rng.standard_normal((RUNS * ROWS, NEURONS))
    labels = {"kind": np.repeat(rng.permutation(["a", "b"] * 4), ROWS)}
    names = ["alignment", "dimensionality"]
    plain, kept = (
        measure(samples, labels, "items", None, names, draws=99, blocks=of).set_index("measure")
        for of in (None, runs)
    )
    assert plain.p["alignment"] == 0.01 and kept.p["alignment"] > 0.05
    assert kept.value.tolist() == pytest.approx(plain.value.tolist())
    for name in ("alignment", "dimensionality"):
        assert kept.high[name] - kept.low[name] > 2 * (plain.high[name] - plain.low[name])


def test_similarities_permute_whole_films(runs):
    """Frames of a film are alike in both representations, which share nothing else."""
    rng = np.random.default_rng(1)
    x, y = (
        np.repeat(rng.standard_normal((RUNS, 6)), ROWS, axis=0)
        + 0.3 * rng.standard_normal((RUNS * ROWS, 6))
        for _ in "xy"
    )
    names = ["alignment", "procrustes", "predictivity", "rsa"]
    plain = compare(x, y, names, draws=39).set_index("measure")
    kept = compare(x, y, names, draws=39, blocks=runs).set_index("measure")
    assert (plain.p == 1 / 40).all()
    assert (kept.p > 0.05).all()
    assert kept.value["predictivity"] < 0.2 < plain.value["predictivity"]
    assert kept.high["alignment"] - kept.low["alignment"] > 2 * (
        plain.high["alignment"] - plain.low["alignment"]
    )


def test_blocks_are_matched_by_the_names_of_rows(recording, runs):
    samples, table = recording
    names = [f"row {number}" for number in range(len(runs))]
    frame, blocks = pd.DataFrame(samples, names), pd.Series(runs, names)
    labels = pd.DataFrame(table, names, columns=["side", "place"])
    expected = measure(samples, table, "trials", ["0"], ["decoding"], draws=9, blocks=runs)
    found = measure(
        frame, labels.sample(frac=1, random_state=0), "trials", ["side"], ["decoding"], draws=9,
        blocks=blocks.sample(frac=1, random_state=1),
    )  # fmt: skip
    assert found.value.tolist() == expected.value.tolist()
    assert found.p.tolist() == expected.p.tolist()
    pairs = compare(frame, frame.sample(frac=1, random_state=2), draws=9, blocks=blocks)
    assert pairs.value[0] == pytest.approx(1, abs=1e-5)


WITHIN = {
    "runs of other lengths": (
        lambda runs, table: (np.where(np.arange(len(runs)) < 30, "first", runs), table),
        "since blocks have from 18 to 30 rows",
    ),
    "three runs": (
        lambda runs, table: (np.arange(len(runs)) // (len(runs) // 3), table),
        "since 3 blocks have 6 orders, 20 needed",
    ),
    "the same order in every run": (
        lambda runs, table: (runs, np.tile(table[:ROWS], (RUNS, 1))),
        "since all blocks have the same labels in the same order",
    ),
}


@pytest.mark.parametrize("case", WITHIN)
def test_where_runs_cannot_change_places_p_is_from_labels_shuffled_within_runs(
    recording, runs, case
):
    samples, table = recording
    change, sentence = WITHIN[case]
    blocks, table = change(runs, table)
    found = measure(samples, table, "trials", ["0", "1"], EVERY[:3], draws=9, blocks=blocks)
    assert found.p.notna().all()
    said = found.reason.str.contains(
        f"p is from labels shuffled within blocks, {sentence}: it holds"
    )
    assert said.all()
    if case != "the same order in every run":
        [pair] = compare(samples, samples, ["procrustes"], draws=9, blocks=blocks).itertuples()
        assert (
            pair.p == 0.1 and f"p is from items shuffled within blocks, {sentence}" in pair.reason
        )


def test_where_all_rows_of_a_run_have_one_label_the_reason_says_why_there_is_no_p(recording):
    samples, _ = recording
    runs = np.repeat(range(7), [18, 30, 24, 30, 30, 30, 30])
    [found] = measure(
        samples, runs % 2, "trials", None, "decoding", draws=9, blocks=runs, folds=3
    ).itertuples()
    assert np.isnan(found.p) and np.isfinite(found.value)
    assert (
        "no p: blocks have from 18 to 30 rows, and within blocks labels have fewer" in found.reason
    )


def test_few_runs_have_no_interval_and_fewer_folds(recording, runs):
    samples, table = recording
    four = np.arange(len(runs)) // (len(runs) // 4)
    found = measure(samples, table, "trials", ["0", "1"], EVERY[:3], draws=9, blocks=four)
    own = found[found.about == "0"].set_index("measure")
    assert own.how["decoding"].startswith("4-fold")
    assert "has 4 blocks, 6 needed for an interval" in own.reason["parallelism"]
    [pair] = compare(samples, samples + 1, draws=9, blocks=four).itertuples()
    assert pair.reason == "4 blocks, 6 needed for an interval"


REFUSED = {
    "blocks of other rows": (
        lambda x, table: measure(x, table, "trials", blocks=np.arange(5)),
        "blocks has shape (5,); allowed is one for each of the 192 samples",
    ),
    "one run": (
        lambda x, table: measure(x, table, "trials", blocks=["a"] * len(x)),
        "blocks has 'a' alone; allowed are two blocks or more, such as runs",
    ),
    "blocks of other items": (
        lambda x, table: compare(x, x, blocks=np.arange(5)),
        "blocks has shape (5,); allowed is one for each of the 192 items",
    ),
    "a condition in one run": (
        lambda x, table: balanced_decoding(
            x[:48], [["a" if row < 24 else "b"] for row in range(48)], 0, 2,
            blocks=np.arange(48) // 24,
        ),
        "labels has condition (",
    ),
    "fewer runs than folds": (
        lambda x, table: balanced_decoding(x, table, 0, folds=9, blocks=np.arange(192) // 24),
        "blocks has 8 blocks; 9 folds need 9 or more: take fewer folds",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_blocks_are_refused_in_a_sentence(recording, case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call(*recording)
    assert str(refused.value).startswith(sentence)


def test_the_interval_of_parallelism_is_the_jackknife_over_runs(recording, runs):
    """Compare with an interval that is computed here from the mean of each condition in each
    run."""
    samples, table = recording
    cells = {}
    for row, of, run in zip(samples, map(tuple, table), runs, strict=True):
        cells.setdefault((run, *of), []).append(row)
    means = np.array([np.mean(rows, axis=0) for rows in cells.values()])
    of_cells = np.array([cell[1:] for cell in cells])
    expected = jackknife_interval(
        lambda rows: corrected_parallelism_score(means[rows], of_cells[rows], 0).value,
        len(means),
        groups=[cell[0] for cell in cells],
    )
    [found, _] = measure(
        samples, table, "trials", None, ["parallelism"], draws=1, blocks=runs
    ).itertuples()
    assert (found.value, found.low, found.high) == pytest.approx(expected)


def test_rows_that_do_not_count_leave_their_blocks(recording, runs):
    samples, table = recording
    kept = table[:, 1] != "w"
    labels = {"side": table[:, 0], "place": table[:, 1]}
    found = measure(
        samples, labels, "trials", {"side": None, "place": ["u", "v"]}, ["decoding"], draws=9,
        blocks=runs,
    )  # fmt: skip
    of_kept = {name: column[kept] for name, column in labels.items()}
    expected = measure(
        samples[kept], of_kept, "trials", None, ["decoding"], draws=9, blocks=runs[kept]
    )
    assert found.value.tolist() == expected.value.tolist()
    assert found.p.tolist() == expected.p.tolist()
