"""One page with all that measure and compare say of some layers, to be kept or sent."""

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from repatlas.own.arguments import as_several
from repatlas.own.compare import compare
from repatlas.own.figures import plot_layers, plot_nulls, plot_pairs
from repatlas.own.measure import measure
from repatlas.own.result import NULLS, DataFrame
from repatlas.own.trials import Rows

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { border-top: 1px solid #ccc; padding-top: 1rem; }
table { border-collapse: collapse; font-size: 13px; } td, th { padding: .2rem .6rem; }
th { border-bottom: 1px solid #999; } tr:nth-child(even) { background: #f4f4f4; }
img { max-width: 100%; } .wide { overflow-x: auto; }
"""
DPI = 150
NAMES = {
    "measure": "Measure",
    "about": "of",
    "a": "First",
    "b": "Second",
    "value": "Value",
    "low": "95 % from",
    "high": "to",
    "chance": "Chance",
    "p": "p (labels shuffled)",
    "p_geometry": "p (means moved)",
    "p_family": "p (all pairs)",
    "of": "counts",
    "how": "Estimator",
    "reason": "Remarks",
}
"""What the page calls the columns of tables."""


def report(
    layers: Mapping[str, ArrayLike] | ArrayLike,
    labels: Any,
    rows: Rows,
    path: str | Path,
    title: str = "Representations",
    **options: Any,
) -> Path:
    """Measure layers, write one HTML page with all numbers and plots, and return its path.

    layers: arrays of the same rows by name, in order, or a single array; labels, rows: as for
    measure, and so are options, such as draws, blocks or variables. path: the path of the page; a
    file with this path is replaced. title: the heading and the browser's title.
    The page has a plot of each measure against the layers. For each layer it has a table of value,
    interval, chance and p values, with the estimator and the reason for missing numbers. A plot
    compares each value with the draws of the nulls. If there are several layers, it has the
    debiased alignment of all pairs, over items or over trials. The page is one file, with its plots
    inside, and loads nothing from elsewhere.
    Raises ValueError as measure and compare, before anything is written.

    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> layers = {name: rng.standard_normal((40, 5)) for name in ("conv", "fc")}
    >>> with TemporaryDirectory() as folder:
    ...     page = report(layers, ["cat", "dog"] * 20, "items", f"{folder}/page.html",
    ...                   measures=["decoding"], draws=9)
    ...     text = page.read_text()
    >>> text.count("<img"), "decoding" in text
    (4, True)
    """
    named = as_several("layers", layers) if isinstance(layers, Mapping) else {"all": layers}
    if not named:
        raise ValueError("layers is empty; allowed is one array or more, by name.")
    target = Path(path)
    if target.suffix not in (".html", ".htm"):
        raise ValueError(f"path is {str(path)!r}; allowed is a name that ends in .html.")
    if not target.parent.is_dir():
        raise ValueError(f"path is {str(path)!r}, and its folder {target.parent} is not there.")
    found = {name: measure(of, labels, rows, **options) for name, of in named.items()}
    parts = [f"<h1>{escape(title)}</h1>", _summary(found, rows, options)]
    parts += ["<h2>All layers</h2>", _plot(plot_layers(found), "Each measure against the layers")]
    for name, table in found.items():
        parts += [f"<h2>{escape(name)}</h2>", _table(table)]
        if table.attrs[NULLS]:
            parts.append(_plot(plot_nulls(table), f"Values of {name} and their nulls"))
    if len(named) > 1:
        drawn = {key: options[key] for key in ("draws", "seed", "blocks") if key in options}
        pairs = compare(named, None, **drawn)
        parts += ["<h2>Similarity of layers</h2>", _plot(plot_pairs(pairs), "Alignment of layers")]
        parts += ["<p>Debiased kernel alignment (CKA) of all rows. p is of all pairs together.</p>"]
        parts.append(_table(pairs.drop(columns=["measure", "p", "of", "how"])))
    target.write_text(_page(title, "\n".join(parts)), encoding="utf-8")
    return target


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _summary(found: Mapping[str, DataFrame], rows: str, options: Mapping[str, Any]) -> str:
    first = next(iter(found.values()))
    variables = [name for name in dict.fromkeys(first["about"]) if name]
    draws = {len(each["draws"]) for table in found.values() for each in table.attrs[NULLS]}
    several = " to ".join(map(str, sorted({min(draws), max(draws)}))) if draws else "no"
    blocks = " Rows of one block were kept together." if options.get("blocks") is not None else ""
    return (
        f"<p>{len(found)} {'layer' if len(found) == 1 else 'layers'}; rows are {escape(rows)}; "
        f"variables: {escape(', '.join(variables)) or 'none'}; {several} draws of each null; "
        f"seed {options.get('seed', 0)}.{blocks} Dots are values, bars 95 % intervals where one is "
        f"known to hold. A missing number has its reason under Remarks.</p>"
    )


def _plot(axes: Any, words: str) -> str:
    """Return a plot for the page, and close its figure."""
    import matplotlib.pyplot as plt

    figure, buffer = axes[0].figure, BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    plt.close(figure)
    data = b64encode(buffer.getvalue()).decode("ascii")
    return f'<p><img alt="{escape(words)}" src="data:image/png;base64,{data}"></p>'


def _table(table: DataFrame) -> str:
    shown = table.rename(columns=NAMES)
    options: dict[str, Any] = {"index": False, "na_rep": "", "border": 0}
    return f'<div class="wide">{shown.to_html(float_format="{:.3g}".format, **options)}</div>'
