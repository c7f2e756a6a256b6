"""A mean in a figure is over networks of one kind: rows of another kind among them, whatever they
differ in, are refused and never averaged without a word."""

import contextlib
from pathlib import Path

import pandas as pd
import pytest
from figure_tables import read_figure_table
from plausible import DRAWN_AS, FITTING, LISTS, WITHOUT_STEP

from repatlas.config.config import StyleSettings
from repatlas.inference.pooling import refuse_mixed_kinds
from repatlas.named import named
from repatlas.plots.style import Style, applied

STEP = 8
OTHER = {
    "delta": 0.75, "noise_variance": 9.0, "clusters": 64, "targets": 7, "kernel": "another",
    "alignment": 0.7, "draw": 9, "distribution": "another", "centred": False, "depth": 9,
    "readout": "another", "errors": "another", "layer": 9, "step": 5, "run": "another",
}  # fmt: skip
"""A value for each column that tells kinds of networks, which no network of the tables has."""
SHOWN = {
    "fig01": {"step"},
    "fig02": {"delta"},
    "fig03": {"delta", "noise_variance"},
    "fig04": {"clusters", "targets", "alignment", "draw"},
    "fig05": {"depth", "layer"},
    "fig06": {"targets", "alignment"},
    "fig07": set(),
    "fig07C": set(),
    "fig08": {"step", "readout"},
    "fig10": {"noise_variance"},
    "figS1": {"distribution", "centred"},
    "figS2": {"step", "errors"},
    "figS3": {"delta", "alignment", "clusters", "targets", "step"},
    "figS4": {"alignment"},
    "figS5": {"depth", "layer"},
    "figS7": {"delta", "noise_variance", "step"},
    "figS8": {"depth", "layer"},
}
"""The columns whose values each figure shows: as an axis, in separate panels, or as dashes."""
LEFT_OUT = {
    "fig02": {"step"},
    "fig03": {"step"},
    "fig04": {"step", "kernel"},
    "fig05": {"step", "kernel", "alignment"},
    "fig06": {"step"},
    "figS1": {"step"},
    "figS3": {"kernel"},
    "figS5": {"step", "kernel", "alignment"},
}
"""Columns by which the figure takes the rows that it draws, or has a row of panels for each value,
and leaves the others."""
FEW = {"fig03"}
"""Figures that quick tests try."""
CASES = [
    pytest.param(name, column, marks=[] if name in FEW else pytest.mark.slow)
    for name in SHOWN
    for column in OTHER
    if column not in SHOWN[name] | LEFT_OUT.get(name, set())
]


@pytest.fixture(scope="module")
def table(tmp_path_factory, make_tables):
    """The table of each figure, made from networks, by the figure's name."""
    made = {}

    def find(name):
        if name not in made:
            options = {"draw": DRAWN_AS.get(name, name)}
            options |= {} if name in WITHOUT_STEP else {"step": STEP}
            fields = {field: [field] if field in LISTS else field for field in FITTING[name]}
            values = {
                "sweeps": FITTING[name],
                "figures": {name: options | fields},
                "decoders": {"train_samples": 64, "test_samples": 64},
            }
            with contextlib.chdir(tmp_path_factory.mktemp(name)):
                make_tables(values)
                path = Path(f"results/structure/tables/{name}.parquet")
                _, found = read_figure_table(path)
            made[name] = found.to_pandas()
        return made[name]

    return find


def draw(name, rows):
    style = Style(StyleSettings().colours, 5.5, 7.0, preview=False, step=STEP)
    with applied(style):
        named("studies.structure", DRAWN_AS.get(name, name)).draw(rows, style)


@pytest.mark.parametrize(("name", "column"), CASES)
def test_a_figure_refuses_rows_that_differ_in_what_it_does_not_show(table, name, column):
    rows = table(name)
    # Figure S3 draws differences between networks, the others the networks themselves.
    drawn = rows["contrast"].notna() if name == "figS3" else rows["run"].notna()
    of_networks = rows[drawn]
    both = pd.concat([rows, of_networks.assign(**{column: OTHER[column]})], ignore_index=True)
    with pytest.raises(ValueError, match=rf"^{column}: found .*{OTHER[column]}.*, allowed: one"):
        draw(name, both.astype(rows.dtypes))


def test_rows_of_networks_that_no_column_tells_apart_are_refused():
    rows = pd.DataFrame({"run": ["a", "b"], "seed": [0, 0], "step": [1, 1], "value": [0.1, 0.2]})
    refuse_mixed_kinds(rows, ["step", "run"])
    with pytest.raises(ValueError, match="run: found a, b for what the figure shows as one kind"):
        refuse_mixed_kinds(rows, ["step"])


def test_networks_that_differ_in_their_seed_and_in_what_was_found_are_of_one_kind():
    rows = pd.DataFrame({"run": "a", "seed": [0, 1], "step": 1, "value": [0.1, 0.2]})
    refuse_mixed_kinds(rows.assign(alignment=None, diverged_step=[None, 1]), ["step", "alignment"])
