"""What the figures of gating show and say. Every value that a config allows is drawn, reported as
left out, or refused; no note promises intervals that do not exist."""

import copy
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from drawn_words import letters_of
from figure_tables import as_drawn
from one_more import column_of, is_told, places_of, study_of, takers, with_one_more
from said_and_shown import NO_VALUE, PROMISE, empty_panels, texts_of
from test_gating_rows import ABOUT, FALLING, curve

from repatlas.config.config import COLOURS, ConfigError, read_config
from repatlas.config.study import figures_of
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.inference.intervals import FEWEST
from repatlas.named import named, names
from repatlas.plots.style import Style, applied, settle
from repatlas.studies.gating.look import LOOKS
from repatlas.studies.gating.rows.curves import THEORIES

LIMITS = {limit for limit in Contexts.model_fields["contexts"].metadata if hasattr(limit, "le")}
MOST = next(iter(LIMITS)).le
LEVELS = ("0.5", "0.25", "0.1", "0.05", "0.01")


def drawing(figure, table):
    style = Style(COLOURS, 5.5, 7.0, False)
    with applied(style):
        return named("studies.gating", figure).draw(as_drawn(table), style)


def tabulated(figure, **rows):
    return named("studies.gating", figure).tabulate(rows, None)


def networks(kind, contexts, seeds=2, scale=1.0, **about):
    """Return loss curves on the homogeneous task of these numbers of contexts."""
    about = {"network": kind, "blocks": "homogeneous", "task": "contexts", **about}
    return pd.concat(
        curve(scale * FALLING, run=f"{kind}{number}", seed=seed, contexts=number, **about)
        for number in contexts
        for seed in range(seeds)
    )


@pytest.mark.parametrize("contexts", range(2, MOST + 1))
def test_agreement_is_drawn_for_every_number_of_contexts(contexts):
    relu = networks("relu", [contexts])
    theory = networks("mean_field", [contexts], 1, 1.1, gradient="joint", pathways="all_but_one")
    drawn = drawing("figS7", tabulated("figS7", networks=relu, theories=theory))
    assert f"{contexts} contexts" in texts_of(drawn)
    first = drawn.axes[0]
    assert [len(line.get_xdata()) for line in first.lines if line.get_label()[0] != "_"] == [1]
    assert empty_panels(drawn) == []


def test_agreement_is_sorted_and_has_the_distance_between_seeds_as_a_band():
    relu = pd.concat(
        networks("relu", [3], 1, scale).assign(seed=seed)
        for seed, scale in enumerate([1.0, 1.03, 1.0])
    )
    theories = pd.concat(
        networks(kind, [3], 1, scale, pathways="all_but_one", **about)
        for kind, scale, about in (
            ("race", 1.1, {"constants": "authors"}),
            ("mean_field", 1.2, {"gradient": "joint"}),
            ("closed_form", 1.01, {"constants": "derived"}),
        )
    )
    drawn = drawing("figS7", tabulated("figS7", networks=relu, theories=theories))
    first = drawn.axes[0]
    assert [label.get_text() for label in first.get_yticklabels()] == [
        "closed form, derived, with ReLU",
        "race, authors', with ReLU",
        "K-flow, joint, with ReLU",
    ]
    [band] = first.patches
    assert band.get_x() + band.get_width() == pytest.approx(0.03, rel=0.05)
    assert (band.get_y(), band.get_y() + band.get_height()) == (-0.5, 2.5)
    assert "Grey: as near as two of these networks with different seeds" in drawn.get_label()


def test_networks_that_nothing_is_compared_with_have_a_row_from_seed_to_seed():
    linear = pd.concat(
        networks("linear", [3], 1, scale).assign(seed=seed) for seed, scale in enumerate([1, 1.03])
    )
    drawn = drawing("figS7", tabulated("figS7", networks=linear, theories=ABOUT_NOTHING))
    rows = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert rows == ["linear network, seed to seed"]
    assert "Grey" not in drawn.get_label()


def test_linear_networks_of_any_number_of_contexts_have_a_floor():
    table = tabulated("figS7", networks=networks("linear", [2, 7]), theories=ABOUT_NOTHING)
    assert set(table.loc[table["measure"] == "excess", "contexts"]) == {2, 7}


