"""Python's compiled modules, used only for the text that they were compiled from. A user's modules
next to this package count, too.

Python compares the time and the size of a source, and an edit can keep both: `cp -p`, `rsync -t`
and `tar` set times back. Results would have the fingerprint of the new text, and come from the old.
"""

import sys
import zlib
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1].name
SOURCES = Path(__file__).parents[2]


def import_by_text() -> None:
    """Import all further modules of this package, and those next to it, by their texts."""
    sys.meta_path.insert(0, _ByText)


class _Loader(SourceFileLoader):
    """Loads a source, read once. In the compiled file, a hash stands where Python has the time."""

    text: bytes | None = None

    def path_stats(self, path: Any) -> dict[str, Any]:
        text = self.get_data(path)
        return {"mtime": zlib.crc32(text), "size": len(text)}

    def get_data(self, path: str) -> bytes:
        if path != self.path:
            return super().get_data(path)
        if self.text is None:
            self.text = super().get_data(path)
        return self.text


class _ByText:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not _is_of_sources(name.partition(".")[0]):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(name, spec.loader.path)
        return spec


@cache
def _is_of_sources(package: str) -> bool:
    """Return True for this package, and for a module next to it in a clone."""
    if package == PACKAGE or SOURCES.name == "site-packages":
        return package == PACKAGE
    return (SOURCES / package).is_dir() or (SOURCES / f"{package}.py").is_file()
