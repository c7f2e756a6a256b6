"""From files to what measures see: rows joined, conditions, trials, pseudo-populations."""

import json
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from selections import some
from stages import run

from repatlas.artifacts.files import Arrays
from repatlas.artifacts.recipes.networks import PrepareJob
from repatlas.experiments.files import matrix as matrices
from repatlas.experiments.files.prepare import depends_on
from repatlas.experiments.files.represent import Source, paired
from repatlas.experiments.files.spec import Representations
from repatlas.named import named
from repatlas.own import measure
from repatlas.own.measures import ccgp, parallelism
from repatlas.record import Refused
from repatlas.representation import Decoders
from repatlas.stages import prepare as stage

ITEMS = [f"{animal} {side}" for animal, side in product(["cat", "dog"], ["left", "right"])]
VARIABLES = {"animal": ["cat", "dog"], "side": ["left", "right"]}


def stimuli(names):
    """Return the table of items such as "cat left"."""
    columns = {"image": list(names)}
    return columns | {
        "animal": [name.split()[0] for name in names],
        "side": [name.split()[1] for name in names],
    }


def jobs_of(values, name="mine"):
    """Return the job of each family's data, as the workflow plans it."""
    grid = Representations.model_validate(values).grid(name)
    jobs = {}
    for family in grid.families:
        place, wanted = grid.data(family, 0)
        wanted = json.loads(json.dumps(wanted | depends_on(wanted, {})))
        jobs[family] = PrepareJob(experiment="files", data=place, wanted=[wanted]).with_code({})
    return grid, jobs


def prepared(values, name="mine", of="representation"):
    """Return what the stage writes for each family, and all representations; with of="of", as
    measures see them."""
    grid, jobs = jobs_of(values, name)
    seen, headers = [], []
    for family, job in jobs.items():
        path = Path("results", f"{family}.safetensors")
        run(stage, job, path)
        data = Arrays(path, "data")
        data.check()
        headers.append(data.header)
        source = Source(data, 0, Decoders(), "cpu")
        seen += [getattr(source, of)(spec) for spec in grid.specs() if spec.family == family]
    return seen, headers


def refusal(values):
    with pytest.raises(Refused) as refused:
        prepared(values)
    return str(refused.value)


def counts(headers):
    return {fact["fact"]: fact["value"] for fact in headers[0]["facts"]}


@pytest.fixture
def square(table):
    """Four images of two seeds, in another order in each file."""
    patterns = {name: np.eye(4)[n] * (n + 1) for n, name in enumerate(ITEMS)}
    for seed, order in enumerate((ITEMS, ITEMS[::-1])):
        np.save(f"{seed}.npy", np.stack([patterns[name] + 10 * seed for name in order]))
        table(f"{seed}.csv", **stimuli(order))
    return {
        "arrays": "{seed}.npy",
        "rows": "{seed}.csv",
        "item": "image",
        "unit": "seed",
        "variables": VARIABLES,
    }


def test_rows_are_joined_by_name_and_not_by_position(square):
    (one, other), _ = prepared(square)
    assert one.names == other.names == ITEMS
    np.testing.assert_array_equal(other.items() - one.items(), np.full((4, 4), 10))


