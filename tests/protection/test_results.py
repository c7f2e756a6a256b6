"""The command that compares results sees each change of a number, and no other change."""

import json

import numpy as np
import pandas as pd
import pytest

import results

ROWS = pd.DataFrame(
    {
        "run": ["a", "b", "c", "a", None],
        "measure": ["ccgp", "ccgp", "ccgp", "alignment", "alignment"],
        "activation": ["tanh", "relu", "relu", "tanh", None],
        "seed": pd.array([0, 0, 1, 0, None], dtype="Int32"),
        "value": [0.1, 0.2, 0.3, np.nan, 0.5],
        "low": [0.0, 0.1, 0.2, np.nan, 0.4],
        "high": [0.2, 0.3, 0.4, np.nan, 0.6],
    }
)
SWAPPED = ROWS.rename(columns={"low": "high", "high": "low"})
OTHERWISE_WRITTEN = ROWS.sample(frac=1, random_state=1)[ROWS.columns[::-1]].assign(
    width=120, run="renamed", seed=lambda rows: rows["seed"].astype("float64")
)
NEXT = np.nextafter(0.2, 1)


def written(folder, rows):
    (folder / "structure/tables").mkdir(parents=True)
    rows.to_parquet(folder / "structure/tables/fig02.parquet", index=False)
    return str(folder)


@pytest.fixture
def old(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FROZEN", tmp_path / "frozen")
    folder = written(tmp_path / "results/preview", ROWS)
    assert results.main(["freeze", folder]) == 0
    return folder


def compared(old, new_rows, tmp_path):
    """Return the exit codes of both comparisons: with the frozen file, and with the folder."""
    new = written(tmp_path / "new/results/preview", new_rows)
    return results.main(["compare", new]), results.main(["compare", old, new])


def test_order_types_new_columns_and_names_of_networks_do_not_count(old, tmp_path):
    assert compared(old, OTHERWISE_WRITTEN, tmp_path) == (0, 0)


@pytest.mark.parametrize(
    "rows, said",
    [
        (ROWS.replace(0.2, NEXT), "activation=relu seed=0.0: value 0.2 -> 0.20000000000000004"),
        (SWAPPED, "low 0.0 -> 0.2, high 0.2 -> 0.0"),
        (ROWS[1:], "missing: activation=tanh seed=0.0: value 0.1"),
        (pd.concat([ROWS, ROWS[:1]]), "new: activation=tanh seed=0.0: value 0.1"),
        (ROWS.replace("relu", "gelu"), "missing: activation=relu"),
        (ROWS.fillna({"value": 0.0}), "value nan -> 0.0"),
        (ROWS[ROWS.measure == "ccgp"], "structure/fig02 alignment: missing"),
        (ROWS.drop(columns="seed"), "missing: activation=relu seed=0.0"),
    ],
)
def test_a_change_of_rows_is_seen_and_shown(rows, said, old, tmp_path, capsys):
    assert compared(old, rows, tmp_path) == (1, 1)
    assert said in capsys.readouterr().out


def test_a_verdict_that_changed_is_seen(old, tmp_path, capsys):
    check = {"claim": "16d", "check": 0, "claim_verdict": "supported", "verdict": "supported"}
    check |= {"value": 0.2, "low": 0.1, "high": 0.3, "p": 0.002}
    folders = [written(tmp_path / f"{name}/results", ROWS) for name in ("one", "other")]
    for folder, verdict in zip(folders, ("supported", "undecided"), strict=True):
        path = results.Path(folder, "structure/claims/claims.parquet")
        path.parent.mkdir()
        pd.DataFrame([check | {"verdict": verdict}]).to_parquet(path)
    assert results.main(["compare", *folders]) == 1
    assert "structure 16d, check 0:" in capsys.readouterr().out


def test_on_another_type_of_cpu_the_comparison_is_skipped_and_says_what_to_do(old, capsys):
    path = results.frozen_path(results.Path(old))
    frozen = json.loads(path.read_text())
    frozen["machine"]["cpu"] = "another one"
    path.write_text(json.dumps(frozen))
    assert results.main(["compare", old]) == 77
    assert capsys.readouterr().out.startswith("skipped: preview.json was frozen on another type")
