"""From files to what measures see: rows joined, conditions, trials, pseudo-populations."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from file_data import file_of, wanted_of
from selections import some

from repatlas.experiments.files.represent import Source, paired
from repatlas.experiments.files.spec import Representations
from repatlas.own import measure
from repatlas.own.measures import parallelism
from repatlas.record import Refused
from repatlas.representation import Decoders

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
    """Return what is wanted of the files of each family, as the workflow plans it."""
    grid = Representations.model_validate(values).grid(name)
    return grid, wanted_of(grid)


def prepared(values, name="mine", of="representation"):
    """Return the header of the data of each family, and all representations; with of="of", as
    measures see them."""
    grid, jobs = jobs_of(values, name)
    seen, headers = [], []
    for family, job in jobs.items():
        data = file_of(job, family)
        data.check()
        headers.append(data.header)
        source = Source(data, 0, Decoders(), "cpu")
        seen += [getattr(source, of)(spec) for spec in grid.specs() if spec.family == family]
    return seen, headers


def means(one):
    rows = [one.values[one.conditions == number] for number in np.unique(one.conditions)]
    return np.array([each.mean(axis=0, dtype=float) for each in rows])


def refusal(values):
    with pytest.raises(Refused) as refused:
        prepared(values)
    return str(refused.value)


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


@pytest.fixture
def few_open_files():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("columns", [3, 40_000])  # read, and mapped into memory
def test_more_arrays_than_a_process_may_open_are_measured(few_open_files, columns):
    for number in range(80):
        np.save(f"{number}.npy", np.ones((4, columns)))
    representations, _ = prepared({"arrays": "{epoch}.npy"})
    assert len([each.items() for each in representations]) == 80


def test_rows_with_names_are_matched_with_the_table(table, h5py):
    xarray = pytest.importorskip("xarray")
    table("rows.csv", **stimuli(ITEMS))
    values = np.arange(8.0).reshape(4, 2)
    coordinates = {"image": ITEMS[::-1]}
    assembly = xarray.DataArray(values[::-1], dims=("image", "unit"), coords=coordinates)
    assembly.to_netcdf("0.nc")
    pd.DataFrame(values[[1, 0, 3, 2]], index=[ITEMS[n] for n in (1, 0, 3, 2)]).to_csv("1.csv")
    for name in ("0.nc", "1.csv"):
        about = {"arrays": name, "rows": "rows.csv", "item": "image", "variables": VARIABLES}
        (seen,), _ = prepared(about)
        np.testing.assert_array_equal(some(seen.items()), values)
        np.testing.assert_array_equal(means(seen), values)
    assembly.assign_coords(image=["cow", *ITEMS[1:]]).to_netcdf("2.nc")
    sentence = refusal(about | {"arrays": "2.nc"})
    assert sentence.startswith("2.nc: its rows are called 'cow', 'cat right',"), sentence


def test_rows_with_names_and_no_table_are_matched_with_one_another():
    values = np.arange(8.0).reshape(4, 2)
    for number, order in enumerate(([0, 1, 2, 3], [2, 0, 3, 1])):
        names = [ITEMS[n] for n in order]
        pd.DataFrame(values[order], index=names).to_csv(f"{number}.csv")
    (one, other), _ = prepared({"arrays": "{epoch}.csv"})
    *rows, names = paired(one, other)
    assert [*names] == ITEMS
    for seen, own in zip((one, other), rows, strict=True):
        np.testing.assert_array_equal(some(seen.items())[own], values)


def test_a_file_may_say_itself_what_its_rows_are(h5py):
    pytest.importorskip("anndata")
    cells = str(Path(__file__).parents[1] / "own/files/cells.h5ad")
    values = {"arrays": cells, "rows": cells, "item": "index", "variables": {"side": None}}
    (seen,), _ = prepared(values)
    np.testing.assert_array_equal(some(seen.items()), np.arange(24.0).reshape(8, 3))
    assert seen.table == [("left",), ("right",)] and seen.names[1] == "cell 1"


def test_conditions_are_the_combinations_of_the_values_in_their_order(square):
    (one, _), headers = prepared(square)
    assert next(iter(headers[0]["conditions"].values())) == [[*name.split()] for name in ITEMS]
    np.testing.assert_array_equal(means(one), np.diag([1, 2, 3, 4]))


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


def test_null_stands_for_all_values_of_a_variable(square):
    (one, _), headers = prepared(square | {"variables": {"animal": None}})
    assert next(iter(headers[0]["conditions"].values())) == [["cat"], ["dog"]]
    np.testing.assert_array_equal(means(one), [[0.5, 1, 0, 0], [0, 0, 1.5, 2]])


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
    assert any(line.endswith(": 1 rows left out by join") for line in headers[0]["said"])


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
    (one, other), _ = prepared(plain | {"missing": "drop_rows"})
    assert one.names == [ITEMS[n] for n in (0, 1, 3)] and other.names == ITEMS
    (one, other), _ = prepared(plain | {"missing": "drop_features"})
    assert (one.values.shape, other.values.shape) == ((4, 3), (4, 4))
    np.testing.assert_array_equal(means(one), np.delete(np.diag([1.0, 2, 3, 4]), 1, axis=1))


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
    np.testing.assert_array_equal(means(one)[1], values[2])
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
        file_of(job, "a")


def test_a_file_that_changed_before_measuring_is_refused(square):
    grid, jobs = jobs_of(square)
    data = file_of(jobs["mine-seed-0"], "a")
    np.save("0.npy", np.load("0.npy") + 1)
    source = Source(data, 0, Decoders(), "cpu")
    with pytest.raises(Refused, match=r"^0\.npy: changed since it was planned"):
        source.representation(grid.specs()[0])


def test_a_file_saved_again_changes_no_job_and_one_number_changes_that_of_its_unit(square):
    _, before = jobs_of(square)
    np.save("1.npy", np.asfortranarray(np.load("1.npy")))
    _, after = jobs_of(square)
    assert after == before
    changed = np.load("1.npy")
    changed[0, 0] += 1e-12
    np.save("1.npy", changed)
    _, after = jobs_of(square)
    assert [k for k in before if before[k] != after[k]] == ["mine-seed-1"]


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


def test_the_trials_of_an_item_are_averaged_for_comparisons(trials):
    values, names, rates = trials
    (one,), headers = prepared(values)
    assert headers[0]["said"] == ["mine: 2 to 5 trials of 4 items"]
    for name, mean in zip(one.names, one.items(), strict=True):
        rows = [n for n, each in enumerate(names) if each == name]
        np.testing.assert_allclose(some(mean), rates[rows].mean(axis=0, dtype=float))


def test_every_trial_is_a_sample_of_its_condition(trials):
    values, names, rates = trials
    (one,), _ = prepared(values)
    np.testing.assert_array_equal(one.values, rates)
    assert [" ".join((*VARIABLES["animal"],)[c // 2 : c // 2 + 1]) for c in one.conditions] == [
        name.split()[0] for name in names
    ]
    np.testing.assert_allclose(
        means(one)[3], rates[[n == "dog right" for n in names]].mean(axis=0, dtype=float)
    )


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
    for session in ("m1", "m2", "m3"):
        recorded = len(np.load(f"{session}.npy"))
        alone = f"mine draw=0: session {session}: {recorded - len(one.values)} trials without"
        assert any(line.startswith(alone) for line in headers[0]["said"])


def test_a_session_that_lacks_an_item_is_refused_and_may_be_left_out(sessions, table):
    names = ["cat left", "cat right", "dog left"] * 3
    np.save("m4.npy", np.ones((9, 1)))
    table("m4.csv", **stimuli(names))
    plain = {k: v for k, v in sessions.items() if k != "variables"}
    assert "m4 lacks 1 ('dog right')" in refusal(plain)
    (one,), headers = prepared(plain | {"least_trials": 3})
    assert one.values.shape[1] == 6
    assert "mine draw=0: session m4 left out: has 0 trials of 'dog right'" in headers[0]["said"]


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
    np.testing.assert_array_equal(means(one), [[0, 0], [1, 1]])


def test_sessions_without_repeats_are_joined_by_item(table):
    for session, order in (("m1", ITEMS), ("m2", ITEMS[::-1])):
        np.save(f"{session}.npy", np.array([[ITEMS.index(name)] for name in order], float))
        table(f"{session}.csv", **stimuli(order))
    values = {"arrays": "{session}.npy", "rows": "{session}.csv", "item": "image"}
    (one,), _ = prepared(values | {"pool": "session"})
    np.testing.assert_array_equal(one.values, np.repeat(np.arange(4.0), 2).reshape(4, 2))


# Two representations.


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
