"""A table of more seeds than a block is judged as one in one piece."""

import tracemalloc
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from claim_rows import rows_of

from repatlas.claims import rows as module
from repatlas.claims.ledger import Claim
from repatlas.claims.rows import by_kind
from repatlas.claims.selection import NoRows
from repatlas.claims.statistics import STATISTICS
from repatlas.claims.verdicts import checks_of, judge

T, R, C = ({"activation": name} for name in ("tanh", "relu", "clipped"))
OF, OTHER = {"measure": "alignment"}, {"measure": "ccgp"}
NOISE = [0.0, 1.0, 4.0, 16.0]
PAIR = {"first": T, "second": R}
OPTIONS = {
    "level": {"of": OF | T | {"delta": 0.5, "noise": [1, 4, 16]}},
    "difference": {"of": OF | T | {"delta": 0.5}, "first": {"noise": "last"}}
    | {"second": {"noise": "first"}},
    "interaction": {"of": OF | {"delta": 0.5}}
    | {
        "first": [T | {"noise": 1}, R | {"noise": 1}],
        "second": [T | {"noise": 4}, C | {"noise": 0}],
    },
    "smallest": {"of": OF | {"delta": 0.2, "noise": 4}, "over": [T, R, C]},
    "smallest_along": {"of": OF | {"delta": 0.2}, "along": "noise"} | PAIR,
    "crossing": {"of": OF | T | {"delta": 0.2}, "along": "noise", "at": 0.5},
    "steepness_ratio": {"of": OF | {"delta": 0.2}, "along": "noise"} | PAIR,
    "steepness_ratio_over": {"of": OF, "along": "noise", "over": "delta"} | PAIR,
    "range_ratio_over": {"of": OF, "along": "noise", "over": "delta"} | PAIR,
    "crossing_correlation": {"of": OF | T, "along": "noise", "over": "delta", "at": 0.5},
    "rank_correlation": {"of": OF | T | {"delta": 0.2}, "along": "noise"},
    "largest_deviation": {"of": OF | T, "column": "delta"},
    "largest_excess": {"of": OF} | PAIR,
    "distance_ratio": {"of": OF | {"delta": 0.5}, "along": "noise", "between": [T, R, C]},
    "gap_correlation": {"of": [OF | {"noise": 1}, OTHER | {"noise": 4}]}
    | {"over": [{"delta": delta} for delta in (0.2, 0.5, 0.9)]}
    | PAIR,
    "gap_ratio": {"of": [OF | {"noise": 1}, OTHER | {"noise": 4}]}
    | {"over": [{"delta": delta} for delta in (0.2, 0.5, 0.9)]}
    | PAIR,
    "partial_correlation": {"of": OF | T, "with_": "noise", "given": "delta"},
    "measure_correlation": {"of": [OF | T, OTHER | T], "over": ["delta", "noise"]},
    "line_slope": {"of": OF | T | {"delta": 0.2}, "along": "noise"},
    "line_intercept": {"of": OF | T | {"delta": 0.2}, "along": "noise"},
    "spread_correlation": {"of": OF | {"delta": 0.5}, "along": "noise", "start": 1} | PAIR,
    "spread_ratio": {"of": OF | {"delta": 0.5}, "along": "noise", "start": 1} | PAIR,
    "exact": {"of": {"measure": "slope"}},
}
"""The options that a check may give each statistic."""


def table(seeds=23):
    """Return rows in the order of a table: all networks of a kind, then the next kind.

    Some rows are missing, some have no value, and one number belongs to no network."""
    rng = np.random.default_rng(0)
    axes = (["alignment", "ccgp"], ["tanh", "relu", "clipped"], [0.2, 0.5, 0.9], NOISE)
    rows = pd.DataFrame(
        list(product(*axes, range(0, 3 * seeds, 3))),
        columns=["measure", "activation", "delta", "noise", "seed"],
    )
    rows["run"] = rows["activation"] + rows["delta"].astype(str) + rows["noise"].astype(str)
    rows["value"] = 0.5 + rng.normal(size=len(rows)) / (1 + rows["noise"])
    rows.loc[rng.random(len(rows)) < 0.01, "value"] = np.nan
    rows = rows[rng.random(len(rows)) > 0.01]
    number = {"measure": "slope", "value": -0.3, "run": None, "seed": np.nan}
    about = {"variant": "test", "step": 10, "contrast": None}
    return pd.concat([rows, pd.DataFrame([number])], ignore_index=True).assign(**about)


