"""Settings of the documentation site. `make docs` builds it."""

import sys
from pathlib import Path

from repatlas import __path__ as package

sys.path.insert(0, str(Path(__file__).parent / "site"))

project = "repatlas"
author = "The repatlas developers"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "plain_docstrings",
    "glossary_links",
    "links_to_files",
    "broken_images",
]
root_doc = "index"
exclude_patterns = ["_build", "site"]
suppress_warnings = ["misc.highlighting_failure"]

# Pages are also read in a checkout, so their links name files.
myst_heading_anchors = 3
# The gallery has small pictures, as `<img>`, that lead to figures and not to their own files.
myst_enable_extensions = ["colon_fence", "html_image"]
html_scaled_image_link = False

# Tutorials run from top to bottom. One that raises an error ends the build.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True
# Progress goes there, and depends on the speed of the machine.
nb_output_stderr = "remove"

autosummary_generate = True
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "NDArray": "NDArray"}
python_maximum_signature_line_length = 80
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = "repatlas"
templates_path = ["site/templates"]
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "site/scorer.js")
html_extra_path = ["atlas.html"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    # The site is read from disk, too.
    "navbar_persistent": ["search-button"],
}
copyright = f"{author}. Licence: MIT"

# A site that describes another checkout than the one it lies in would be wrong in silence.
here = Path(__file__).resolve().parents[1] / "src/repatlas"
if Path(package[0]).resolve() != here:
    sys.exit(f"The site of {here} needs that package, and found {package[0]}. Run `make docs`.")
