"""The check of prose finds what is hard to read, and nothing else."""

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
        ("Rows keep their means.", ["D1"]),
        ("Its rows, however many grids hold them.", ["D1", "P1"]),
        ("Of each row, return the mean.", ["D1", "S1"]),
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
    assert codes(tmp_path, monkeypatch, "a.py", 'Role("A sweep made anew.")\n') == ["W1"]
    assert codes(tmp_path, monkeypatch, "a.py", 'add("--a", help="made anew")\n') == ["W1"]
    assert codes(tmp_path, monkeypatch, "b.py", "x = 1  # made anew  # prose: ok\n") == []


def test_each_finding_is_reported_with_its_place_and_the_check_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "READ", ["README.md"])
    page = tmp_path / "README.md"
    page.write_text("Results are made again.\n", encoding="utf-8")
    assert prose.main([]) == 0
    page.write_text("Results are made again.\n\nThey are made anew.\n", encoding="utf-8")
    assert prose.main([]) == 1
    found = capsys.readouterr().out.splitlines()
    assert found == ["README.md:3: W1 'anew': again: \"They are made anew.\""]
