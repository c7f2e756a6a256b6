"""Items are joined by name; sessions become a pseudo-population."""

from collections import Counter

import numpy as np
import pytest

from repatlas.experiments.files.opened import item_name
from repatlas.experiments.files.pool import pooled
from repatlas.experiments.files.table import common_items, refuse_repeated
from repatlas.record import Refused


def refusal(function, *arguments, **options):
    with pytest.raises(Refused) as refused:
        function(*arguments, **options)
    return str(refused.value)


def test_a_number_is_the_same_item_whatever_its_type():
    assert item_name(7) == item_name(7.0) == item_name("7") == "7"


def test_nothing_in_common_is_refused_also_in_an_inner_join():
    assert refusal(common_items, {"a.csv": ["cat.png"], "b.csv": ["cat"]}, inner=True) == (
        "a.csv and b.csv have no item in common: found 'cat.png' and 'cat'"
    )


def test_repeated_items_are_listed_with_their_rows():
    assert refusal(refuse_repeated, ["a", "b", "a", "b", "c"], "rows.csv") == (
        "rows.csv: 2 items are repeated ('a', 'b'), 'a' in rows 0, 2 counted from 0; allowed: each"
        " once, or trials: true if they are repeats"
    )


# Pseudo-populations.


SESSIONS = {
    "one": ["a"] * 5 + ["b"] * 4,
    "two": ["b", "a", "b", "a", "a", "b", "b"],
    "three": ["a", "a", "a", "a", "b", "b"],
}


@pytest.fixture
def pool():
    return pooled(SESSIONS, draw=0)


def test_a_pseudo_trial_has_one_item_in_all_sessions(pool):
    for number, session in enumerate(pool.sessions):
        assert [SESSIONS[session][row] for row in pool.rows[:, number]] == pool.items


def test_of_each_item_there_are_as_many_as_the_session_with_the_fewest_has(pool):
    assert Counter(pool.items) == {"a": 3, "b": 2}


def test_no_trial_is_used_twice(pool):
    for rows in pool.rows.T:
        assert len(set(rows)) == len(rows)


def test_a_draw_is_the_same_each_time_and_another_matches_other_trials(pool):
    np.testing.assert_array_equal(pooled(SESSIONS, draw=0).rows, pool.rows)
    assert not np.array_equal(pooled(SESSIONS, draw=1).rows, pool.rows)


def test_a_session_more_does_not_change_how_the_others_are_drawn(pool):
    more = pooled(SESSIONS | {"four": ["a"] * 3 + ["b"] * 2}, draw=0)
    np.testing.assert_array_equal(more.rows[:, :3], pool.rows)


def test_every_pairing_of_trials_is_equally_likely():
    """Two trials of an item in each of two sessions are matched in either way half of the time."""
    names = {"one": ["a", "a"], "two": ["a", "a"]}
    same = [len(set(pooled(names, draw).rows[0])) == 1 for draw in range(400)]
    assert abs(np.mean(same) - 0.5) < 4 * 0.5 / np.sqrt(400)


def test_sessions_with_fewer_trials_than_asked_for_take_no_part():
    found = pooled(SESSIONS | {"four": ["a"]}, draw=0, least_trials=3)
    assert found.sessions == ["one", "two"]
    assert found.excluded == {"three": "2 trials of 'b'", "four": "0 trials of 'b'"}
    assert Counter(found.items) == {"a": 3, "b": 4}


def test_no_session_with_enough_trials_is_refused():
    assert refusal(pooled, SESSIONS, draw=0, least_trials=9) == (
        "least_trials: found 9, and no session has as many of every item: \"4 trials of 'b'\","
        " \"3 trials of 'a'\", \"2 trials of 'b'\""
    )


def test_of_several_the_one_without_a_common_item_is_named():
    with pytest.raises(Refused, match=r"^a and c have no item in common: found 'x' and 'y'$"):
        common_items({"a": ["x"], "b": ["x"], "c": ["y"]}, inner=True)
