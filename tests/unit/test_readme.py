"""What the README says of the tables is true."""

import contextlib
import io
import re

from repatlas.studies.structure.columns import TABLE_SCHEMA

TYPES = {"string": "text", "double": "number", "int32": "whole number", "bool": "true or false"}


def test_it_describes_every_column_of_a_table_with_its_type(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([a-z ]+) \| .+ \|$", text, re.MULTILINE)
    described = {name: kind for names, kind in rows for name in re.findall(r"`(\w+)`", names)}
    assert described == {field.name: TYPES[str(field.type)] for field in TABLE_SCHEMA}


def test_its_call_of_a_measure_prints_what_it_says(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    [program] = re.findall(r"```python\n(import numpy.*?)```", text, re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(program, {})
    said = re.findall(r"print\(.*  # ([\d.]+)", program)
    assert printed.getvalue().split() == said
    assert len(said) == program.count("print(") == 3


def test_its_notebook_prints_both_tables(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n((?:import numpy|from repatlas.own).*?)```", text, re.DOTALL)
    known = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for program in programs:
            exec(program, known)
    assert len(programs) == 2
    for measure in ("parallelism", "ccgp", "decoding", "dimensionality", "alignment", "pwcca"):
        assert measure in printed.getvalue()