def test_conditions_are_the_combinations_of_the_values_in_their_order(square):
    (one, _), headers = prepared(square)
    assert next(iter(headers[0]["conditions"].values())) == [[*name.split()] for name in ITEMS]
    np.testing.assert_array_equal(one.targets, [[0, 0], [0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(one.layers[0], np.diag([1, 2, 3, 4]))


def test_measures_read_a_representation_in_files(square):
    """Measures give the same numbers as in a notebook, where the arrays and the table are in
    memory."""
    seen = prepared(square, of="of")[0][0]
    found = [row for row in parallelism.rows(seen) if row.draw is None]
    names = square["variables"].items()
    labels = {name: np.array(values)[seen.levels[:, k]] for k, (name, values) in enumerate(names)}
    wanted = measure(seen.samples, labels, "items", None, ["parallelism"])
    assert [row.value for row in found] == wanted["value"].tolist()
    assert [row.p for row in found] == wanted["p"].tolist()


def test_without_variables_each_item_is_a_condition(square):
    (one, _), _ = prepared({k: v for k, v in square.items() if k != "variables"})
    assert one.targets.shape == (4, 0)
    np.testing.assert_array_equal(one.layers[0], one.items())


def test_without_a_table_each_row_is_an_item(array):
    np.save("a.npy", array)
    (one,), _ = prepared({"arrays": "a.npy"})
    np.testing.assert_array_equal(one.items(), array)


def test_null_stands_for_all_values_of_a_variable(square):
    (one, _), headers = prepared(square | {"variables": {"animal": None}})
    assert next(iter(headers[0]["conditions"].values())) == [["cat"], ["dog"]]
    np.testing.assert_array_equal(one.layers[0], [[0.5, 1, 0, 0], [0, 0, 1.5, 2]])


def test_a_variable_of_three_values_has_a_target_for_each(table):
    np.save("a.npy", np.eye(3))
    table("a.csv", image=["a", "b", "c"], kind=["cat", "dog", "cow"])
    (one,), _ = prepared(
        {"arrays": "a.npy", "rows": "a.csv", "item": "image", "variables": {"kind": None}}
    )
    np.testing.assert_array_equal(one.targets, np.eye(3)[[0, 1, 2]])


def test_rows_with_other_values_are_left_out(table):
    names = [*ITEMS, "cow left"]
    np.save("a.npy", np.arange(5.0)[:, None])
    table("a.csv", **stimuli(names))
    (one,), _ = prepared(
        {"arrays": "a.npy", "rows": "a.csv", "item": "image", "variables": VARIABLES}
    )
    assert one.names == ITEMS
    np.testing.assert_array_equal(one.values.ravel(), [0, 1, 2, 3])


def test_an_item_that_one_lacks_is_refused_and_an_inner_join_drops_it(square, table):
    np.save("1.npy", np.eye(3, 4))
    table("1.csv", **stimuli(ITEMS[:3]))
    plain = {k: v for k, v in square.items() if k != "variables"}
    assert refusal(plain).startswith(
        "items are not the same in all: 1.csv lacks 1 ('dog right'); allowed: the same items"
    )
    (one, other), headers = prepared(plain | {"join": "inner"})
    assert one.names == other.names == ITEMS[:3]
    assert counts(headers)["rows left out by join"] == 1


def test_repeated_items_are_refused(square, table):
    table("1.csv", **stimuli(["cat left", *ITEMS[:3]]))
    plain = {k: v for k, v in square.items() if k != "variables"}
    assert refusal(plain).startswith("1.csv: 1 items are repeated ('cat left'), 'cat left' in rows")


def test_another_number_of_rows_than_lines_is_refused(square):
    np.save("1.npy", np.eye(5))
    assert refusal(square) == (
        "1.npy: has 5 rows and 1.csv has 4; allowed: one line of the table for each row of the"
        " array"
    )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"item": "picture"}, "0.csv: has no column 'picture' (item), found: image, animal, side"),
        (
            {"variables": {"colour": ["a", "b"]}},
            "0.csv: has no column 'colour' (variables), found: image, animal, side",
        ),
        (
            {"variables": {"animal": ["cat", "cow"]}},
            "variables.animal: found no row with 'cow' in 0.csv; its values are 'cat', 'dog'",
        ),
    ],
)
def test_a_column_or_value_that_is_not_there_is_refused(square, changed, sentence):
    assert refusal(square | changed) == sentence


def test_a_variable_with_one_value_is_refused(table):
    np.save("a.npy", np.eye(2))
    table("a.csv", image=["a", "b"], kind=["cat", "cat"])
    values = {"arrays": "a.npy", "rows": "a.csv", "item": "image", "variables": {"kind": None}}
    assert refusal(values) == (
        "variables.kind: found the single value 'cat' in a.csv, allowed: two or more"
    )


