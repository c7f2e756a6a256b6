"""Each figure is drawn from its table alone, the same each time, whatever its networks did."""

import io
import json
import os
import re
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from figure_tables import as_stored
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image
from selections import some
from stages import whole_table

from repatlas.artifacts.drawings import read_drawing
from repatlas.config.config import StyleSettings, read_config
from repatlas.figures.columns import with_all_columns
from repatlas.named import names
from repatlas.networks.activation import activation as activation_of
from repatlas.plots.panels import TITLES
from repatlas.plots.style import (
    ACTIVATION_NAMES,
    FONTS,
    Style,
    activation_name,
    activations,
    applied,
    settle,
)
from repatlas.studies.structure import fig01, fig02, fig03
from repatlas.studies.structure.rows.panels import PANELS
from repatlas.workflow import scopes
from repatlas.workflow.plan import Plan
from repatlas.workflow.stages import Job, plot

ACTIVATIONS = {name: activation_of(name) for name in names("networks.activations")}

DELTAS = (0.0, 0.5, 1.0)
NAMES = ("fig01", "fig02", "fig03")
DRAW = {"fig01": fig01.draw, "fig02": fig02.draw, "fig03": fig03.draw}
every_figure = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def make_table(made_up_metrics):
    """The table of a figure, as the stage before would write it."""

    def make(name, panels=None, trajectories=None, **both):
        panels = both | (panels or {})
        trajectories = both | {"selectivity": True} | (trajectories or {})
        if name == "fig01":
            rows = {
                "sweep": made_up_metrics(**panels),
                "trajectories": made_up_metrics(**trajectories),
            }
            table = fig01.tabulate(rows, None)
        elif name == "fig02":
            rows = {
                "sweep": made_up_metrics(deltas=DELTAS, **panels),
                "trajectories": made_up_metrics(deltas=DELTAS, **trajectories),
            }
            table = whole_table(fig02, rows, 5)
        else:
            metrics = made_up_metrics(deltas=DELTAS, variances=(0.0, 1.0, 4.0), **panels)
            table = whole_table(fig03, {"sweep": metrics}, 5)
        return with_all_columns(as_stored(table))

    return make


