"""The check of prose finds what is hard to read, and nothing else."""

import json

import prose
import pytest


def codes(tmp_path, monkeypatch, name, source):
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    path = tmp_path / name
    path.write_text(source, encoding="utf-8")
    return [each.code for each in prose.check(path)[0]]


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Return the mean of each row.", []),
        ("The mean of each row.", ["D1"]),
        ("Rows keep their means.", []),
        ("Its rows, however many grids hold them.", ["D1", "P1"]),
        ("Of each row, return the mean.", ["D1", "S1"]),
        ("Its mean is returned for each row.", ["P1"]),
        ("Return the mean and that of the squares.", ["X1"]),
        ("Return the mean anew.", ["W1"]),
        ("Return the mean. Formulas are not read:\\n\\n        that of which\\n", []),
        ("Return the mean.\\n\\n    >>> anew()\\n    that of which\\n    ", []),
        ("Return " + "very " * 30 + "long.", ["L1"]),
        ("Row means.", ["D1", "D2"]),
        ("Return `that of which` as it is.", []),
    ],
)
def test_a_docstring_that_is_hard_to_read_is_found(tmp_path, monkeypatch, docstring, expected):
    source = f'def mean(rows):\n    """{docstring}"""\n'.replace("\\n", "\n")
    assert codes(tmp_path, monkeypatch, "a.py", source) == expected


def test_a_function_that_renames_files_has_to_say_so_at_once(tmp_path, monkeypatch):
    body = "\n    path.rename(other)\n"
    says = f'def check(path):\n    """Rename files that are wrong."""{body}'
    hides = f'def check(path):\n    """Return files that are wrong.\n\n    Renames."""{body}'
    assert codes(tmp_path, monkeypatch, "a.py", says) == []
    assert codes(tmp_path, monkeypatch, "a.py", hides) == ["E1"]
    table = hides.replace("path.rename(other)", "path.rename(columns=other)")
    assert codes(tmp_path, monkeypatch, "a.py", table) == []


def test_comments_messages_rules_and_pages_are_read_and_code_is_not(tmp_path, monkeypatch):
    page = "Here is `that of which`.\n\n```python\nthat of which\n```\n\n| a | made anew |\n"
    assert codes(tmp_path, monkeypatch, "a.md", page) == ["W1"]
    assert codes(tmp_path, monkeypatch, "b.md", "---\ntitle: anew\n---\n") == []
    assert codes(tmp_path, monkeypatch, "a.yaml", "a: anew  # Those of before.\n") == ["S1", "X1"]
    rule = 'def a(wildcards):\n    """The files."""\n    return anew\n'
    assert codes(tmp_path, monkeypatch, "a.smk", rule) == ["D1", "D2"]
    message = 'def a(x):\n    raise ValueError(f"{x} is made anew")\n'
    assert codes(tmp_path, monkeypatch, "a.py", message) == ["W1"]
    assert codes(tmp_path, monkeypatch, "b.py", "x = 1  # made anew  # prose: ok\n") == []


def test_a_file_may_not_get_worse_and_a_renamed_file_keeps_what_is_allowed():
    stored = {"src": {"a.py": 2, "b.py": 3}}
    assert list(prose.worse({"src": {"a.py": 2, "b.py": 1}}, stored)) == []
    assert list(prose.worse({"src": {"a.py": 3, "b.py": 0}}, stored)) == [("src/a.py", 3, 2)]
    assert list(prose.worse({"src": {"a.py": 2, "c.py": 3}}, stored)) == []
    assert list(prose.worse({"src": {"a.py": 2, "c.py": 3, "d.py": 1}}, stored)) == [
        ("src/d.py", 1, 0)
    ]
    assert list(prose.worse({"new": {"a.py": 1}}, stored)) == [("new/a.py", 1, 0)]


def test_a_file_that_got_worse_is_reported_with_its_findings(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "STORE", tmp_path / "prose.json")
    page = tmp_path / "README.md"
    page.write_text("Results are made anew.\n", encoding="utf-8")
    monkeypatch.setattr(prose, "READ", ["README.md"])
    assert prose.main(["--write"]) == 0
    assert json.loads(prose.STORE.read_text()) == {".": {"README.md": 1}}
    assert prose.main([]) == 0
    page.write_text("Results are made anew.\n\nAnd anew.\n", encoding="utf-8")
    assert prose.main([]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("README.md:1: W1 'anew': again: \"Results")
    assert printed[2].startswith("README.md: 2 findings, allowed: 1.")
