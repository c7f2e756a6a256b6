"""Figure 10: the regions of the plane, and the neurons that leave theirs, from metrics made up by
hand."""

import warnings

import numpy as np
import pandas as pd
import pytest
from figure_tables import as_drawn
from matplotlib.collections import PathCollection
from matplotlib.text import Text

from repatlas.config.config import StyleSettings
from repatlas.inference.intervals import median_interval, proportion_interval
from repatlas.plots.style import Style, applied
from repatlas.studies.structure import fig10
from repatlas.studies.structure.fig10 import REGIONS

STEP = 9
# Equidistant clusters in the plane: x1 and x2, and the mirror images of the others.
CENTRES = {
    "intra": [2**0.5, -(2**0.5), 0, 0],
    "inter": [1, 1, -1, -1],
    "other intra": [0, 0, 1, -1],
}
# A place in the middle of each region, as (intra, inter).
PLACES = {"x1 only": (1, 0), "both": (0, 1), "x2 only": (-1, 0), "dead": (0, -1)}


def metrics(networks, variances=(1.0,), diverged=()):
    """Return the rows of one sweep. They hold, for each network, by seed, its neurons' positions
    at step 0 and at STEP, as pairs of positions or names of regions."""
    rows = []
    for variance in variances:
        for seed, neurons in enumerate(networks):
            common = {
                "run": f"run {variance}", "activation": "relu", "delta": 1.0, "clusters": 4,
                "noise_variance": variance, "targets": 1, "depth": 1, "seed": seed,
                "diverged_step": 3 if seed in diverged else None,
            }  # fmt: skip
            for index, step in enumerate((0, STEP)):
                lost = step and seed in diverged
                found = [("selectivity", "diverged", None, None, None)] if lost else _measured(
                    [neuron[index] for neuron in neurons], seed
                )  # fmt: skip
                names = ["measure", "variant", "neuron", "cluster", "value"]
                rows += [common | {"step": step} | dict(zip(names, r, strict=True)) for r in found]
    numbers = ["neuron", "cluster", "value", "diverged_step"]
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, float))


def _measured(neurons, seed):
    directions = np.column_stack([CENTRES["intra"], CENTRES["inter"]]) / np.sqrt(3)
    for number, place in enumerate(neurons):
        intra, inter = PLACES.get(place, place) if isinstance(place, str) else place
        yield "weight", "intra", number, None, intra
        yield "weight", "inter", number, None, inter
        for cluster, value in enumerate(directions @ [intra, inter]):
            yield "tuning", "centres", number, cluster, value
    # A neuron with negative readout weight has tuning, but no place in the plane.
    for cluster in range(4):
        yield "tuning", "centres", len(neurons), cluster, 1.0
    for axis, values in CENTRES.items():
        for cluster, value in enumerate(values):
            yield "centre", axis, None, cluster, value
    yield "target_alignment", "centres", None, None, 0.5 + 0.1 * seed


def make_table(*arguments, **more):
    table = fig10.tabulate({"weights": metrics(*arguments, **more)}, STEP)
    return as_drawn(table)


def escape(table, variant):
    return table[(table["measure"] == "escape") & (table["variant"] == variant)]


def region(convention, intra, inter):
    return fig10.regions(metrics([[((intra, inter), (0, 1))]]), 0)[convention].item()


@pytest.mark.parametrize(
    ("place", "signs", "degrees"),
    [
        ((1, 0), "x1 only", "x1 only"),
        ((-1, 0), "x2 only", "x2 only"),
        ((0, 1), "both", "both"),
        ((0, -1), "dead", "dead"),
        # Between the boundaries: at inter = |intra| and at inter = sqrt 2 |intra|.
        ((1, 1.2), "x1 only", "both"),
        ((-1, 1.2), "x2 only", "both"),
        ((1, 1.5), "both", "both"),
        ((1, 0.9), "x1 only", "x1 only"),
        # Below: the neuron is silent at both centres from inter = -sqrt 2 |intra| on.
        ((1, -1.3), "x1 only", "x1 only"),
        ((1, -1.5), "dead", "dead"),
        ((-1, -1.3), "x2 only", "x2 only"),
        ((-1, -1.5), "dead", "dead"),
    ],
)
def test_a_neuron_is_in_one_region_by_each_convention(place, signs, degrees):
    assert region("signs", *place) == signs
    assert region("45 degrees", *place) == degrees


