"""The notebook in the docs runs from top to bottom."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[3] / "docs/tutorials/notebook.ipynb"


def test_it_runs_from_top_to_bottom():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "own.ipynb", "exec"), names)
    assert {*names["found"]["measure"]} == {
        "alignment",
        "ccgp",
        "decoding",
        "dimensionality",
        "parallelism",
    }
    assert len(names["pairs"]) == 2 * 2 * 3
    assert "more features than items" in names["few"]["reason"][0]