ABOUT_NOTHING = curve([1.0], **ABOUT)[:0]


def test_theories_of_other_tasks_than_the_networks_are_said_to_agree_with_none():
    relu = networks("relu", [6], 1)
    theory = networks("mean_field", [3], 1, gradient="joint", pathways="all_but_one")
    drawn = drawing("figS7", tabulated("figS7", networks=relu, theories=theory))
    assert texts_of(drawn).count("No two loss curves of one task to compare") == 3
    assert not PROMISE.search(drawn.get_label())


def test_every_curve_that_networks_can_have_is_named_and_drawn():
    found = set()
    for kind in names("experiments.items.networks"):
        known = next(
            each
            for each in vars(named("experiments.items.networks", kind)).values()
            if getattr(each, "model_fields", {}).get("kind")
            and kind in get_args(each.model_fields["kind"].annotation)
        )
        options = [
            get_args(known.model_fields[name].annotation)
            for name in ("gradient", "constants", "gates")
            if name in known.model_fields
        ]
        found |= {" ".join([kind, *chosen]) for chosen in product_of(options)}
    assert found <= set(LOOKS)


def product_of(options):
    every = [[]]
    for values in options:
        every = [[*chosen, value] for chosen in every for value in values]
    return every


def xor(delta, seeds=2, sigma=1e-4):
    about = {"network": "relu", "task": "xor", "delta": delta, "sigma": sigma}
    return pd.concat(curve(2 * FALLING, run=f"x{delta}", seed=n, **about) for n in range(seeds))


def shares(deltas, sigma=1e-4, seeds=2):
    rows = pd.DataFrame({"delta": deltas, "value": np.linspace(1, 0, len(deltas))})
    about = ABOUT | {"measure": "items_share", "variant": "items", "neuron": 1, "step": 99}
    about |= {"network": "relu", "task": "xor", "sigma": sigma}
    about = {name: value for name, value in about.items() if name not in rows}
    return pd.concat(
        rows.assign(**about, seed=n, run=[f"{delta}/{sigma}" for delta in deltas])
        for n in range(seeds)
    )


@pytest.mark.parametrize("deltas", [[0.0], [0.0, 2.0], [0.0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1]])
def test_losses_are_drawn_for_every_delta_that_was_asked_for(deltas):
    rows = {"transition": shares([0.0, 2.0]), "losses": pd.concat(map(xor, deltas))}
    drawn = drawing("fig02", tabulated("fig02", **rows))
    [panel] = [ax for ax in drawn.axes if ax.get_ylabel() == "Loss"]
    solid = [line for line in panel.lines if line.get_linestyle() == "-"]
    assert (len(solid), len(panel.lines)) == (2 * len(deltas), 3 * len(deltas))
    [below] = [ax for ax in drawn.axes if ax.get_ylabel().startswith("Largest difference")]
    assert below.lines[0].get_xdata().tolist() == deltas
    assert empty_panels(drawn) == []
    assert "E: after the last epoch, medians over 2 networks, no interval" in drawn.get_label()


def matched(network, initial, sigma, contexts=3, seeds=2, delta=None):
    """Return what is measured at matched loss, and rows with the number of networks that got
    there."""
    rows = pd.DataFrame({"variant": LEVELS, "value": np.linspace(0.3, 0.9, len(LEVELS))})
    about = ABOUT | {"measure": "target_alignment", "step": 9, "layer": np.nan}
    about |= {"network": network, "initial": initial, "sigma": sigma, "delta": delta}
    about |= {"contexts": contexts, "blocks": "homogeneous", "task": "contexts"}
    about |= {"run": f"{network} {initial} {sigma} {contexts} {delta}"}
    about = {name: value for name, value in about.items() if name not in rows}
    return pd.concat(rows.assign(**about, seed=n) for n in range(seeds))


