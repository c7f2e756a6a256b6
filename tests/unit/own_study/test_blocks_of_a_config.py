"""Blocks of a config: rows of one run or film stay together in measures and comparisons."""

import csv

import numpy as np
import pytest
from stages import groups_of, make, make_metrics, rows_of

from repatlas.artifacts.files import PAIRS_SCHEMA
from repatlas.config.config import read_config
from repatlas.own import compare as compare_arrays
from repatlas.record import Refused
from repatlas.workflow.plan import Plan

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
    [group] = groups_of(plan)
    found = make_metrics(plan, group.place)
    return found[found["draw"].isna()]


def compared(config):
    plan = Plan(read_config(config))
    [pairs] = [name for name in plan.results if name.startswith("comparisons/")]
    rows = rows_of(make(plan, pairs), "pairs")
    return rows.reindex(columns=[*dict.fromkeys([*PAIRS_SCHEMA.names, *rows])]).set_index("measure")


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
