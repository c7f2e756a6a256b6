"""A job makes several seeds; Snakemake knows it by the first file that is missing."""

from pathlib import Path

import pytest
from stages import path_of

from repatlas.artifacts import layout
from repatlas.config.config import read_config
from repatlas.operations.blocks import Blocks
from repatlas.operations.expected import expected_files
from repatlas.plan.plan import Plan


@pytest.fixture
def plan(one_figure_values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one_figure_values["sweeps"]["noise"]["seeds"] = 7
    return Plan(read_config(one_figure_values))


def blocks_of(plan):
    return Blocks(expected_files(plan))


def files_of(plan, place=layout.RUNS):
    return [path_of(plan, place, shard) for shard in plan.shards]


def test_seeds_0_to_3_are_one_job_and_4_to_7_another(plan):
    first, last = files_of(plan)[:4], files_of(plan)[4:]
    assert blocks_of(plan).known(files_of(plan)) == [first[0], last[0]]
    assert blocks_of(plan).together(first[0]) == [*first[1:], first[0]], "the known one is the last"
    assert blocks_of(plan).together(last[0]) == [*last[1:], last[0]]


def test_what_is_there_is_not_made_again(plan):
    files = files_of(plan)
    for there in (files[0], files[2]):
        there.parent.mkdir(parents=True, exist_ok=True)
        there.touch()
    assert blocks_of(plan).together(files[1]) == [files[3], files[1]]
    assert blocks_of(plan).known(files[:4]) == [files[0], files[1], files[2]]


def test_a_file_that_is_made_meanwhile_does_not_change_the_job(plan):
    blocks, files = blocks_of(plan), files_of(plan)
    before = blocks.together(files[0])
    files[1].parent.mkdir(parents=True)
    files[1].touch()
    assert blocks.together(files[0]) == before


def test_a_table_is_a_job_of_its_own(plan):
    table = Path("results/structure/tables/fig03.parquet")
    assert blocks_of(plan).together(table) == blocks_of(plan).known([table]) == [table]
