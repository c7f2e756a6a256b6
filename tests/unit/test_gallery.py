"""The gallery: from claims and pictures in a folder of documentation."""

import io
import re

import numpy as np
import pytest
from asked import config_of
from PIL import Image

from repatlas.command.publish import MARK, main
from repatlas.record import Refused
from repatlas.report.gallery import (
    DRAWS,
    MOST_BYTES,
    NO_CLAIMS,
    NO_PICTURE,
    gallery,
    small,
)

STUDY = "structure"


@pytest.fixture
def docs(repository, tmp_path):
    """Write the published claims of one study and a picture of one of its figures to a folder."""
    folder = tmp_path / "docs"
    (folder / STUDY).mkdir(parents=True)
    claims = (repository / "docs" / STUDY / "claims.parquet").read_bytes()
    (folder / STUDY / "claims.parquet").write_bytes(claims)
    (folder / "gallery" / STUDY).mkdir(parents=True)
    (folder / "gallery" / STUDY / "fig02.png").write_bytes(b"picture")
    return folder


def section(page, study, title):
    part = re.split(r"^## ", page, flags=re.MULTILINE)
    [mine] = [each for each in part if each.startswith(f"{study}\n")]
    [found] = [each for each in mine.split("\n### ") if each.startswith(f"{title}\n")]
    return found


def test_above_each_figure_stands_what_became_of_its_claims(docs):
    found = section(gallery(docs), STUDY, "Figure 2")
    finding, picture = found.index("**From a separability of one half"), found.index("![Figure 2]")
    assert finding < picture < found.index("Claims: 4 in our setting")
    assert "(gallery/structure/fig02.png)" in found
    assert NO_PICTURE not in found


def test_a_figure_without_a_picture_says_so_and_has_its_finding(docs):
    found = section(gallery(docs), STUDY, "Figure 10")
    assert NO_PICTURE in found and "![" not in found
    assert "Claims: 1 in our setting, 1 no number in the words." in found


def test_a_study_that_no_whole_run_has_judged_says_so(docs):
    page = gallery(docs)
    assert page.count(NO_CLAIMS) == page.count("\n## ") - 1
    assert "Claims:" not in section(page, "gating", "Figure 2")


def test_the_best_figures_stand_first_then_the_others_in_their_order(docs):
    (docs / "gallery" / STUDY / "over_layers.png").write_bytes(small(picture()))
    [mine] = [part for part in gallery(docs).split("\n## ") if part.startswith(STUDY)]
    titles = re.findall(r"^### (.+)$", mine, re.MULTILINE)
    wanted = [
        *(f"Figure {number}" for number in (2, 1, 3, 4, "4C", 5, 6, 7, "7C", 8, 9, 10)),
        "Figure S1",
    ]
    assert titles[: len(wanted)] == wanted
    assert titles[-2:] == ["Figure S8", "Over layers"]


def picture():
    """Return the bytes of a picture as a run writes it."""
    written = io.BytesIO()
    Image.new("RGB", (100, 50), "white").save(written, "PNG")
    return written.getvalue()


def test_a_figure_that_a_config_named_is_described_by_the_figure_that_it_draws(docs):
    for name, draws in {"figS5": "fig05", "ours": ""}.items():
        (docs / "gallery" / STUDY / f"{name}.png").write_bytes(
            small(picture(), texts={DRAWS: draws})
        )
    page = gallery(docs)
    named = section(page, STUDY, "Figure S5")
    assert "Deep networks: alignment at each hidden layer. Drawn as Figure 5 is" in named
    assert "Drawn as" not in section(page, STUDY, "Ours")


@pytest.mark.parametrize("noise", [0, 40])
def test_a_picture_is_small_and_legible(noise):
    rng = np.random.default_rng(1)
    pixels = np.full((1200, 1650, 3), 255.0)
    pixels[100:600, 100:900] = rng.normal(128, noise, (500, 800, 3))
    written = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).astype("uint8")).save(written, "PNG")
    found = small(written.getvalue())
    assert len(found) <= MOST_BYTES
    with Image.open(io.BytesIO(found)) as image:
        assert image.width == 1000 if not noise else image.width >= 500
        assert abs(image.height / image.width - 1200 / 1650) < 0.01


def in_the_middle(pixels, rows):
    """Return the colours halfway along rows of pixels, in a small picture of 1000 rows."""
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG")
    with Image.open(io.BytesIO(small(written.getvalue()))) as picture:
        scale = picture.width / 1000
        places = [(picture.width // 2, round(row * scale)) for row in rows]
        return [picture.convert("RGB").getpixel(place) for place in places]


def test_thin_lines_in_a_small_picture_keep_their_colours():
    """Thin lines are kept next to a map of many colours, which is most of the picture."""
    lines = {20: (213, 94, 0), 40: (0, 114, 178)}  # rows of pixels of tanh and of ReLU
    ramp = np.linspace(0, 200, 1000)
    pixels = np.stack(np.broadcast_arrays(ramp, ramp[:, None], 255 - ramp), axis=2)
    pixels = (pixels + np.random.default_rng(0).normal(0, 8, pixels.shape)).clip(0, 255)
    pixels = pixels.astype(np.uint8)
    pixels[:100] = 255
    for row, colour in lines.items():
        pixels[row : row + 4] = colour
    found = in_the_middle(pixels, [row + 2 for row in lines])
    for colour, seen in zip(lines.values(), found, strict=True):
        assert np.abs(np.subtract(seen, colour)).max() < 45, seen


def test_white_and_light_areas_of_a_small_picture_stay_as_they_are():
    """All other pixels have many colours, as do the regions of Figure 10."""
    areas = {100: (255, 255, 255), 300: (232, 224, 236), 500: (224, 236, 227), 700: (236, 236, 236)}
    pixels = np.random.default_rng(0).integers(0, 256, (1000, 1000, 3)).astype(np.uint8)
    for row, colour in areas.items():
        pixels[row : row + 150] = colour
    assert in_the_middle(pixels, [row + 75 for row in areas]) == [*areas.values()]


def test_publishing_puts_the_pictures_of_a_run_in_place_of_older_ones(
    results, one_figure_values, tmp_path
):
    readme, docs = tmp_path / "README.md", tmp_path / "docs"
    readme.write_text(MARK.format("networks", STUDY) + "77 |")
    folder = docs / "gallery" / STUDY
    folder.mkdir(parents=True)
    (folder / "fig77.png").write_bytes(b"of an older run")
    where = ["--docs", str(docs), "--readme", str(readme)]
    main([config_of(one_figure_values), *where])
    assert {path.stem for path in folder.iterdir()} == {"fig03"}
    page = (docs / "gallery.md").read_text(encoding="utf-8")
    assert "(gallery/structure/fig03.png)" in page
    assert readme.read_text().endswith(">18 |")
    one_figure_values["style"] = {"font_size": 9}
    with pytest.raises(Refused, match=r"claims\.parquet: is missing or out of date"):
        main([config_of(one_figure_values), *where])
    with pytest.raises(Refused, match="a preview is not to be published"):
        main([config_of(one_figure_values | {"preview": True}), *where])
    assert (docs / "gallery.md").read_text(encoding="utf-8") == page


def test_the_gallery_is_what_its_pictures_and_claims_make_it(repository):
    docs = repository / "docs"
    assert (docs / "gallery.md").read_text(encoding="utf-8") == gallery(docs)
    pictures = list((docs / "gallery").rglob("*.png"))
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size <= MOST_BYTES, picture


def test_its_links_lead_somewhere(repository):
    text = (repository / "docs/gallery.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (repository / "docs" / link).exists()] == []