def drawn(name, table, preview=False, width=5.5):
    """Draw a figure, and return it with all its texts."""
    style = Style(StyleSettings().colours, width, 7.0, preview, step=5)
    with applied(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = DRAW[name](with_all_columns(table).to_pandas(), style)
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    return figure, " ".join(" ".join(texts).split())


@pytest.fixture(scope="module")
def usual(make_table):
    """Return a figure of its usual table, with its texts. Tests that only look at it share one
    drawing."""
    return cache(lambda name: drawn(name, make_table(name)))


LOST = {"fig01": ("relu", None, 1.0, 1), "fig02": ("relu", 0.5, 1.0, 1)}
"""A network of each figure, which diverges."""


def plotted(folder, table, values, name, title=None):
    """Draw PDF and PNG as the stage writes them, 5 inches wide, and return them with the job.

    title: another than planned."""
    plan = Plan(read_config(values | {"style": {"width": 5}}), str(folder))
    job = Job(plan, plan.results[f"structure/figures/{name}.pdf"], {})
    job.recipe["title"] = title or job.recipe["title"]
    job.declare(*scopes.figure("structure", name, []))
    paths = [job.output(suffix) for suffix in (".parquet", ".pdf", ".png")]
    plot.write_figure(paths, job.recipe, table, lambda: job.header)
    return *paths[1:], job


@pytest.mark.parametrize("name", LOST)
def test_a_network_that_diverged_is_counted_and_left_out(usual, make_table, name):
    whole, _ = usual(name)
    figure, texts = drawn(name, make_table(name, panels={"diverged": {LOST[name]: 3}}))
    assert "Diverged and left out: 1 network" in texts

    # ReLU's line now shows only seed 0, which is 0.025 lower than seed 1.
    (before, after) = (
        {
            x: y
            for line in axes_of(drawing, "Target alignment").lines
            if line.get_color() == StyleSettings().colours["relu"] and len(line.get_xdata())
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        }
        for drawing in (whole, figure)
    )
    place = 5 if name == "fig01" else 0.5
    assert before[place] - after[place] == pytest.approx(0.025)


def axes_of(figure, title):
    return next(ax for ax in figure.findobj(match=lambda a: hasattr(a, "get_title"))
                if ax.get_title() == title)  # fmt: skip


def test_a_network_whose_trajectory_is_not_drawn_may_diverge(make_table):
    lost = {("relu", None, 1.0, 1): 3}
    _, texts = drawn("fig01", make_table("fig01", trajectories={"diverged": lost}))
    assert "Diverged and left out: 1 network" in texts
    assert "25% inter-selective" in texts  # seed 0 only
    assert "50% inter-selective" in texts  # tanh: the mean of both


def test_networks_of_the_panels_and_of_the_trajectories_are_counted_apart(make_table):
    lost = {"diverged": {("relu", None, 1.0, 1): 3}}
    _, texts = drawn("fig01", make_table("fig01", panels=lost, trajectories=lost))
    assert "Diverged and left out: 2 networks" in texts


def test_the_mean_of_a_heat_map_is_that_of_the_networks_that_converged(make_table, usual):
    lost = {("relu", 0.5, 1.0, 1): 3}
    figure, _ = drawn("fig03", make_table("fig03", diverged=lost))
    before, after = heat_maps(usual("fig03")[0]), heat_maps(figure)
    assert before.shape == (3, 4, 9)  # tanh, ReLU and their difference
    assert some(before[0] == after[0]).all()
    # One cell of each map of ReLU changed, to the value of seed 0: 0.025 lower.
    changed = np.sort(before[1] - after[1])
    assert changed[:, -1] == pytest.approx(0.025)
    assert changed[:, :-1] == pytest.approx(0)


def test_a_measure_has_one_colour_scale_in_figure_3(usual):
    figure, _ = usual("fig03")
    scales = np.array([mesh.get_clim() for mesh in meshes(figure)]).reshape(3, 4, 2)
    titles = [ax.get_title() for ax in figure.axes[:4]]
    for row in scales[:2]:
        for title, scale in zip(titles, row, strict=True):
            assert tuple(scale) == ((-1, 1) if title == "Parallelism score" else (0, 1))
    assert some(scales[2] == scales[2, 0]).all()


def test_figure_3_dots_differences_whose_interval_holds_0(make_table):
    table = make_table("fig03", seeds=6).to_pandas()
    is_effect = (table["contrast"] == "tanh - relu") & (table["measure"] == "target_alignment")
    undecided = is_effect & (table["delta"] == 0.5) & (table["noise_variance"] == 4.0)
    assert undecided.sum() == 1
    table.loc[is_effect, ["low", "high"]] = [0.1, 0.3]
    table.loc[undecided, ["low", "high"]] = [-0.1, 0.3]
    below = is_effect & (table["delta"] == 0.0) & (table["noise_variance"] == 0.0)
    table.loc[below, ["low", "high"]] = [-0.3, -0.1]
    figure, texts = drawn("fig03", as_stored(table))
    dots, dashes = figure.axes[8].lines
    assert dots.get_xydata().tolist() == [[2.5, 1.5]]
    assert dashes.get_xydata().tolist() == [[0.5, 0.5]]
    assert "Dot: the interval holds 0. Dash: it lies below 0. No mark: it lies above." in texts


def meshes(figure):
    return [mesh for mesh in figure.findobj(QuadMesh) if mesh.get_array().size == 9]


def heat_maps(figure):
    """Return the heat maps as (rows, measures, cells)."""
    cells = [np.asarray(mesh.get_array(), float).ravel() for mesh in meshes(figure)]
    return np.array(cells).reshape(-1, 4, 9)


@every_figure
def test_a_preview_says_so(make_table, name):
    table = make_table(name, activations=("tanh",), seeds=1)
    assert "PREVIEW" in drawn(name, table, preview=True)[1]


@pytest.mark.parametrize(
    "name", ["fig03", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[:-1])]
)
def test_the_same_table_gives_the_same_bytes(make_table, small_values, tmp_path, name):
    table = make_table(name)
    first = plotted(tmp_path / "first", table, small_values, name)
    again = plotted(tmp_path / "again", table, small_values, name)
    for one, other in zip(first[:2], again[:2], strict=True):
        assert one.read_bytes() == other.read_bytes()


HOSTILE = "axes.facecolor: yellow\nlines.linewidth: 5\nfont.family: serif\nsavefig.dpi: 50\n"