def test_an_empty_cell_is_refused(table):
    np.save("a.npy", np.eye(2))
    table("a.csv", image=["a", ""], kind=["cat", "dog"])
    assert refusal({"arrays": "a.npy", "rows": "a.csv", "item": "image"}) == (
        "a.csv: column 'image' is empty in 1 rows (1 counted from 0), allowed: a value in each"
    )


def test_a_condition_that_one_table_lacks_is_refused(square, table):
    np.save("1.npy", np.eye(3, 4))
    table("1.csv", **stimuli(ITEMS[:3]))
    assert refusal(square | {"join": "inner"}) == (
        "1.csv: has no row of 1 conditions (('dog', 'right')) that other tables have; allowed: some"
        " of each"
    )


def test_bad_numbers_are_refused_and_rows_with_them_dropped(square):
    values = np.load("0.npy")
    values[2, 1] = np.nan
    np.save("0.npy", values)
    plain = {k: v for k, v in square.items() if k != "variables"}
    assert refusal(plain).startswith("0.npy: 1 numbers are not finite: nan in row 2, feature 1")
    (one, other), headers = prepared(plain | {"missing": "drop_rows"})
    assert one.names == [ITEMS[n] for n in (0, 1, 3)] and other.names == ITEMS
    assert counts(headers)["dropped rows"] == 1
    (one, other), _ = prepared(plain | {"missing": "drop_features"})
    assert (one.values.shape, other.values.shape) == ((4, 3), (4, 4))
    np.testing.assert_array_equal(one.layers[0], np.delete(np.diag([1.0, 2, 3, 4]), 1, axis=1))


def test_a_dropped_row_takes_its_item_with_it(table):
    """Each condition has two images, and one of them is lost."""
    names = [f"{name} {n}" for name in ITEMS for n in (1, 2)]
    values = np.arange(16.0).reshape(8, 2)
    values[3, 0] = np.nan
    np.save("a.npy", values)
    table("a.csv", **stimuli(names))
    read = {"arrays": "a.npy", "rows": "a.csv", "item": "image", "missing": "drop_rows"}
    (one,), _ = prepared(read | {"variables": VARIABLES})
    assert one.names == [name for n, name in enumerate(names) if n != 3]
    np.testing.assert_array_equal(one.items(), np.delete(values, 3, axis=0))
    np.testing.assert_array_equal(one.layers[0][1], values[2])
    (other,), _ = prepared(read | {"variables": VARIABLES, "trials": True})
    assert some(np.isfinite(other.items())).all() and len(other.items()) == 7


def test_a_condition_of_which_no_row_is_left_is_refused(square):
    values = np.load("0.npy")
    values[2, 1] = np.nan
    np.save("0.npy", values)
    assert refusal(square | {"missing": "drop_rows"}) == (
        "mine seed=0: no row is left of 1 conditions (('dog', 'left')), after what join, missing"
        " and least_trials drop; allowed: some of each"
    )


def test_a_file_that_changed_after_planning_is_refused(square):
    _, jobs = jobs_of(square)
    np.save("0.npy", np.load("0.npy") + 1)
    job = jobs["mine-seed-0"]
    again = r"^0\.npy: changed since it was planned: start the command again$"
    with pytest.raises(Refused, match=again):
        run(stage, job, Path("results/a.safetensors"))


def test_a_file_that_changed_before_measuring_is_refused(square):
    grid, jobs = jobs_of(square)
    path = Path("results/a.safetensors")
    run(stage, jobs["mine-seed-0"], path)
    np.save("0.npy", np.load("0.npy") + 1)
    source = Source(Arrays(path, "data"), 0, Decoders(), "cpu")
    with pytest.raises(Refused, match=r"^0\.npy: changed since it was planned"):
        source.representation(grid.specs()[0])


