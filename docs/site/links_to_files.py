"""A Sphinx extension: links to files outside of the site lead to their pages, or become text.

Pages are also read in a checkout, where a link to config/README.md is right. On the site the same
text is another page. A source file that is no page keeps its name, without a link. A link to a
file that does not exist ends the build.
"""

import os
import re
from pathlib import Path

PAGES = {
    "README.md": "index.md",
    "config/README.md": "guide/configs.md",
    "CHANGELOG.md": "develop/changelog.md",
    "CONTRIBUTING.md": "develop/contributing.md",
    "CODE_OF_CONDUCT.md": "develop/conduct.md",
}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")
INCLUDED = re.compile(r"```\{include\} (\.\./\S+)\n```\n")


def lead(app, docname, source):
    """Replace the links of one page, and of the files that it includes from outside of the site."""
    page, docs = Path(app.env.doc2path(docname)), Path(app.srcdir)
    if page.suffix != ".md":
        return

    def included(found: re.Match[str]) -> str:
        file = page.parent / found[1]
        app.env.note_dependency(file.resolve(), docname=docname)
        return links_of(file.read_text(encoding="utf-8"), docs, page, file)

    source[0] = INCLUDED.sub(included, links_of(source[0], docs, page, page))


def links_of(text: str, docs: Path, page: Path, file: Path) -> str:
    """Return the text of a file with links that are right on a page."""
    return LINK.sub(lambda found: link(docs, page, file, found), text)


def link(docs: Path, page: Path, file: Path, found: re.Match[str]) -> str:
    """Return the Markdown of one link."""
    path = Path(os.path.normpath(file.parent / found[2]))
    if not path.exists():
        return found[0]
    inside = path.relative_to(docs.parent).as_posix()
    target = docs / PAGES[inside] if inside in PAGES else path
    if not target.is_relative_to(docs):
        return f"`{inside}`"
    return f"[{found[1]}]({os.path.relpath(target, page.parent)}{found[3] or ''})"


def setup(app):
    app.connect("source-read", lead)
    return {"parallel_read_safe": True}
