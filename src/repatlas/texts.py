"""Texts in a config that have a form, and what a refusal says is allowed in their place."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from repatlas.record import refuse

LONGEST_NAME = 100
"""Characters of a name: it must fit into messages and figures."""


def matching(pattern: str, allowed: str) -> Any:
    """Return the type of a text that matches the whole pattern. A refusal says `allowed`."""

    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            refuse(f"allowed: {allowed}")
        return text

    schema = Field(json_schema_extra={"pattern": f"^{pattern}$"})
    return Annotated[str, AfterValidator(check), schema]


def _printable(name: str) -> str:
    if not name.isprintable() or name.isspace():
        refuse("allowed: a name of signs that can be printed, without line breaks")
    return name


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(_printable)]
"""A name that the user chooses. It may have capitals, spaces and accents: names of files are made
from it by `artifacts.layout.file_name`."""
FileName = matching(
    r"[A-Za-z][A-Za-z0-9_]{0,99}",
    "up to 100 letters from a to z, digits and _, after a letter, since it names files",
)
"""A name that is the name of a file, too, so that a user finds the file."""
