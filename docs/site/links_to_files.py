"""A Sphinx extension: links to files outside of the site lead to their pages, or become text.

Pages are also read in a checkout, where a link to config/README.md is right. On the site the same
text is another page. A source file that is no page keeps its name, without a link. A link to a
file that does not exist ends the build.
"""

import os
import re
from pathlib import Path

PAGES = {
    "docs/own.ipynb": "tutorials/notebook.ipynb",
    "README.md": "index.md",
    "config/README.md": "guide/configs.md",
    "benchmarks/results.md": "develop/benchmarks.md",
    "CHANGELOG.md": "develop/changelog.md",
    "CONTRIBUTING.md": "develop/contributing.md",
}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


def lead(app, docname, source):
    """Replace the links of one page."""
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md":
        source[0] = LINK.sub(lambda found: link(Path(app.srcdir), page, found), source[0])


def link(docs: Path, page: Path, found: re.Match[str]) -> str:
    """Return the Markdown of one link."""
    root = docs.parent
    path = Path(os.path.normpath(page.parent / found[2]))
    if not path.exists():
        return found[0]
    inside = path.relative_to(root).as_posix()
    if inside in PAGES:
        target = os.path.relpath(docs / PAGES[inside], page.parent)
        return f"[{found[1]}]({target}{found[3] or ''})"
    return found[0] if path.is_relative_to(docs) else f"`{inside}`"


def setup(app):
    app.connect("source-read", lead)
    return {"parallel_read_safe": True}
