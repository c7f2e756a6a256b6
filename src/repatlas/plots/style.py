"""What all figures share: type, colours, lettering, the line on what the numbers are.

Each config loads the files of its figures, so matplotlib is loaded only when a figure is drawn.
"""

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from repatlas.plots.minus import true_minus
from repatlas.plots.palette import BAND, CLASS_COLOURS, GREY

ACTIVATION_NAMES = {
    "tanh": "Tanh",
    "relu": "ReLU",
    "clipped_relu": "Clipped ReLU",
    "relu-1": "ReLU(x \N{MINUS SIGN} 1)",
    "relu-0.5": "ReLU(x \N{MINUS SIGN} 0.5)",
    "relu+0.5": "ReLU(x + 0.5)",
    "relu+1": "ReLU(x + 1)",
    "leaky_relu": "Leaky ReLU",
    "softplus": "Softplus",
    "sigmoid": "Sigmoid",
    "gelu": "GELU",
    "hard_tanh": "Hard tanh",
    "identity": "Identity",
    "silu": "SiLU",
    "swish": "Swish",
    "mish": "Mish",
    "elu": "ELU",
}
"""Names of activations, in the order in which figures show them; others follow under their own
name."""
ACTIVATION_MARKERS = dict(zip(ACTIVATION_NAMES, ("o", "s", *"pv<>^DPX*hdH812"), strict=True))
"""Markers that distinguish curves in grey, because tanh's orange is as dark as ReLU's blue. In all
figures tanh has a filled circle and ReLU an open square."""
FONTS = Path(__file__).parent / "fonts"
STYLE_FILE = Path(__file__).with_suffix(".mplstyle")
FULL = ("font.size", "axes.titlesize", "axes.labelsize")
SMALL = ("xtick.labelsize", "ytick.labelsize", "legend.fontsize", "legend.title_fontsize")
"""The sizes of type that follow from the config's; the second are a point smaller."""
OF_SETTING = ("GPOS", "GSUB", "GDEF")
"""The tables of a font with pairs of letters that move closer, ligatures and classes of glyphs."""
CHARACTER = 0.45
"""Width of a character of it in a line of words, in units of the type's size."""
BOLD_CHARACTER = 0.47
"""Width of a character of its bold type, in the same units."""
LINE = 1.2
"""Height of a line, in units of the type's size."""
GAP = 4
"""Points under the title."""
SMALLEST_RANGE = 0.05
"""The smallest range of a scale, so that single test samples are not enlarged at a ceiling. The end
of a logarithmic scale is at least this fraction above its start."""
FRAMED: dict[str, Any] = {"frameon": True, "edgecolor": BAND, "fancybox": False}
"""The frame of a legend in a panel whose dots could be taken for data."""
DPI = 300
"""Pixels per inch of the layout, as in style.mplstyle. With fewer pixels, letters are up to a tenth
narrower."""
STILL = 0.05
"""Points that panels may move from one round of the layout to the next."""
MOST_ROUNDS = 20
REASON = "reason"
"""The group of texts that are in a panel without data."""
END = "end"
"""The group of the names at the ends of lines."""
LEADER = "leader"
"""The group of the thin lines from points to names that had to move."""
ASIDE, WITH_LEADERS = 4, 7
"""Points between the end of a line and its name; the second where a name has a thin line."""
LETTER = "letter"
"""The group of the letters of panels."""
TITLE = "title"
"""The group of the title, which says what a figure found."""


class Style(NamedTuple):
    """The style of the config, whether this is a preview, and the training step to show."""

    colours: dict[str, str]
    width: float
    font_size: float
    preview: bool
    step: int | None = None
    partial: str | None = None
    """How many of the figure's seeds are measured, in words; None if all are"""
    notes: bool = True
    """Whether the title above a figure and the line under it are drawn"""


