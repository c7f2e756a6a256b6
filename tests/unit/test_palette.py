"""Each colour is in one place, and lines are seen on white."""

import re
from pathlib import Path

import pytest
from matplotlib.colors import is_color_like, to_rgb
from seen_colours import luminance

import repatlas
from repatlas.config.config import COLOURS
from repatlas.plots import palette

SRC = Path(repatlas.__file__).parent
AREAS = {"WHITE", "BAND", "PALE", "SHADE", "HOLDS", "OPEN", "FAILS"}
NAMED = {name: value for name, value in vars(palette).items() if name.isupper()}
LITERAL = re.compile(
    r"""(?<!such as )["'](\#[0-9A-F]{6}|black|white)["']"""  # wherever it stands
    r"""|(colou?rs?|face|edge)["']?[=:] ?["'](?!none)""",
    re.I,
)


def contrast_on_white(colour):
    return 1.05 / (luminance(to_rgb(colour)) + 0.05)


def lines():
    for name, value in NAMED.items():
        each = value if isinstance(value, tuple) else (value,)
        yield from ((name, colour) for colour in each if name not in AREAS)


@pytest.mark.parametrize(("name", "colour"), [*lines(), *COLOURS.items()])
def test_a_line_has_a_contrast_of_three_to_one_on_white(name, colour):
    assert is_color_like(colour)
    # A file of an activation is a part of its networks, which a new colour would train again.
    least = 2.3 if name in ("leaky_relu", "swish") else 3.0
    assert contrast_on_white(colour) >= least


def test_no_other_file_than_the_palette_has_a_colour():
    found = [
        f"{path.relative_to(SRC)}: {line.strip()}"
        for path in SRC.rglob("*.py")
        if path.parent.name != "activations" and path.name != "palette.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if LITERAL.search(line)
    ]
    assert found == []
