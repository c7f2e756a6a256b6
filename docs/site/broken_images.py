"""A Sphinx extension: an `<img>` whose file is not in the built site ends the build. Sphinx itself
does not look at raw HTML."""

import re
from pathlib import Path
from urllib.parse import unquote

IMAGE = re.compile(r"""<img\b[^>]*?\ssrc=["']([^"'?#]+)""")
ELSEWHERE = ("http:", "https:", "data:")


def broken(site: Path) -> list[str]:
    """Return a line for each image of a page that is not there."""
    return [
        f"{page.relative_to(site)}: the image {source} is not there"
        for page in sorted(site.rglob("*.html"))
        for source in IMAGE.findall(page.read_text(encoding="utf-8"))
        if not source.startswith(ELSEWHERE) and not (page.parent / unquote(source)).is_file()
    ]


def check(app, error):
    if error is None and app.builder.format == "html":
        from sphinx.util import logging  # the tests of this module do without it

        for line in broken(Path(app.outdir)):
            logging.getLogger(__name__).warning(line)


def setup(app):
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