INLINE = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
DRAWN_AGAIN = """
from repatlas.artifacts.files import read_table
from repatlas.workflow import scopes
from repatlas.workflow.config import plan_of, read
from repatlas.workflow.stages import Job, plot
plan = plan_of(read(["config.yaml"], {}))
job = Job(plan, plan.results["structure/figures/fig03.pdf"], {})
job.declare(*scopes.figure("structure", "fig03", []))
paths = [job.output(suffix) for suffix in (".parquet", ".pdf", ".png")]
plot.write_figure(paths, job.recipe, read_table(paths[0], "table")[1], lambda: job.header)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [{"MPLCONFIGDIR": "own"} | INLINE, {"MATPLOTLIBRC": "own/matplotlibrc"}],
    ids=lambda changed: "-".join(changed),
)
def test_what_matplotlib_reads_of_the_user_changes_no_figure(
    make_table, small_values, tmp_path, changed
):
    (tmp_path / "config.yaml").write_text(json.dumps(small_values | {"style": {"width": 5}}))
    files = plotted(tmp_path / "results", make_table("fig03"), small_values, "fig03")[:2]
    before = [path.read_bytes() for path in files]
    for path in files:
        path.unlink()
    (tmp_path / "own").mkdir()
    (tmp_path / "own/matplotlibrc").write_text(HOSTILE)
    command = [sys.executable, "-c", DRAWN_AGAIN]
    subprocess.run(command, env=os.environ | changed, cwd=tmp_path, check=True)
    assert [path.read_bytes() for path in files] == before


def test_both_files_of_a_figure_say_what_they_were_made_from(make_table, small_values, tmp_path):
    pdf, png, job = plotted(tmp_path / "made", make_table("fig03"), small_values, "fig03")
    expected = job.header
    assert expected["job"]["figure"] == "fig03"
    assert "repatlas.studies.structure.fig03" in expected["modules"]
    for path in (pdf, png):
        header = read_drawing(path)
        assert len(header.pop("digest")) == 64
        assert header == expected
    assert Image.open(png).size[0] == 5 * 300  # as fine as print


def test_a_picture_without_notes_has_them_as_its_description(make_table):
    style = Style(StyleSettings().colours, 5.5, 7.0, preview=False, step=5, notes=False)
    with applied(style):
        figure = DRAW["fig03"](make_table("fig03").to_pandas(), style)
    assert not figure.get_supxlabel()
    assert "No network diverged." in figure.get_label()


def test_every_activation_has_a_name_in_the_figures_and_every_panel_a_title():
    assert ACTIVATION_NAMES.keys() == ACTIVATIONS.keys()
    assert tuple(TITLES) == PANELS


def test_an_activation_that_the_figures_do_not_know_comes_last_under_its_own_name(
    made_up_metrics,
):
    table = made_up_metrics(activations=("no_such", "relu", "tanh"))
    assert activations(table) == ["tanh", "relu", "no_such"]
    assert activation_name("no_such") == "no_such"


def test_places_are_rounded_so_that_the_solver_s_last_bits_do_not_show():
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    for part in figure.subfigures(1, 2):
        part.suptitle("A")
        for ax in part.subplots(2, 1):
            ax.set(title="title", ylabel="label")
    settle(figure)
    laid_out = [ax.get_position().bounds for ax in figure.axes]
    for bounds in laid_out:
        assert bounds == pytest.approx(np.round(bounds, 6), abs=1e-15)
    assert len(set(laid_out)) == 2, "the second part is where the first one is, in its own half"
    figure.savefig(io.BytesIO())  # and nothing moves when it is written
    assert [ax.get_position().bounds for ax in figure.axes] == laid_out
    assert not any(np.signbit(text.get_position()).any() for text in figure.texts)


def test_figures_take_the_package_s_fonts_and_those_of_matplotlib_and_none_of_the_machine():
    ours, theirs = str(FONTS), str(Path(matplotlib.get_data_path(), "fonts"))
    with applied(Style(StyleSettings().colours, 5.5, 7, False)):
        for kind in ("sans:bold", "DejaVu Sans:italic", "Liberation Sans"):
            path = font_manager.findfont(kind, fallback_to_default=True)
            assert path.startswith((ours, theirs)), kind
        font = "Fira Sans Condensed"
        kinds = {"Regular": font, "Italic": f"{font}:italic", "Bold": f"{font}:bold"}
        for name, kind in kinds.items():
            assert font_manager.findfont(kind) == str(FONTS / f"FiraSansCondensed-{name}.ttf")
        assert font_manager.findfont("DejaVu Sans").startswith(theirs)


def test_words_and_formulas_of_a_pdf_are_text_in_the_package_s_font():
    written = io.BytesIO()
    with applied(Style(StyleSettings().colours, 5.5, 7, False)):
        matplotlib.rcParams["pdf.compression"] = 0
        figure = Figure(figsize=(2, 1))
        figure.text(0.1, 0.5, r"words, $\sigma^2$ and $\mathbf{b}$")
        figure.savefig(written, format="pdf")
    found = set(re.findall(rb"/BaseFont /(?:[A-Z]{6}\+)?([\w-]+)", written.getvalue()))
    assert found == {b"FiraSansCondensed-" + kind for kind in (b"Regular", b"Italic", b"Bold")}
    assert b"/Type3" not in written.getvalue()


def test_fonts_come_with_their_licence():
    licence = (FONTS / "LICENSE").read_text(encoding="utf-8")
    assert "SIL Open Font License, Version 1.1" in licence
