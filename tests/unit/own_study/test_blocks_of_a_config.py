"""Blocks of a config: rows of one run or film stay together in measures and comparisons."""

import csv

import numpy as np
import pyarrow.parquet as pq
import pytest
from stages import make_data, path_of, run

from repatlas.artifacts import layout
from repatlas.config.config import read_config
from repatlas.own import compare as compare_arrays
from repatlas.own import measure as measure_arrays
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.stages import compare_files, measure

RUNS, IN_RUN = 6, 12
RUN = np.repeat([f"run {n}" for n in range(RUNS)], IN_RUN)
SIDE = np.concatenate(
    [np.random.default_rng(n).permutation(["left", "right"] * 6) for n in range(RUNS)]
)


def write_rows(runs, name="rows.csv"):
    with open(name, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["frame", "side", "run"])
        for number, (side, of) in enumerate(zip(SIDE, runs, strict=True)):
            rows.writerow([f"f{number}", side, of])


@pytest.fixture
def config():
    """Two layers of a film in six runs."""
    rng = np.random.default_rng(0)
    write_rows(RUN)
    for layer in ("conv", "fc"):
        drift = rng.standard_normal((RUNS, 8)).repeat(IN_RUN, axis=0)
        np.save(f"{layer}.npy", drift + rng.standard_normal((72, 8)) + (SIDE == "left")[:, None])
    layers = {
        "arrays": "{layer}.npy",
        "rows": "rows.csv",
        "item": "frame",
        "variables": {"side": ["left", "right"]},
        "blocks": "run",
        "null_draws": 19,
    }
    of = ["alignment", "procrustes"]
    pairs = {"between": ["film", "film"], "measures": of, "permutations": 19}
    measures = ["alignment", "decoding", "dimensionality"]
    return {
        "study": "own",
        "representations": {"film": layers},
        "measures": measures,
        "compare": [pairs],
        "figures": {"pairs": {"of": "film-film"}},
    }


def measured(config):
    plan = Plan(read_config(config))
    [shard] = plan.shards
    files = ["--data", str(make_data(plan, shard))]
    path = run(measure, plan.measure_job(shard), path_of(plan, layout.METRICS, shard), *files)
    found = pq.read_table(path).to_pandas()
    return found[found["draw"].isna()]


def compared(config):
    plan = Plan(read_config(config))
    [tile] = plan.tiles
    job, made = plan.compare_job(tile), [make_data(plan, shard) for shard in plan.shards]
    data = [path for grid in job.grids for path in made if path.stem == grid["name"]]
    path = path_of(plan, layout.PAIRS, tile)
    path = run(compare_files, job, path, "--data", *map(str, data))
    return pq.read_table(path).to_pandas().set_index("measure")


def test_measures_are_those_of_a_notebook_with_the_same_blocks(config):
    found = measured(config)
    for layer, (_, rows) in zip(("conv", "fc"), found.groupby("run", sort=False), strict=True):
        expected = measure_arrays(
            np.load(f"{layer}.npy"), {"side": SIDE}, "items", None, config["measures"],
            draws=19, blocks=RUN,
        )  # fmt: skip
        rows = rows.set_index("measure")
        for row in expected.itertuples():
            own = rows.loc[row.measure]
            numbers = own[["value", "low", "high", "p"]].to_numpy(float)
            assert numbers == pytest.approx([row.value, row.low, row.high, row.p], nan_ok=True)
            assert own["variant"] == row.how
    assert "folds of blocks" in found.set_index("measure")["variant"]["decoding"].iloc[0]


def test_pairs_permute_and_leave_out_whole_blocks(config):
    found = compared(config)
    arrays = {layer: np.load(f"{layer}.npy") for layer in ("conv", "fc")}
    expected = compare_arrays(arrays, None, ["alignment"], draws=19, blocks=RUN).iloc[0]
    own = found.loc["alignment"]
    assert [own["value"], own["low"], own["high"]] == pytest.approx(
        [expected.value, expected.low, expected.high]
    )
    apart = compare_arrays(arrays, None, ["alignment"], draws=19).iloc[0]
    assert own["high"] - own["low"] != pytest.approx(apart.high - apart.low)
    # Drift of each run and layer: whole runs that change places differ more than single rows do.
    config["representations"]["film"].pop("blocks")
    of_rows = compared(config).loc["procrustes", "permuted"]
    assert np.std(found.loc["procrustes", "permuted"]) > 1.5 * np.std(of_rows)


def test_blocks_of_unequal_numbers_have_a_value_and_say_why_there_is_no_p(config):
    write_rows(["run 1", *RUN[1:]])
    for rows in (compared(config), measured(config).set_index("measure").loc[["decoding"]]):
        assert rows["value"].notna().all() and rows["p"].isna().all()
        assert rows["reason"].str.contains("no p: blocks have from 11 to 13 rows").all()


def test_another_run_of_one_frame_changes_what_depends_on_it(config):
    before = measured(config).set_index("measure")["value"]
    write_rows(["run 1", *RUN[1:-1], "run 0"])
    after = measured(config).set_index("measure")["value"]
    assert (before["decoding"] != after["decoding"]).any()


def test_a_column_that_is_not_there_and_a_single_block_are_refused(config):
    config["representations"]["film"]["blocks"] = "session"
    with pytest.raises(Refused, match=r"has no column 'session' \(blocks\), found: frame, side"):
        measured(config)
    config["representations"]["film"]["blocks"] = "run"
    write_rows(["a"] * len(RUN))
    with pytest.raises(Refused, match=r"film layer=conv: column 'run' \(blocks\) has 'a' alone"):
        measured(config)


def test_two_sets_that_are_divided_in_two_ways_are_not_compared(config):
    config["representations"]["brain"] = config["representations"]["film"] | {"rows": "more.csv"}
    config["compare"][0]["between"] = ["film", "brain"]
    config["figures"] = {"pairs": {"of": "film-brain"}}
    # Names of blocks do not matter.
    write_rows([f"film {of[-1]}" for of in RUN], "more.csv")
    assert compared(config)["p"].notna().all()
    write_rows(np.roll(RUN, 5), "more.csv")
    with pytest.raises(Refused, match="film and brain: their blocks divide the items in two ways"):
        compared(config)
