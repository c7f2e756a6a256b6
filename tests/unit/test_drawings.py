"""A figure's file says what it was made from, and is refused if any of its bytes changed."""

import json
import resource
import signal

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from repatlas.artifacts.drawings import read_drawing, write_drawing
from repatlas.artifacts.files import Unreadable
from repatlas.plots.style import say
from repatlas.workflow.stages.plot import empty_because

HEADER = {
    "job": {"figure": "fig01", "style": {"colours": {"tanh": "#D55E00"}}, "µ": 'ü "\\" {0} (1)'},
    "identity": "0123456789abcdef",
    "modules": {"repatlas.workflow.stages.plot": "0123456789ab"},
    "versions": {"torch": "2.13.0+cpu"},
}
both = pytest.mark.parametrize("suffix", ["pdf", "png"])


@pytest.fixture
def figure():
    figure = Figure(figsize=(1, 1))
    FigureCanvasAgg(figure)
    figure.subplots().plot([1, 2], [3, 4])
    return figure


def assert_unreadable(path, message="damaged, or not written by repatlas"):
    with pytest.raises(Unreadable, match=message) as refusal:
        read_drawing(path)
    assert str(refusal.value).startswith(f"{path}: ")


@both
def test_the_header_comes_back_as_it_was(figure, tmp_path, suffix):
    path = tmp_path / f"figure.{suffix}"
    write_drawing(figure, path, HEADER)
    found = read_drawing(path)
    assert len(found.pop("digest")) == 64
    assert found == HEADER
    assert list(tmp_path.iterdir()) == [path]


def test_other_programs_find_the_header_among_the_keywords(figure, tmp_path):
    write_drawing(figure, tmp_path / "figure.png", HEADER)
    with Image.open(tmp_path / "figure.png") as image:
        assert json.loads(image.text["Keywords"])["job"] == HEADER["job"]
    write_drawing(figure, tmp_path / "figure.pdf", HEADER)
    content = (tmp_path / "figure.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.count(b"/Keywords (") == 1
    # The digest took the place of as many zeros: no offset in the file moved.
    assert int(content.split(b"startxref\n")[1].split()[0]) == content.index(b"xref\n0 ")


def test_other_programs_find_a_title_and_a_description(figure, tmp_path):
    figure.set_label("What is drawn (δ): é")
    header = HEADER | {"job": {"study": "structure", "figure": "fig02"}}
    write_drawing(figure, tmp_path / "figure.png", header)
    with Image.open(tmp_path / "figure.png") as image:
        said = [image.text[key] for key in ("Title", "Description")]
    assert said == ["repatlas structure fig02", "What is drawn (δ): é"]
    write_drawing(figure, tmp_path / "figure.pdf", header)
    content = (tmp_path / "figure.pdf").read_bytes()
    assert b"/Title (repatlas structure fig02)" in content
    assert b"/Subject (" in content
    assert read_drawing(tmp_path / "figure.pdf")["job"] == header["job"]


@both
@pytest.mark.parametrize("kept", [0, 1, 20, 0.3, 0.9, 0.99])
def test_a_truncated_figure_is_refused(figure, tmp_path, suffix, kept):
    path = tmp_path / f"figure.{suffix}"
    write_drawing(figure, path, HEADER)
    whole = path.read_bytes()
    path.write_bytes(whole[: kept if isinstance(kept, int) else int(kept * len(whole))])
    assert_unreadable(path)


@both
def test_a_bit_that_flipped_anywhere_is_found(figure, tmp_path, suffix):
    path = tmp_path / f"figure.{suffix}"
    write_drawing(figure, path, HEADER)
    whole = path.read_bytes()
    # A PNG ends with a chunk of nothing and its checksum.
    for place in range(0, len(whole) - (4 if suffix == "png" else 0), 29):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert_unreadable(path)


def test_a_pdf_that_something_was_written_behind_is_refused(figure, tmp_path):
    path = tmp_path / "figure.pdf"
    write_drawing(figure, path, HEADER)
    path.write_bytes(path.read_bytes() + b"% a note\n")
    assert_unreadable(path)


@both
@pytest.mark.parametrize("keywords", [None, "", "a7abf11d258dce57", "nature, photograph"])
def test_a_figure_of_another_program_is_refused(figure, tmp_path, suffix, keywords):
    path = tmp_path / f"figure.{suffix}"
    figure.savefig(path, metadata={"Keywords": keywords} if keywords is not None else {})
    assert_unreadable(path)


@pytest.mark.parametrize("keywords", ["2024", '"flower"', "[]", "{}", '{"job": "x"}'])
def test_a_figure_whose_keywords_happen_to_be_json_is_refused(tmp_path, keywords):
    path = tmp_path / "figure.png"
    info = PngInfo()
    info.add_text("Keywords", keywords)
    Image.new("L", (2, 2)).save(path, pnginfo=info)
    assert_unreadable(path)


def test_a_figure_under_the_name_of_the_other_format_is_refused(figure, tmp_path):
    pdf, png = tmp_path / "figure.pdf", tmp_path / "figure.png"
    write_drawing(figure, pdf, HEADER)
    pdf.rename(png)
    assert_unreadable(png)


@both
def test_a_figure_that_is_missing_is_not_taken_for_a_damaged_one(tmp_path, suffix):
    with pytest.raises(FileNotFoundError):
        read_drawing(tmp_path / f"figure.{suffix}")


@both
def test_a_figure_that_cannot_be_drawn_leaves_the_old_file_and_nothing_else(tmp_path, suffix):
    class Broken(Figure):
        def savefig(self, file, **options):
            file.write(b"half")
            raise RuntimeError("no luck")

    path = tmp_path / f"figure.{suffix}"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="no luck"):
        write_drawing(Broken(), path, HEADER)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def no_file_beyond():
    """Limit the size of files, as a full disk would, for the rest of a test."""
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    signal.signal(signal.SIGXFSZ, handler)


@both
def test_a_disk_that_fills_up_at_any_byte_of_a_figure_is_an_error_of_the_disk(
    tmp_path, no_file_beyond, suffix
):
    figure = Figure(figsize=(4, 3))
    FigureCanvasAgg(figure)
    values = [(number * number) % 97 for number in range(2000)]
    figure.subplots().plot(values)
    path = tmp_path / f"figure.{suffix}"
    write_drawing(figure, path, HEADER)
    whole = path.read_bytes()
    for size in range(0, len(whole), 499):
        no_file_beyond(size)
        with pytest.raises(OSError, match="File too large"):
            write_drawing(figure, path, HEADER)
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


def test_the_log_of_a_figure_says_why_no_panel_shows_anything():
    drawing = Figure()
    first, second = drawing.subplots(2)
    say(first, "No network learned")
    assert empty_because(drawing) == ""
    say(second, "No network learned")
    assert empty_because(drawing) == "No network learned"