def lacking():
    """Return a table whose first seeds have only networks without noise, and no delta of 0.2."""
    rows = table()
    return rows[~(rows["seed"] < 12) | ((rows["noise"] == 0) & (rows["delta"] > 0.2))]


def twice():
    """Return a table that has each row of its last seed twice, so the other seeds lack a row of
    each mean."""
    rows = lacking()
    return pd.concat([rows, rows[rows["seed"] == rows["seed"].max()]])


def without_values():
    """Return a table in which no seed has a value."""
    rows = table()
    rows.loc[rows["seed"].notna(), "value"] = np.nan
    return rows


def split(frame):
    """Return the rows of a frame in blocks of one seed each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROWS_OF_A_BLOCK", 1)
        rows = rows_of(frame)
    assert len(rows.blocks) > 1
    return rows


@cache
def in_one(make):
    return rows_of(make())


@cache
def in_several(make):
    return split(make())


def same(first, second):
    assert first.values.tobytes() == second.values.tobytes(), "bit for bit"
    assert first.seeds == second.seeds


def outcome(name, rows):
    """Return the numbers of a statistic, or why there are none."""
    try:
        return STATISTICS[name](rows, **OPTIONS[name])
    except NoRows as reason:
        return str(reason)


def test_every_statistic_is_tried():
    assert OPTIONS.keys() == STATISTICS.keys()


@pytest.mark.parametrize("name", STATISTICS)
def test_a_table_of_more_seeds_than_a_block_gives_each_seed_the_same_number(name):
    whole = STATISTICS[name](in_one(table), **OPTIONS[name])
    assert len(whole.values) == (1 if name == "exact" else len(whole.seeds)) > 0
    assert np.isfinite(whole.values).any()
    same(STATISTICS[name](in_several(table), **OPTIONS[name]), whole)


@pytest.mark.parametrize("make", [lacking, twice])
@pytest.mark.parametrize("name", STATISTICS)
def test_it_is_the_same_where_blocks_lack_kinds_and_others_have_rows_twice(name, make):
    one, several = outcome(name, in_one(make)), outcome(name, in_several(make))
    if isinstance(one, str):
        assert one == several
    else:
        same(several, one)


@pytest.mark.parametrize("name", sorted(STATISTICS.keys() - {"exact"}))
def test_it_is_the_same_where_no_seed_has_all_that_is_needed(name):
    found = [outcome(name, rows) for rows in (in_one(without_values), in_several(without_values))]
    if isinstance(found[0], str):
        assert found[0] == found[1]
    else:
        assert len(found[0].values) == len(found[1].values) == len(found[1].seeds) == 0


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("level", {"of": OF | T | {"noise": 64}}, "noise is nowhere 64"),
        ("level", {"of": OF | {"colour": "red"}}, "no column 'colour'"),
        ("rank_correlation", {"of": OF | T | {"noise": 1}, "along": "noise"}, "several values"),
        ("exact", {"of": OF | T}, "found 2.. rows with measure alignment, activation tanh"),
    ],
)
def test_what_a_table_lacks_is_said_in_the_same_words(name, options, reason):
    sentences = []
    for found in (in_one(table), in_several(table)):
        with pytest.raises(NoRows, match=reason) as raised:
            STATISTICS[name](found, **options)
        sentences.append(str(raised.value))
    assert sentences[0] == sentences[1]


def claim(*checks, **more):
    about = {"id": "1", "claim": "", "by": "ours", "where": "", "figure": "fig01", "settings": []}
    about |= {"statistic": "", "contradicted_by": "", "checks": list(checks)}
    return Claim.model_validate(about | more)


def checks(*names):
    return [{"statistic": name, "options": OPTIONS[name], "above": 0.1} for name in names]


def with_accuracies(rows, poor):
    """Add accuracies: the ReLU networks of the seeds in `poor` have not learned their task."""
    scores = rows[rows["measure"] == "alignment"].assign(measure="accuracy", value=1.0)
    early = scores.assign(step=0, value=0.5)
    scores.loc[scores["seed"].isin(poor) & (scores["activation"] == "relu"), "value"] = 0.94
    return pd.concat([rows, early, scores])


SOME = (pytest.param(poor, marks=pytest.mark.slow) for poor in ([], [3, 33]))


@pytest.mark.parametrize("poor", [*SOME, range(0, 30), range(0, 100)], ids=len)
def test_a_claim_is_judged_with_the_same_findings(poor):
    """Also where networks of some seeds, of all seeds of a block, or of all have not learned."""
    rows = with_accuracies(table(), poor)
    one, several = rows_of(rows), split(rows)
    sentences = []
    for check in checks(*STATISTICS):
        each, found = claim(check, learned="test"), []
        for made in (one, several):
            try:
                found.append(repr(judge(each, made)))
            except NoRows as reason:
                found.append(str(reason))
        assert found[0] == found[1], check["statistic"]
        sentences.append(found[0])
    assert any("did not learn" in sentence for sentence in sentences) == (len(poor) == 100)


@pytest.mark.parametrize("learned", ["test", None])
def test_values_are_named_in_the_order_of_the_rows_that_count(learned):
    poor = range(0, 60)
    rows = with_accuracies(table(), poor).sample(frac=1, random_state=2)
    check = {"statistic": "level", "options": {"of": OF | R | {"delta": 0.5}}, "above": 0.1}
    counting = rows[~rows["seed"].isin(poor)] if learned else rows
    of_check = (counting["activation"] == "relu") & (counting["delta"] == 0.5)
    order = counting[of_check & (counting["measure"] == "alignment")]["noise"].drop_duplicates()
    words = f"found several values of noise: {', '.join(map(str, order))}; select one of them"
    for made in (rows_of(rows), split(rows)):
        with pytest.raises(NoRows, match=words):
            judge(claim(check, learned=learned), made)


def test_a_claim_about_each_of_several_settings_finds_them_in_all_blocks():
    """Only the first seeds have one delta, and only the last seeds have another."""
    rows = table()
    rows = rows[(rows["delta"] == 0.5) | ((rows["delta"] == 0.2) == (rows["seed"] < 30))]
    check = {"statistic": "level", "options": {"of": OF | T | {"noise": "last"}}, "above": 0.1}
    each = claim(check, for_each=["delta"])
    one, several = rows_of(rows), split(rows)
    assert [found.options["of"]["delta"] for found in checks_of(each, several)] == [0.2, 0.5, 0.9]
    assert repr(judge(each, several)) == repr(judge(each, one))


def test_a_mean_of_rows_is_that_of_their_values_in_the_order_of_the_table():
    """All bits agree, although the order in which numbers are added matters."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"seed": np.tile(range(50), 20), "measure": "alignment"})
    rows["x"], rows["value"] = np.repeat(rng.permutation(20), 50), rng.normal(size=1000)
    found = STATISTICS["level"](rows_of(rows.sample(frac=1, random_state=1)), of=OF)
    expected = rows.sample(frac=1, random_state=1).groupby("seed")["value"]
    expected = expected.agg(lambda values: values.mean())
    assert found.values.tolist() == expected.tolist()


