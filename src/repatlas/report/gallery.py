"""The gallery: every figure of every study with what was found, and small pictures of whole runs.

The page is made from the folder of the documentation alone: from the claims that were published
last, and the pictures that were published with them.
"""

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from repatlas.artifacts.files import read_table
from repatlas.claims.claims_file import Claim, claims_path, read_claims
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.figures.figure import figures_of
from repatlas.named import named, names
from repatlas.report.captions import about_study
from repatlas.report.findings import found_by
from repatlas.report.rows import Row, claim_rows
from repatlas.report.words import capitalized, figure_name, verdict_sentence

BEST = {
    "structure": ("fig02", "fig01", "fig03"),
    "gating": ("fig05", "fig02", "fig04"),
    "convergence": ("figC7", "figC10", "figC2"),
}
"""The figures of each study that a reader should see first."""
FOLDER = "gallery"
MOST_BYTES = 250_000
"""A picture is made coarser until it has no more. With fewer bytes colours would be lost."""
SIZES = [(1000, 256), (800, 256), (650, 256), (500, 256), (500, 64), (400, 24)]
"""Pixels from left to right, and colours, in the order in which they are tried: 256 colours are
true, with fewer of them grey lines turn blue."""
HEAD = """# Gallery

<!-- Written by `make publish`. -->

Every figure, with its finding and the verdicts on its claims. The three most telling figures of
each study come first. Pictures are small, and from whole runs; `make figures` makes each as PDF.
Verdicts are by [the rule for verdicts](guide/verdicts.md).

![Four panels: three studies, and a user's own data](hero.png)

*One panel for each study, and one for [your own data](guide/your-data.md).*
"""
NO_PICTURE = "*No picture of a whole run has been published yet.*"
NO_CLAIMS = "The claims of this study, as a whole run judges them, have not been published yet."


THUMBNAIL = 120
"""Pixels from left to right of the pictures that lead to the figures."""
DRAWS = "draws"
"""The text in a small picture that names the figure of the study which it is."""


def small(png: bytes, texts: Mapping[str, str] | None = None, most: int = MOST_BYTES) -> bytes:
    """Return the widest picture, of 1000 to 400 pixels, that has at most this number of bytes, or
    else the smallest. It has these texts, such as the figure that it draws and the code that drew
    it."""
    said = PngInfo()
    for name, text in (texts or {}).items():
        said.add_text(name, text)
    with Image.open(io.BytesIO(png)) as image:
        picture = image.convert("RGB")
    for width, colours in SIZES:
        height = round(picture.height * width / picture.width)
        resized = picture.resize((width, height), Image.Resampling.LANCZOS)
        written = io.BytesIO()
        _few(resized, colours).save(written, "PNG", optimize=True, pnginfo=said)
        found = written.getvalue()
        if len(found) <= most:
            break
    return found


