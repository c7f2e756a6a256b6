"""publish: the claims of a run into the documentation: docs/claims.md, docs/claims.parquet, and the
paragraph of the README that sums them up."""

import argparse
from pathlib import Path

from repatlas.artifacts.files import read_table, whole_file, write_table
from repatlas.claims.ledger import read_ledger
from repatlas.claims.summary import claims_page, result
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.record import Refused

START, END = "<!-- claims: written by `make publish` -->\n", "<!-- end of claims -->\n"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--claims", type=Path, required=True)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--readme", type=Path, required=True)
    options = parser.parse_args(arguments)
    header, table = read_table(options.claims, "claims", CLAIMS_SCHEMA)
    if header["job"]["preview"]:
        raise Refused(f"{options.claims}: a preview is not to be published")
    rows = table.to_pandas()
    text = options.readme.read_text(encoding="utf-8")
    write_table(options.docs / "claims.parquet", "claims", header, table)
    page = claims_page(read_ledger().claims, rows, preview=False)
    for path, content in (
        (options.docs / "claims.md", page),
        (options.readme, with_result(text, result(rows))),
    ):
        with whole_file(path) as temporary:
            temporary.write_text(content, encoding="utf-8")


def with_result(readme: str, paragraph: str) -> str:
    """The README with this paragraph in its place. Raises ValueError if it has none."""
    before, start, rest = readme.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise Refused(f"README: found no place for the claims, {START.strip()}")
    return f"{before}{start}{paragraph}\n{end}{after}"