def test_the_escape_probability_is_the_median_over_networks_and_not_over_neurons():
    networks = [
        [("x1 only", "both"), ("both", "both")],
        [("x1 only", "both"), ("x2 only", "x2 only"), ("x2 only", "x2 only")],
        [("x2 only", "x2 only"), ("x1 only", "x2 only")],
    ]
    table = make_table(networks)
    [row] = escape(table, "signs, alive: networks").to_dict("records")
    expected = median_interval(np.array([1, 1 / 3, 0]))
    assert (row["value"], row["low"], row["high"]) == pytest.approx(tuple(expected), nan_ok=True)
    own = escape(table, "signs, alive: network")
    assert own.set_index("seed")["value"].to_dict() == pytest.approx({0: 1, 1: 1 / 3, 2: 0})
    [row] = escape(table, "signs, alive: neurons").to_dict("records")
    assert (row["value"], row["low"], row["high"]) == pytest.approx(proportion_interval(2, 6))


def test_neurons_that_die_are_left_out_of_one_probability_and_counted_in_the_other():
    table = make_table([[("x1 only", "both"), ("x2 only", "dead"), ("dead", "both")]])
    assert escape(table, "signs, alive: networks")["value"].item() == 1
    assert escape(table, "signs, all: networks")["value"].item() == 0.5


def test_the_reverse_probability_is_that_of_neurons_which_start_in_both():
    network = [("both", "x1 only"), ("both", "both"), ("both", "dead"), ("x1 only", "both")]
    table = make_table([network]).query("measure == 'return'").set_index("variant")["value"]
    assert table["signs, alive: networks"] == 1 / 2
    assert table["signs, all: networks"] == 1 / 3


def test_each_noise_variance_has_its_own_probability():
    rows = metrics([[("x1 only", "both")]], variances=(0.0, 4.0))
    at_end = (rows["step"] == STEP) & (rows["noise_variance"] == 0)
    rows.loc[at_end & rows["measure"].isin(["weight", "tuning"]), "value"] *= -1
    table = fig10.tabulate({"weights": rows}, STEP)
    found = escape(table, "signs, all: networks").set_index("noise_variance")["value"]
    assert found.to_dict() == {0.0: 0.0, 4.0: 1.0}


def test_the_counts_of_transitions_are_those_of_all_networks():
    table = make_table([[("x1 only", "both"), ("dead", "x2 only")], [("x1 only", "both")]])
    counts = table[table["measure"] == "neurons"].set_index("variant")["value"]
    assert len(counts) == 2 * len(REGIONS) ** 2
    assert counts[counts > 0].to_dict() == {
        f"{convention}: {transition}": number
        for convention in ("signs", "45 degrees")
        for transition, number in (("x1 only to both", 2), ("dead to x2 only", 1))
    }


def test_fates_are_those_of_the_first_network_at_the_places_where_its_neurons_start():
    table = make_table([[((1, 0.25), "both"), ("dead", "dead")], [("x2 only", "both")]])
    fates = table[(table["measure"] == "fate") & table["variant"].str.startswith("signs")]
    found = {row.variant: (row.intra, row.inter, row.seed) for row in fates.itertuples()}
    assert found == {"signs: both": (1, 0.25, 0), "signs: dead": (0, -1, 0)}


def drawn(table):
    style = Style(StyleSettings().colours, 5.5, 7.0, preview=False, step=STEP)
    with applied(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = fig10.draw(table, style)
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    return figure, " ".join(" ".join(texts).split())


NETWORKS = [
    [("x1 only", "both"), ("x2 only", "x2 only"), ("both", "both"), ("dead", "dead")],
    [("x1 only", "both"), ("x2 only", "both"), ("both", "dead"), ("dead", "x1 only")],
    [("x1 only", "x1 only"), ("x2 only", "x2 only"), ("both", "both"), ("dead", "dead")],
]


def test_a_neuron_stands_where_it_starts_in_the_colour_of_where_it_ends():
    figure, _ = drawn(make_table([[((0.5, 0.25), "both"), ((-0.5, 0.25), (-1, 1.2))]]))
    clouds = [c for ax in figure.axes for c in ax.findobj(PathCollection) if len(c.get_offsets())]
    found = {tuple(c.get_offsets()[0]): c.get_label() for c in clouds}
    names = {region: name for region, (_, _, name) in fig10.FATES.items()}
    assert found == {(0.5, 0.25): names["both"], (-0.5, 0.25): names["x2 only"]}


def test_networks_that_diverged_are_counted_and_left_out():
    table = make_table(NETWORKS, diverged={1})
    assert escape(table, "signs, alive: networks")["value"].item() == 0.25
    _, texts = drawn(table)
    assert "over 2 networks" in texts
    assert "Diverged and left out: 1 network" in texts