def test_a_file_saved_again_changes_no_job_and_one_number_changes_that_of_its_unit(square):
    _, before = jobs_of(square)
    np.save("1.npy", np.asfortranarray(np.load("1.npy")))
    _, after = jobs_of(square)
    assert {k: job.text for k, job in after.items()} == {k: job.text for k, job in before.items()}
    changed = np.load("1.npy")
    changed[0, 0] += 1e-12
    np.save("1.npy", changed)
    _, after = jobs_of(square)
    assert [k for k in before if before[k].text != after[k].text] == ["mine-seed-1"]


def stored_digests(square):
    """Return, by seed, the digests of what is stored of a representation."""
    grid, jobs = jobs_of(square)
    found = {}
    for spec in grid.specs():
        path = run(stage, jobs[spec.family], Path(f"results/{spec.family}.safetensors"))
        digests = Arrays(path, "data").header["digests"]
        found[spec.columns["seed"]] = {
            name: digest for name, digest in digests.items() if name.startswith(f"{spec.data}/")
        }
    return found


def test_what_is_stored_of_a_representation_is_another_after_one_changed_number(square):
    before = stored_digests(square)
    changed = np.load("1.npy")
    changed[0, 0] += 1e-12
    np.save("1.npy", changed)
    after = stored_digests(square)
    assert after[0] == before[0]
    assert {name.partition("/")[2] for name in after[1] if after[1][name] != before[1][name]} == {
        "content"
    }


def test_what_is_stored_of_a_representation_is_the_same_for_files_in_another_place(square):
    before = stored_digests(square)
    Path("moved").mkdir()
    for seed in (0, 1):
        Path(f"{seed}.npy").rename(f"moved/{seed}.npy")
        Path(f"{seed}.csv").rename(f"moved/{seed}.csv")
    moved = {"arrays": "moved/{seed}.npy", "rows": "moved/{seed}.csv"}
    assert stored_digests(square | moved) == before


def test_a_column_that_does_not_count_changes_no_job(square, table):
    _, before = jobs_of(square)
    table("0.csv", note=["x"] * 4, **stimuli(ITEMS))
    _, after = jobs_of(square)
    assert {k: job.text for k, job in after.items()} == {k: job.text for k, job in before.items()}


# Trials.


@pytest.fixture
def trials(table):
    """Unequal numbers of trials of four images, as a recording has them."""
    names = ["cat left"] * 3 + ["dog left"] * 5 + ["cat right"] * 4 + ["dog right"] * 2
    order = np.random.default_rng(1).permutation(len(names))
    names = [names[n] for n in order]
    rates = np.random.default_rng(2).standard_normal((len(names), 3)).astype(np.float32)
    np.save("a.npy", rates)
    table("a.csv", **stimuli(names))
    values = {"arrays": "a.npy", "rows": "a.csv", "item": "image", "trials": True}
    return values | {"variables": VARIABLES}, names, rates


def test_the_trials_of_an_item_are_averaged_for_comparisons(trials, monkeypatch):
    monkeypatch.setattr(matrices, "BLOCK_BYTES", 4 * 3 * 4)  # four rows at a time
    values, names, rates = trials
    (one,), _ = prepared(values)
    for name, mean in zip(one.names, one.items(), strict=True):
        rows = [n for n, each in enumerate(names) if each == name]
        np.testing.assert_allclose(some(mean), rates[rows].mean(axis=0, dtype=float))


