"""Which code drew a picture of the documentation.

Two texts in the PNG file say so: the modules that drew it, and the fingerprint of these and of all
that they import. `make publish` writes both.

python -m repatlas.command.drawn_by [FOLDER]     lists pictures of other code than today's

The list has also the pictures that do not name their code. FOLDER is docs if it is not given.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from repatlas.workflow.code import fingerprint

MODULES, CODE = "modules", "code"
BUILT = "_build"
"""The folder of the built site, which has copies."""


def drawn_by(*modules: str) -> dict[str, str]:
    """Return the texts of a picture that these modules, as they are now, draw."""
    return {MODULES: " ".join(modules), CODE: fingerprint(*modules)}


def outdated(folder: Path) -> Iterator[str]:
    """Yield a line for each PNG file that other code drew than today's, or that does not say."""
    for path in sorted(folder.rglob("*.png")):
        if BUILT in path.relative_to(folder).parts:
            continue
        with Image.open(path) as picture:
            said = picture.info
        if CODE not in said:
            yield f"{path}: does not name the code that drew it"
        elif said[CODE] != (now := fingerprint(*said[MODULES].split())):
            yield f"{path}: drawn by code {said[CODE]} of {said[MODULES]}, which is {now} today"


if __name__ == "__main__":
    for line in outdated(Path(*sys.argv[1:] or ["docs"])):
        print(line)