def _few(picture: Image.Image, colours: int) -> Image.Image:
    """Return the picture in at most this number of colours.

    A quarter are its most frequent colours, unchanged, so that white stays white and light areas
    differ. A method that keeps the colours of thin lines chooses the others.
    """
    packed = np.asarray(picture).astype(np.int32) @ [1 << 16, 1 << 8, 1]
    found, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    # float32 holds all these whole numbers exactly, and its products are 30 times as fast.
    present = (found[:, None] >> [16, 8, 0] & 255).astype(np.float32)
    areas = present[np.argsort(-counts)[: colours // 4]]
    others = picture.quantize(colours - len(areas), Image.Quantize.FASTOCTREE).getpalette() or []
    palette = np.concatenate([areas, np.reshape(others, (-1, 3))]).astype(np.float32)
    # Squared distances, minus the term that all colours of the palette share.
    nearest = ((palette**2).sum(axis=1) - 2 * present @ palette.T).argmin(axis=1)
    reduced = Image.fromarray(nearest[places].reshape(packed.shape).astype(np.uint8), "P")
    reduced.putpalette(palette.astype(np.uint8).tobytes())
    return reduced


def gallery(docs: Path) -> str:
    """Return the page, in Markdown, of the studies that have a claims file or pictures."""
    known = [
        study
        for study in dict.fromkeys([*BEST, *names("studies")])
        if claims_path(study).exists() or _pictures(docs, study)
    ]
    parts = [HEAD, " · ".join(f"[{study}](#{study})" for study in known) + "\n"]
    for study in known:
        parts += _study(docs, study)
    return "\n".join(parts)


def _study(docs: Path, study: str) -> list[str]:
    rows = published_claims(docs, study)
    parts = [f"## {study}\n", f"*{about_study(study)[0]}*\n"]
    if rows:
        links = [f"[Claims]({study}/claims.md)"]
        if (docs / study / "multiverse.md").exists():
            links.append(f"[the claims in many settings]({study}/multiverse.md)")
        parts.append(f"{', '.join(links)}.\n")
    elif claims_path(study).exists():
        parts.append(f"{NO_CLAIMS}\n")
    pictures = _pictures(docs, study)
    every, best = {*pictures, *figures_of(study)}, BEST.get(study, ())
    shown = [*(name for name in best if name in every), *sorted(every - {*best}, key=_order)]
    parts.append(" ".join(_thumbnail(study, figure) for figure in shown if figure in pictures))
    parts.append("")
    for figure in shown:
        about, finding = _about(docs, study, figure), _finding(study, figure, rows)
        tested = [row for row in rows if row.about.figure == figure]
        parts.append(f'<a id="{_anchor(study, figure)}"></a>\n')
        parts.append(f"### {_title(figure)}\n")
        parts += [f"**{finding}**\n"] if finding else []
        if figure in pictures:
            parts.append(f"![{_title(figure)}]({FOLDER}/{study}/{figure}.png)\n")
        parts += [f"{' '.join([about, verdict_sentence(tested)]).strip()}\n"]
        parts += [] if figure in pictures else [f"{NO_PICTURE}\n"]
    return parts


def _anchor(study: str, figure: str) -> str:
    return f"{study}-{figure}"


def _thumbnail(study: str, figure: str) -> str:
    """Return a small picture that is a link to the figure below."""
    picture = f"{FOLDER}/{study}/{figure}.png"
    image = f'<img src="{picture}" width="{THUMBNAIL}" alt="{_title(figure)}">'
    return f'<a href="#{_anchor(study, figure)}">{image}</a>'


def _finding(study: str, figure: str, rows: Sequence[Row]) -> str:
    """Return the title of a figure, if the published claims carry it, or an empty string."""
    if figure not in figures_of(study):
        return ""
    return found_by(named(f"studies.{study}", figure).FIGURE, figure, rows)


def _about(docs: Path, study: str, figure: str) -> str:
    """Return what a figure shows, from the figure of its name, or of the name in its picture."""
    catalogue = figures_of(study)
    if figure in catalogue:
        return named(f"studies.{study}", figure).FIGURE.about
    with Image.open(docs / FOLDER / study / f"{figure}.png") as picture:
        draws = picture.info.get(DRAWS)
    if draws not in catalogue:
        return ""
    about = named(f"studies.{study}", draws).FIGURE.about
    return f"{about} Drawn as {_title(draws)} is, of other sweeps."


def published_claims(docs: Path, study: str) -> list[Row]:
    """Return the claims of a study that were published last, in the words of then; an empty list if
    nothing was published. The claims file may have other words, or no longer have a claim."""
    path = docs / study / "claims.parquet"
    if not path.exists():
        return []
    found = read_table(path, "claims", CLAIMS_SCHEMA)[1].to_pandas()
    known = {claim.id: claim for claim in read_claims(study).claims}
    each = found.drop_duplicates("claim")
    claims = [
        known.get(row.claim, Claim.model_construct(id=row.claim, panels=[])).model_copy(
            update={"claim": row.says, "by": row.by, "where": row.place, "figure": row.figure}
        )
        for row in each.itertuples()
    ]
    return claim_rows(claims, found)


def _pictures(docs: Path, study: str) -> list[str]:
    return [path.stem for path in (docs / FOLDER / study).glob("*.png")]


def _title(figure: str) -> str:
    return capitalized(figure_name(figure))


def _order(figure: str) -> tuple:
    """Return a key that sorts the figures of the paper first, then supplements."""
    found = re.fullmatch(r"fig([A-Z]?)(\d+)(.*)", figure)
    if not found:
        return (1, figure)
    series, number, rest = found.groups()
    return (0, series, int(number), rest)
