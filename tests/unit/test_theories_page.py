"""The page of theories against networks says what its published errors give."""

import re
import subprocess
import sys

import pandas as pd
import pytest


@pytest.fixture(scope="module")
def cells(repository):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(repository / "docs/theories"))
        from theories import matrix

        return matrix(pd.read_parquet(repository / "docs/theories/matrix.parquet"))


def test_the_page_counts_the_verdicts_of_its_errors(cells, repository):
    text = (repository / "docs/studies/theories.md").read_text(encoding="utf-8")
    found = re.search(r"Of (\d+) cells (\d+) hold, (\d+) fail and (\d+) is open", text)
    verdicts = cells["verdict"].value_counts()
    counts = [int(verdicts[name]) for name in ("holds", "fails", "open")]
    assert [int(number) for number in found.groups()] == [sum(counts), *counts]


def test_a_verdict_follows_from_the_interval_and_the_limit(cells):
    judged = cells[cells["verdict"] != "does not apply"]
    assert (judged.loc[judged["verdict"] == "holds", "high"] <= 0.1).all()
    assert (judged.loc[judged["verdict"] == "fails", "low"] > 0.1).all()


def test_the_matrix_is_drawn_as_the_page_says(repository, tmp_path):
    folder = repository / "docs/theories"
    command = [sys.executable, folder / "drawing.py", folder / "matrix.parquet", tmp_path / "m.png"]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