def test_a_table_of_one_block_needs_no_files(monkeypatch):
    monkeypatch.setattr(module, "TemporaryFile", None)
    assert len(rows_of(table()).blocks) == 1


def stream(seeds, kinds=100):
    """Return a function that reads the rows of a table, one kind of network at a time."""

    def pieces(columns):
        for kind in range(kinds):
            values = np.random.default_rng(kind).normal(size=seeds)
            of_kind = pa.table({"seed": pa.array(np.arange(seeds), pa.int32()), "value": values})
            for name, value in (("run", f"{kind}"), ("measure", "alignment"), ("x", kind / 1)):
                of_kind = of_kind.append_column(name, pa.array([value]).take(pa.array([0] * seeds)))
            yield of_kind.select(columns)

    return pieces


@pytest.mark.slow
def test_memory_is_that_of_a_block_however_many_seeds_there_are(monkeypatch):
    """Some numbers are kept for each seed, but 16 times the rows need less than twice as much."""
    monkeypatch.setattr(module, "ROWS_OF_A_BLOCK", 50_000)
    settings = pa.schema([("run", pa.string()), ("measure", pa.string()), ("x", pa.float64())])
    most = []
    for seeds in (1_000, 16_000):
        tracemalloc.start()
        rows = by_kind(stream(seeds), settings).with_measures({"alignment"})
        found = STATISTICS["rank_correlation"](rows, of=OF, along="x")
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(found.seeds) == seeds
        assert len(rows.blocks) == seeds * 100 / 50_000
    assert most[1] < 2 * most[0], most