@pytest.mark.parametrize("contexts", [3, 6])
def test_geometry_is_drawn_for_every_scale_of_weights_and_number_of_contexts(contexts):
    scales = (0.1, 0.5, 1.0, 2.0)
    large = [matched(kind, "fan_in", g, contexts) for kind in ("relu", "tanh") for g in scales]
    nothing = ABOUT_NOTHING.assign(layer=np.nan)
    rows = {"small": matched("relu", "equal", 1e-5, contexts), "large": pd.concat(large)}
    drawn = drawing("figS5", tabulated("figS5", **rows, gated=nothing, theory=nothing))
    texts = texts_of(drawn)
    wanted = {f"{name}, g = {g:g}" for name in ("ReLU", "Tanh") for g in scales}
    assert wanted | {"ReLU, small"} <= set(texts)
    curves = [line for line in drawn.axes[0].lines if len(line.get_xdata()) == len(LEVELS)]
    assert len(curves) == 9
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in curves}
    assert len(looks) == 9
    assert f"homogeneous task, {contexts} contexts: " in drawn.get_label()
    assert not PROMISE.search(drawn.get_label())


def test_widths_and_scales_that_the_figure_has_no_place_for_are_named():
    kinds = [(50, 1e-5), (50, 1e-4), (100, 1e-5), (100, 1e-4)]
    relu = pd.concat(
        networks("relu", [3], width=width, sigma=sigma).assign(run=f"{width} {sigma}")
        for width, sigma in kinds
    )
    drawn = drawing("figS2", tabulated("figS2", relu=relu))
    assert empty_panels(drawn) == []
    assert r"Not drawn: 100 units at $1.0\times 10^{" in drawn.get_label()
    assert "No fit in this run" in drawn.get_label()
    ticks = [{text.get_text() for text in ax.get_xticklabels()} for ax in drawn.axes]
    assert {"50", "100"} in ticks


def settings(sweep, **more):
    def change(values):
        of = values["sweeps"][sweep]
        for part, changes in more.items():
            of[part] = of[part] | changes

    return change  # fmt: skip


def with_one_figure(figure, change):
    """Make the change in a config without the other figures, which refuse it, too."""

    def both(values):
        change(values)
        values["figures"] = {figure: values["figures"][figure]}

    return both