def class_colour(cluster: int, clusters: int) -> str:
    return CLASS_COLOURS[int(cluster >= clusters // 2)]


@contextmanager
def applied(style: Style) -> Iterator[None]:
    """Set Matplotlib's settings while a figure is drawn and written, and restore them.

    They are Matplotlib's defaults and these settings, and nothing of a matplotlibrc of the user.
    """
    import matplotlib

    _take_own_fonts()
    own = matplotlib.rc_params_from_file(STYLE_FILE, use_default_template=False)
    sizes = dict.fromkeys(SMALL, style.font_size - 1) | dict.fromkeys(FULL, style.font_size)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(own | sizes)
        yield


@cache
def _take_own_fonts() -> None:
    """Use the fonts that come with this package and with matplotlib, and no font of the machine:
    another version of the same font would draw other figures."""
    from fontTools.subset import Options
    from matplotlib import font_manager as fonts
    from matplotlib import get_data_path

    fonts.fontManager.ttflist.clear()
    for folder in (FONTS, Path(get_data_path(), "fonts", "ttf")):
        for path in sorted(folder.glob("*.ttf")):
            fonts.fontManager.addfont(path)
    # A PDF has each glyph in its place, and needs no tables for setting text. To cut these down to
    # a few glyphs took two thirds of the time of a PDF; matplotlib has no setting for it.
    Options._drop_tables_default = [*Options._drop_tables_default, *OF_SETTING]


def page(style: Style, height: float) -> Any:
    """Return an empty figure as wide as the config says; height: in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(style.width, height))


def say(ax: Any, reason: str) -> None:  # prose: ok
    """Write in a panel why it has nothing to show.

    `settle` breaks the text into lines of the panel's width. Panels next to it keep their scales.
    The axes are invisible, because the letter of the part would lie on their lines.
    """
    text = ax.text(0.5, 0.5, reason, transform=ax.transAxes, ha="center", va="center",
                   size=small_type(), color=GREY, gid=REASON)  # fmt: skip
    text.set_in_layout(False)
    ax.spines[:].set_visible(False)
    ax.tick_params(which="both", bottom=False, left=False, labelbottom=False, labelleft=False)


def letter(figure_part: Any, text: str, x: float = 0.0) -> None:
    """Write the bold letter of a panel at the top left of a subfigure, where no printer cuts it,
    or at the fraction `x` of its width."""
    from matplotlib.transforms import ScaledTranslation

    inset = ScaledTranslation(2 / 72, -2 / 72, figure_part.get_figure(root=True).dpi_scale_trans)
    figure_part.text(x, 1.0, text, weight="bold", size="large", va="top", ha="left", gid=LETTER,
                     transform=figure_part.transSubfigure + inset)  # fmt: skip


def small_type() -> float:
    """Return the size of words in a panel, in points. Ticks and legends have it, too."""
    from matplotlib import font_manager, rcParams

    size = rcParams["legend.fontsize"]
    return font_manager.FontProperties(size=size).get_size_in_points()


def finish(figure: Any, table: pd.DataFrame, style: Style, note: str) -> None:
    """Write the line under a figure: what it shows and, for networks, how many diverged."""
    lost = table.dropna(subset="diverged_step")
    diverged = len(lost[["run", "seed"]].drop_duplicates())
    of_networks = table["run"].notna().any()
    if diverged:
        note += f" Diverged and left out: {counted(diverged)}."
    elif of_networks:
        note += " No network diverged."
    banner = ["PREVIEW: the first seeds of a coarse grid"] * style.preview
    banner += [f"PARTIAL: {style.partial}"] * bool(style.partial)
    if banner and of_networks:
        figure.suptitle("\n".join(banner), color=GREY, weight="bold")
    note_under(figure, style, note)


def note_under(figure: Any, style: Style, note: str) -> None:
    """Write this line under a figure, make it the figure's label, and set scales and minus
    signs."""
    from matplotlib.figure import SubFigure
    from matplotlib.text import Text

    note = true_minus(note)
    figure.set_label(note)
    for text in figure.findobj(Text):
        text.set_text(true_minus(text.get_text()))
    for ax in figure.axes:
        _widen(ax)
    for part in figure.findobj(SubFigure):
        # Invisible anyway, but the layout puts its corner at 0 or -0, which the PDF would show.
        part.patch.set_visible(False)
    if not style.notes:
        return
    characters = int(style.width * 72 / (CHARACTER * (style.font_size - 1)))
    note = note.replace(" %", "\N{NO-BREAK SPACE}%")  # 95 % stays on one line
    note = textwrap.fill(note, characters, break_long_words=False)
    figure.supxlabel(note, size=style.font_size - 1, color=GREY, x=0.01, ha="left")


def title_above(figure: Any, style: Style, says: str) -> None:
    """Write what a figure found above it, and in its label. The figure becomes higher by these
    lines, so that its panels keep their sizes."""
    if not says:
        return
    says = true_minus(says)
    figure.set_label(f"{says} {figure.get_label()}")
    if not style.notes:
        return
    size = style.font_size + 1
    lines = textwrap.wrap(says, int(style.width * 72 / (BOLD_CHARACTER * size)))
    figure.set_figheight(figure.get_figheight() + (len(lines) * LINE * size + GAP) / 72)
    text = figure.suptitle("\n".join(lines), x=0.01, ha="left", size=size, weight="bold")
    text.set_gid(TITLE)


def _widen(ax: Any) -> None:
    """Make a scale wider if it would enlarge rounding errors."""
    if not ax.axison or ax.get_aspect() != "auto":
        return
    is_log = ax.get_yscale() == "log"
    low, high = np.log(ax.get_ylim()) if is_log else ax.get_ylim()
    smallest = np.log1p(SMALLEST_RANGE) if is_log else SMALLEST_RANGE
    missing = smallest - (high - low)
    if 1e-9 < missing < smallest:
        wider = np.array([low - missing / 2, high + missing / 2])
        ax.set_ylim(*(np.exp(wider) if is_log else wider))


def settle(figure: Any) -> bool:
    """Repeat the layout of a figure for files until nothing moves; return True if it came to rest.

    All positions are rounded. The last bits of the solver depend on the order of its constraints,
    which differs between processes, and would change the files. A scale may gain a label in one
    round and lose it in the next. Such a figure is left as it is after MOST_ROUNDS.
    """
    from matplotlib import rcParams
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import SubFigure

    FigureCanvasAgg(figure)
    figure.set_dpi(DPI)
    solver = figure.get_layout_engine()
    solver.execute(figure)
    for _ in range(MOST_ROUNDS):
        before = _places(figure)
        _fit_reasons(figure)
        _part_ends(figure)
        solver.execute(figure)
        is_still = bool((np.abs(_places(figure) - before) < STILL).all())
        if is_still:
            break
    # With "none" an engine that does nothing would be left, and each file would be drawn twice. The
    # setting is changed, too, because matplotlib returns to it after each file.
    rcParams["figure.constrained_layout.use"] = False
    figure.set_layout_engine(None)
    for part in figure.findobj(SubFigure):
        part.bbox_relative.set_points(_rounded(part.bbox_relative.get_points()))
    for ax in figure.axes:
        ax.set_position(_rounded(ax.get_position().bounds))
    for text in figure.texts:
        text.set_position(_rounded(text.get_position()))
    return is_still


def _places(figure: Any) -> np.ndarray:
    """Return the corners of all panels, in points."""
    corners = [ax.get_position().get_points() * ax.get_figure().bbox.size for ax in figure.axes]
    return np.array(corners) * 72 / figure.dpi


def _fit_reasons(figure: Any) -> None:
    """Put words in panels on lines that fit."""
    for ax in figure.axes:
        for text in ax.texts:
            if text.get_gid() == REASON:
                room = ax.bbox.width * 72 / figure.dpi / (CHARACTER * text.get_size())
                words = " ".join(text.get_text().split())
                text.set_text(textwrap.fill(words, max(int(room), 6), break_long_words=False))


def _part_ends(figure: Any) -> None:
    """Move names at the ends of lines up and down so that they do not overlap. Names that are more
    than half of their height away from their line have a thin line to it."""
    point = figure.dpi / 72
    for ax in figure.axes:
        names, leaders = ([text for text in ax.texts if text.get_gid() == g] for g in (END, LEADER))
        if names:
            heights = np.array([ax.transData.transform(name.xy)[1] for name in names]) / point
            sizes = np.array([name.get_window_extent().height for name in names]) / point
            moves = without_overlap(heights, sizes) - heights
            far = np.abs(moves) > sizes / 2
            aside = WITH_LEADERS if far.any() else ASIDE
            for name, leader, move, shown in zip(names, leaders, moves, far, strict=True):
                name.xyann = (np.copysign(aside, name.xyann[0]), float(move))
                leader.xyann = name.xyann
                leader.set_visible(bool(shown))


def without_overlap(heights: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the nearest heights, in the same order, at which texts of these sizes do not overlap.

    This is a regression to ascending heights, by pooling neighbours.

    >>> without_overlap(np.array([0.0, 1.0, 9.0]), np.array([2.0, 2.0, 2.0])).tolist()
    [-0.5, 1.5, 9.0]
    """
    order = np.argsort(heights, kind="stable")
    gaps = (sizes[order][1:] + sizes[order][:-1]) / 2
    below = np.concatenate([[0.0], np.cumsum(gaps)])
    pools: list[list[float]] = []
    for value in heights[order] - below:
        pools.append([float(value)])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    placed = np.concatenate([np.full(len(pool), np.mean(pool)) for pool in pools]) + below
    found = np.empty(len(heights))
    found[order] = placed
    return found


def _rounded(places: Any) -> np.ndarray:
    return np.round(places, 6) + 0.0  # no -0


def activations(table: pd.DataFrame) -> list[str]:
    """Return the activations in the table, in the order of all figures."""
    known = list(ACTIVATION_NAMES)
    present = table["activation"].dropna().unique()
    return sorted(present, key=lambda name: known.index(name) if name in known else len(known))


def activation_name(activation: str) -> str:
    return ACTIVATION_NAMES.get(activation, activation)


def counted(number: int) -> str:
    return f"{number} network" if number == 1 else f"{number} networks"