def test_every_trial_is_a_sample_of_its_condition(trials):
    values, names, rates = trials
    (one,), _ = prepared(values)
    samples, conditions = one.samples("fitted", None)
    np.testing.assert_array_equal(samples, rates)
    assert [" ".join((*VARIABLES["animal"],)[c // 2 : c // 2 + 1]) for c in conditions] == [
        name.split()[0] for name in names
    ]
    np.testing.assert_allclose(
        one.layers[0][3], rates[[n == "dog right" for n in names]].mean(axis=0, dtype=float)
    )


def test_trials_are_counted_by_item_and_condition(trials):
    _, headers = prepared(trials[0])
    found = counts(headers)
    assert (found["rows of an item: fewest"], found["rows of an item: most"]) == (2, 5)
    assert found["rows of a condition: median"] == 3.5


def test_decoders_run_on_trials(trials):
    (one,), _ = prepared(trials[0] | {"variables": VARIABLES}, of="of")
    first, *_ = ccgp.rows(one)
    assert one.rows == "trials" and one.features == "sample"
    assert 0 <= first.value <= 1


# Pseudo-populations.


@pytest.fixture
def sessions(table):
    """Three sessions with their own neurons and numbers of trials; each neuron's rate tells the
    image, the session and the trial."""
    rng = np.random.default_rng(0)
    for session, neurons in (("m1", 2), ("m2", 1), ("m3", 3)):
        names = [name for name in ITEMS for _ in range(rng.integers(3, 7))]
        rng.shuffle(names)
        image = np.array([ITEMS.index(name) for name in names], float)
        np.save(f"{session}.npy", image[:, None] + np.arange(neurons) * 100)
        table(f"{session}.csv", **stimuli(names))
    return {
        "arrays": "{session}.npy",
        "rows": "{session}.csv",
        "item": "image",
        "trials": True,
        "pool": "session",
        "variables": VARIABLES,
    }


def test_neurons_of_sessions_stand_side_by_side(sessions):
    (one,), _ = prepared(sessions)
    assert one.values.shape[1] == 6
    image = [ITEMS.index(one.names[n]) for n in one._items]
    np.testing.assert_array_equal(one.values, np.array(image)[:, None] + [0, 100, 0, 0, 100, 200])


def test_trials_without_a_partner_are_reported(sessions, table):
    (one,), headers = prepared(sessions)
    found = counts(headers)
    assert found["sessions"] == 3
    for session in ("m1", "m2", "m3"):
        recorded = len(np.load(f"{session}.npy"))
        assert found[f"session {session}: trials without a partner"] == recorded - len(one.values)


def test_draws_match_other_trials(sessions):
    (one, other), _ = prepared(sessions | {"draws": 2})
    assert not np.array_equal(one._rows, other._rows)
    assert Counter(one.conditions.tolist()) == Counter(other.conditions.tolist())


def test_a_session_that_lacks_an_item_is_refused_and_may_be_left_out(sessions, table):
    names = ["cat left", "cat right", "dog left"] * 3
    np.save("m4.npy", np.ones((9, 1)))
    table("m4.csv", **stimuli(names))
    plain = {k: v for k, v in sessions.items() if k != "variables"}
    assert "m4 lacks 1 ('dog right')" in refusal(plain)
    (one,), headers = prepared(plain | {"least_trials": 3})
    assert one.values.shape[1] == 6
    notes = {fact["fact"]: fact["note"] for fact in headers[0]["facts"]}
    assert notes["session m4: left out"] == "has 0 trials of 'dog right'"


def test_rows_are_matched_by_condition_where_an_item_is_seen_in_several(table):
    """The image is the same, and each trial has another choice."""
    for session in ("m1", "m2"):
        choice = np.tile(["left", "right"], 8)
        np.save(f"{session}.npy", (choice == "right")[:, None].astype(float))
        table(f"{session}.csv", image=["a"] * 16, choice=choice)
    values = {
        "arrays": "{session}.npy",
        "rows": "{session}.csv",
        "item": "image",
        "trials": True,
        "pool": "session",
        "variables": {"choice": ["left", "right"]},
    }
    (one,), _ = prepared(values)
    np.testing.assert_array_equal(one.layers[0], [[0, 0], [1, 1]])


def test_sessions_without_repeats_are_joined_by_item(table):
    for session, order in (("m1", ITEMS), ("m2", ITEMS[::-1])):
        np.save(f"{session}.npy", np.array([[ITEMS.index(name)] for name in order], float))
        table(f"{session}.csv", **stimuli(order))
    values = {"arrays": "{session}.npy", "rows": "{session}.csv", "item": "image"}
    (one,), _ = prepared(values | {"pool": "session"})
    np.testing.assert_array_equal(one.values, np.repeat(np.arange(4.0), 2).reshape(4, 2))


# More axes.


def test_spatial_rows_know_their_item(table):
    maps = np.random.default_rng(0).standard_normal((4, 3, 2, 2))
    np.save("a.npy", maps)
    table("a.csv", **stimuli(ITEMS))
    values = {"arrays": "a.npy", "rows": "a.csv", "item": "image", "variables": VARIABLES}
    (one,), _ = prepared(values | {"reduction": "spatial"})
    assert one.values.shape == (16, 3)
    np.testing.assert_allclose(one.layers[0], maps.mean(axis=(2, 3)))
    (pooled,), _ = prepared(values | {"reduction": "pooled"})
    np.testing.assert_allclose(pooled.layers[0], one.layers[0])


def test_sizes_are_those_of_what_is_measured(square):
    grid, jobs = jobs_of(square)
    path = Path("results/a.safetensors")
    run(stage, jobs["mine-seed-0"], path)
    spec = grid.specs()[0]
    size = named("experiments.files", "size")
    header = Arrays(path, "data").header
    units = size.measuring(spec, {"ccgp": [0], "alignment": [0]}, Decoders(), header)
    assert units > size.measuring(spec, {"alignment": [0]}, Decoders(), header) > 0
    assert size.measuring(spec, {"ccgp": [0]}, Decoders(), {}) < 10**7, "by the headers of files"


# Two representations.


def test_two_representations_are_joined_by_name(square, table):
    (one, _), _ = prepared(square)
    np.save("b.npy", np.arange(4.0)[:, None])
    table("b.csv", image=ITEMS[::-1])
    (other,), _ = prepared({"arrays": "b.npy", "rows": "b.csv", "item": "image"})
    rows, other_rows, names = paired(one, other)
    assert names == ITEMS and rows.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(other.items()[other_rows].ravel(), [3, 2, 1, 0])


def test_items_that_one_of_two_lacks_are_refused_unless_joined_inner(square, table):
    (one, _), _ = prepared(square)
    np.save("b.npy", np.eye(3))
    table("b.csv", image=ITEMS[:3])
    values = {"arrays": "b.npy", "rows": "b.csv", "item": "image"}
    (other,), _ = prepared(values, "yours")
    with pytest.raises(Refused, match=r"yours lacks 1 \('dog right'\); allowed: the same items"):
        paired(one, other)
    (other,), _ = prepared(values | {"join": "inner"}, "yours")
    assert paired(one, other)[2] == ITEMS[:3]


def test_without_an_item_column_only_rows_of_one_table_are_compared(table, array):
    np.save("0.npy", array)
    np.save("1.npy", array)
    table("rows.csv", side=["l", "r"] * 5)
    values = {"rows": "rows.csv", "arrays": "{seed}.npy"}
    (one, other), _ = prepared(values)
    np.testing.assert_array_equal(paired(one, other)[0], np.arange(10))
    table("more.csv", side=["l", "r"] * 5)
    (third, _), _ = prepared(values | {"rows": "more.csv"})
    with pytest.raises(Refused, match="have rows that cannot be matched; set item"):
        paired(one, third)


def test_maps_of_other_sizes_have_no_rows_in_common(table):
    maps = []
    for side in (2, 3):
        np.save("a.npy", np.ones((4, 5, side, side)))
        table("a.csv", **stimuli(ITEMS))
        values = {"arrays": "a.npy", "rows": "a.csv", "item": "image", "reduction": "spatial"}
        maps += prepared(values)[0]
    assert paired(maps[0], maps[0])[0].tolist() == list(range(16))
    with pytest.raises(Refused, match="have 4 and 9 positions of an item; allowed: as many, or"):
        paired(*maps)