REFUSED = {
    "more values of delta than there is room for": (
        settings("xor_losses", task={"delta": [n / 4 for n in range(9)]}),
        "figures.fig02.losses: found 9 values of task.delta",
        "allowed: at most 8",
    ),
    "pathways without a shade": (
        settings("homogeneous_relu", task={"contexts": [3, 6]}),
        "figures.fig05.relu: found task.contexts 6 in sweep 'homogeneous_relu'",
        "allowed: 2, 3, 4, 5",
    ),
    "fits of pathways that panels do not name": (
        settings("single_fit", network={"pathways": "subsets"}),
        "figures.figS3.fits: found network.pathways subsets in sweep 'single_fit'",
        "allowed: all_but_one, single",
    ),
    "two scales of weights under one median": (
        with_one_figure("figS7", settings("heterogeneous_relu", network={"sigma": [1e-5, 1e-3]})),
        "figures.figS7.networks: found network.sigma 1e-05, 0.001 for network.kind relu,",
        "task.blocks heterogeneous, task.contexts 3, allowed: one value",
    ),
    "more scales of weights than lines": (
        settings("xor_tanh", network={"sigma": [0.1, 0.2, 0.5, 1.0, 2.0]}),
        "figures.figS6.tanh: found 5 values of network.sigma",
        "allowed: at most 4",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_figure_cannot_draw_is_refused(case, whole_values):
    change, *sentences = REFUSED[case]
    values = copy.deepcopy(whole_values)
    change(values)
    with pytest.raises(ConfigError) as refused:
        read_config(values)
    assert all(sentence in str(refused.value) for sentence in sentences)


# All figures, from the study in small, whose networks of 40 epochs have learned nothing.


def as_made(table):
    return table


def without_other_seeds(table):
    return table[table["seed"].isna() | (table["seed"] == 0)].reset_index(drop=True)


def all_diverged(table):
    """Return the table with all networks diverged. Theories, which are formulas, are left."""
    lost = table["run"].notna() & ~table["network"].isin(THEORIES)
    return table.assign(diverged_step=table["diverged_step"].mask(lost, 1))


@pytest.mark.slow
@pytest.mark.parametrize("change", [as_made, without_other_seeds, all_diverged])
@pytest.mark.parametrize("figure", figures_of("gating"))
def test_no_panel_is_empty_without_a_word_and_no_text_is_false(small_run, figure, change):
    drawn = drawing(figure, change(small_run.table(figure)))
    assert empty_panels(drawn) == []
    assert not [text for text in texts_of(drawn) if NO_VALUE.search(text)]
    assert not PROMISE.search(drawn.get_label())


NEW = {
    "task.contexts": 5,
    "task.delta": 1.3,
    "network.units": 17,
    "network.width": 17,
    "network.sigma": 0.4,
}
"""A value of each number that the study in small does not have."""
IN_TABLES = {("fig06", "task.contexts"), ("figS2", "task.contexts"), ("figS3", "task.contexts")}
"""Figures whose table takes networks of one number of contexts, which the catalogue asks for."""
STRENGTHS = {("fig05", "network.sigma")}
"""Figures whose table has the initial strength of pathways instead of a scale of weights."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figure", "place"),
    [
        (figure, place)
        for figure in figures_of("gating")
        for place in places_of("gating", figure)
        if place in NEW and (figure, place) not in IN_TABLES | STRENGTHS
    ],
)
def test_one_value_more_is_told_or_refused(small_run, figure, place):
    """In the table itself: copies of networks of the kinds that have several values."""
    if takers(study_of("gating"), figure, place, NEW[place]):
        table, column = small_run.table(figure), column_of(place)
        if figure == "figS2":  # The study in small trains too briefly for a lag.
            table["value"] = table["value"].fillna(0.1)
        several = table.groupby("network")[column].nunique()
        kinds = table["network"].isin(several[several > 1].index) & table["run"].notna()
        more = with_one_more(table[kinds], column, NEW[place])[kinds.sum() :]
        both = pd.concat([table, more], ignore_index=True)
        before, after = (drawing(figure, each) for each in (table, both))
        assert is_told(before, after, NEW[place], f"{NEW[place]:g}")


def test_initial_weights_of_networks_that_a_figure_shows_as_one_are_refused():
    study = study_of("gating")
    assert takers(study, "figS7", "network.sigma", 0.4) == []
    assert takers(study, "figS7", "network.units", 17) == []
    assert takers(study, "figS4", "network.sigma", 0.4) == []


def letters(figure):
    with applied(Style(COLOURS, 5.5, 7.0, False)):
        settle(figure)
        return letters_of(figure)


def test_a_preview_without_fits_or_pairs_leaves_panels_out_and_says_which():
    relu, nothing = networks("relu", [3], 1), ABOUT_NOTHING
    slope = relu[:3].assign(measure="slope", neuron=[0, 1, 2])
    without = {"fits": nothing, "own_fits": nothing, "frozen": nothing}
    drawn = drawing("figS3", tabulated("figS3", relu=pd.concat([relu, slope]), **without))
    assert letters(drawn) == {"E"}
    assert "Left out, not in this run: A, B, C and D." in drawn.get_label()

    drawn = drawing("figS3", tabulated("figS3", relu=relu, **without))
    assert texts_of(drawn)[0] == "No fit, no frozen gates and no slopes of units in this run"

    drawn = drawing("figS2", tabulated("figS2", relu=relu.assign(width=700, sigma=1e-5)))
    assert "No two networks of one kind, and no fit, to compare" in texts_of(drawn)
    assert len(drawn.axes) == 1


@pytest.mark.parametrize("seeds", [1, 2, 5, 6])
def test_the_spread_over_networks_is_drawn_of_six_or_more(seeds):
    deep = networks("relu", [3], seeds, depth=2)
    gated = networks("gated_deep", [3], seeds, scale=0.9, pathways="all_but_one")
    outputs = ABOUT | {"measure": "output", "variant": "all", "contexts": 3, "run": "a", "seed": 0}
    outputs = pd.DataFrame([outputs | {"step": 0, "neuron": 0, "cluster": 0, "value": 0.5}])
    table = tabulated("fig06", relu=pd.concat([deep, outputs.assign(network="relu")]),
                      gated=pd.concat([gated, outputs.assign(network="gated_deep")]),
                      shallow=networks("relu", [3], seeds, depth=1))  # fmt: skip
    drawn = drawing("fig06", table)
    assert ("B" in letters(drawn)) == (seeds >= FEWEST)
    counted = f"left out: {seeds} network{'s' * (seeds > 1)}, 6 needed" in drawn.get_label()
    assert counted == (seeds < FEWEST)
