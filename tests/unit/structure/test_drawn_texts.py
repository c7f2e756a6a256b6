"""What figures say. From networks that were trained each figure is drawn for other numbers of
networks, steps, places and activations: no text is false, and no panel is empty without one."""

import contextlib
import re
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
import yaml
from figure_tables import as_drawn
from matplotlib.figure import Figure
from one_more import is_told, places_of, rows_with_one_more
from plausible import DRAWN_AS
from said_and_shown import CLAIM, NO_VALUE, empty_panels, spreads, texts_of
from stages import make, whole_table

from repatlas.config.config import COLOURS, read_config
from repatlas.inference.contrasts import TANH_RELU, THRESHOLD
from repatlas.inference.intervals import FEWEST
from repatlas.named import named, names
from repatlas.plots.curves import MOST_SEEN, draw_curves
from repatlas.plots.style import Style, applied
from repatlas.plots.words import NO_PAIRS
from repatlas.report.captions import facts
from repatlas.studies.structure.fig04 import LEVELS
from repatlas.workflow.plan import Plan
from repatlas.workflow.stages.plot import Inputs

TASK = {"inputs": 10, "kind": "unstructured"}
COMMON = {"training": {"batch": 16, "samples": 64}, "seeds": 2, "preview": {"seeds": 1}}
ENDS = ["alignment", "ccgp", "decoding", "parallelism"]
NETWORK = {"activation": ["tanh", "relu"], "width": 24, "hidden_bias": "none"}
GROUPS_AND_FATES = {
    "sweeps": {
        "groups": COMMON
        | {
            "task": TASK | {"targets": 2},
            "network": NETWORK | {"readout": "groups"},
            "steps": [0, 3],
            "measures": [*ENDS, "selectivity", "tuning"],
        },
        "control": COMMON
        | {
            "task": TASK | {"targets": 2},
            "network": NETWORK | {"readout": "normal"},
            "steps": [0, 3],
            "measures": ENDS,
        },
        "fates": COMMON
        | {
            "task": {"kind": "separable", "inputs": 12, "noise_variance": [0.0, 4.0]},
            "network": {"activation": "relu", "width": 20, "hidden_bias": "none"},
            "steps": [0, 9],
            "measures": ["alignment", "selectivity", "tuning"],
        },
    },
    "figures": {
        "fig07": {"groups": "groups", "control": "control", "step": 3},
        "fig07C": {"groups": "groups", "step": 3},
        "fig10": {"weights": "fates", "step": 9},
    },
    "decoders": {"train_samples": 40, "test_samples": 40},
}
STUDY = "studies.structure"
FIGURES = ["fig01", "fig02", "fig03", "fig04", "fig05", "fig06", "fig07", "fig08", "fig10"]
FIGURES += ["fig07C", "figS1", "figS2", "figS3", "figS4", "figS5", "figS7", "figS8"]


class Trained(dict):
    """By figure: its plan, and the rows of its sweeps. The networks of a config are trained when
    one of its figures is asked for."""

    def __init__(self, folder, configs):
        self.folder = folder
        self.config_of = {name: values for values in configs for name in values["figures"]}

    def __missing__(self, name):
        plan = Plan(read_config(self.config_of[name]))
        with contextlib.chdir(self.folder):
            metrics = [each for each in plan.results.values() if each.stage == "measure"]
            make(plan, *(each.names[0] for each in metrics))
            inputs = Inputs(plan, "structure")
            for figure, options in plan.studies["structure"].figures.items():
                rows = {
                    role: pd.concat([inputs._rows_of(sweep) for sweep in of], ignore_index=True)
                    for role, of in options.sweeps().items()
                }
                self[figure] = (plan, rows)
        return self[name]


@pytest.fixture(scope="module")
def trained(tmp_path_factory, repository, make_small_values):
    configs = [make_small_values(), GROUPS_AND_FATES]
    for name in ("aligned", "supplements"):
        text = (repository / f"tests/workflow/{name}.yaml").read_text(encoding="utf-8")
        configs.append(yaml.safe_load(text))
    return Trained(tmp_path_factory.mktemp("trained"), configs)


def as_trained(rows):
    return rows


def one_network(rows):
    return rows[rows["seed"] == 0]


def one_activation(rows):
    return rows[rows["activation"] == "relu"]


def all_diverged(rows):
    """Let all networks diverge in the first step."""
    known = rows["step"] == 0
    lost = rows[~known].assign(
        variant="diverged", value=np.nan, layer=None, neuron=None, diverged_step=1
    )
    named = {"target_alignment": "alignment", "weight": "selectivity"}
    lost["measure"] = lost["measure"].replace(named)
    lost = lost[lost["measure"].isin(names("measures"))]
    by = ["run", "seed", "step", "measure"]
    lost = lost.drop_duplicates(by).assign(cluster=None, other_cluster=None)
    return pd.concat([rows[known].assign(diverged_step=1), lost], ignore_index=True)


def one_diverged(rows):
    of_first = (rows["seed"] == 0) & (rows["activation"] == "relu")
    return pd.concat([all_diverged(rows[of_first]), rows[~of_first]], ignore_index=True)


def none_converged(rows):
    return rows.assign(converged_step=None)


def no_tanh(rows):
    """Return rows of a sweep over ReLU, or over GELU and others."""
    rows = rows[(rows["activation"] != "gelu")]
    return rows.replace({"activation": {"tanh": "gelu"}})


def one_place(rows):
    """Keep one value of every axis."""
    by = ["kernel", "clusters", "targets"]
    for axis in ("delta", "noise_variance", "alignment"):
        first = rows.groupby(by, dropna=False)[axis].transform("max")
        rows = rows[rows[axis].isna() | (rows[axis] == first)]
    return rows


def one_step(rows):
    return rows[rows["step"] == rows["step"].max()]


@pytest.fixture(scope="module")
def drawn(trained):
    """The figure, and every text in it but the numbers at ticks. Drawn once for all tests."""
    return cache(lambda name, change: draw(*trained[name], name, change))


def draw(plan, rows, name, change, width=5.5, preview=False):
    recipe = plan.results[f"structure/figures/{name}.pdf"].recipe
    module = named(f"{STUDY}", recipe["draw"])
    changed = {role: change(r.copy()).reset_index(drop=True) for role, r in rows.items()}
    table = as_drawn(whole_table(module, changed, recipe["step"]))
    style = Style(COLOURS, width, 7.0, preview, step=recipe["step"])
    with applied(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = named(f"{STUDY}", recipe["draw"]).draw(table, style)
    return figure, texts_of(figure)


CASES = [
    (name, change)
    for name in FIGURES
    for change in (as_trained, one_network, all_diverged, one_diverged)
]
CASES += [
    (name, no_tanh) for name in ("fig01", "fig06", "fig08", "figS1", "figS3", "figS4", "figS7")
]
CASES += [
    (name, one_place) for name in ("fig02", "fig03", "fig04", "fig06", "fig10", "figS3", "figS7")
]
CASES += [(name, one_activation) for name in ("fig01", "fig02", "fig03", "fig07", "fig07C")]
CASES += [(name, one_step) for name in ("fig08", "figS2", "figS7")]
# Other figures show networks whatever these have learned.
CASES += [(name, none_converged) for name in ("fig05", "figS5")]
QUICK = ("fig01", "fig02", "fig03", "fig07", "fig07C", "fig10")
"""Figures of the two configs that quick tests train."""
slow = pytest.mark.slow


def figures(*names):
    return [pytest.param(name, marks=[] if name in QUICK else slow) for name in names]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param(
            *(name, change),
            id=f"{name}-{change.__name__}",
            marks=[] if change is as_trained and name in QUICK else slow,
        )
        for name, change in CASES
    ],
)
def test_no_panel_is_empty_without_a_word_and_no_text_is_false(trained, drawn, name, change):
    plan, rows = trained[name]
    figure, texts = drawn(name, change)
    assert empty_panels(figure) == []
    if change in (all_diverged, one_diverged):
        assert any("Diverged and left out" in text for text in texts)
    known = numbers_known(plan, rows, name)
    for text in texts:
        assert not NO_VALUE.search(text), text
        assert not re.search(r"\b1 (networks|initialisations|neurons)", text), text
        assert "diverged}" not in text
        assert "=diverged" not in text
        found = re.findall(r"\d+(?:\.\d+)?", NAMES.sub("", DERIVED.sub("", text)))
        assert set(found) <= known, text


def numbers_known(plan, rows, name):
    """Return the numbers of the config, and every number of networks up to all of them."""
    told = str(facts(plan.config, "structure", name))
    known = set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"\.0\b", "", told)))
    most = sum(len(r[["run", "seed"]].drop_duplicates()) for r in rows.values())
    known |= {str(count) for count in range(most + 1)} | {str(FEWEST)}
    known |= {str(level) for level in LEVELS if name == "fig04"}
    return known | {str(THRESHOLD)}


DERIVED = re.compile(
    r"\d+% inter-selective|-?\d+ ?%( \[[^]]*\])?|SD / mean: [^)]*\)(, [\d.]+ [^)]*\))?|"
    r"(escape|by 45°|dead): [^\n]*?(?=by|dead|$)|[\d.]+ dimensions|"
    r"\$c=0\.\d+\$|differ by \S+ to \S+\.|ReLU: \S+( \[[^]]*\])?"
)
"""What is computed from the data."""
NAMES = re.compile(
    r"Figure \d+[A-E]?|x_\d\$ [01]{2}$|x_\d|y\}?_\d|95 %|U\[[^]]*\]|ReLU\(x [+-] [\d.]+\)|P - 1"
)


NEW = {
    "network.activation": "gelu",
    "network.depth": 3,
    "task.alignment": 0.7,
    "task.clusters": 16,
    "task.delta": 0.75,
    "task.noise_variance": 9.0,
    "task.rank": 3.5,
    "task.targets": 4,
}
"""A value of each setting that these networks do not have; for the rank of inputs, the
participation ratio. They have every distribution of inputs and every readout. Tasks that differ in
the draw of their inputs alone are dots of one look."""
EVERY_ACTIVATION = ("fig06", "figS4")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place"),
    [
        (name, place)
        for name in FIGURES
        for place in places_of("structure", DRAWN_AS.get(name, name))
        if place in NEW and not (place == "network.activation" and name in EVERY_ACTIVATION)
    ],
)
def test_one_value_more_is_told_or_refused(trained, drawn, name, place):
    (plan, rows), value = trained[name], NEW[place]
    if more := rows_with_one_more(rows, "structure", name, place, value):
        after, _ = draw(plan, more, name, as_trained)
        said = "GELU" if value == "gelu" else f"{value:g}"
        assert is_told(drawn(name, as_trained)[0], after, value, said)


@pytest.mark.parametrize("name", figures(*FIGURES))
def test_of_few_networks_no_interval_or_deviation_is_promised_or_drawn(trained, drawn, name):
    _, rows = trained[name]
    assert max(of_role["seed"].nunique() for of_role in rows.values()) < FEWEST
    figure, _ = drawn(name, as_trained)
    assert not CLAIM.search(figure.get_label()), figure.get_label()
    # The bars of 7C are over the neurons of a network.
    assert spreads(figure) == [] or name == "fig07C"


@pytest.mark.parametrize("name", figures("fig08", "figS1", "figS2", "figS3", "fig10"))
def test_a_figure_of_two_networks_says_that_it_has_no_intervals(drawn, name):
    _, texts = drawn(name, as_trained)
    assert any("no interval: 2 networks, " in text for text in texts)
    assert not any("with 95 % intervals" in text for text in texts)


@pytest.mark.parametrize("name", figures("fig08", "figS1", "figS3"))
def test_without_pairs_a_figure_says_so_where_the_differences_would_be(drawn, name):
    _, texts = drawn(name, no_tanh)
    assert "No pair of a tanh and a ReLU network" in texts


@pytest.mark.slow
def test_networks_that_did_not_converge_are_told_by_their_panel(drawn):
    figure, texts = drawn(
        "fig05", lambda rows: rows.assign(converged_step=rows["converged_step"] + 1000)
    )
    assert texts.count("No network converged within 80 steps") == len(figure.axes)


@pytest.mark.slow
def test_a_row_of_activations_that_the_config_lacks_says_so(drawn):
    _, texts = drawn("fig06", lambda rows: rows[rows["activation"] == "clipped_relu"])
    assert texts.count("The config has none of these activations") == 1


@pytest.mark.slow
def test_activations_that_a_figure_does_not_draw_are_named(drawn):
    _, texts = drawn("fig06", as_trained)
    assert any("Not drawn: " in text and "GELU" in text for text in texts)


@pytest.mark.slow
def test_one_stored_step_is_no_course_over_training(drawn):
    _, texts = drawn("fig08", one_step)
    assert any("at step 8, the only one stored" in text for text in texts)
    assert not any("over training" in text for text in texts)


def test_few_networks_are_drawn_one_by_one_and_many_as_a_band():
    values = np.random.default_rng(0).normal(0.5, 0.1, (2, MOST_SEEN + 1))
    rows = pd.DataFrame(
        {"run": "a", "activation": "tanh", "seed": seed, "measure": "ccgp", "step": step,
         "value": values[step, seed]}
        for seed in range(MOST_SEEN + 1)
        for step in (0, 1)
    )  # fmt: skip
    style = Style(COLOURS, 5.5, 7.0, False)
    few, many = Figure().subplots(1, 2)
    draw_curves(few, rows[rows["seed"] < MOST_SEEN], "step", style, "", spread="networks")
    draw_curves(many, rows, "step", style, "", spread="networks")
    drawn = sorted(tuple(line.get_ydata()) for line in few.lines if line.get_linewidth() < 1)
    assert drawn == sorted(map(tuple, values.T[:MOST_SEEN]))
    assert len(few.collections) == 0
    assert len(many.lines) == len(many.collections) == 1


def test_without_pairs_figure_1_has_no_strips(drawn):
    _, texts = drawn("fig01", no_tanh)
    assert not any("Tanh" in text for text in texts)
    assert not any("Strips" in text for text in texts)


def test_a_caption_calls_networks_thin_lines_where_the_figure_draws_them(repository):
    text = (repository / "src/repatlas/report/captions.rst").read_text(encoding="utf-8")
    [number] = re.findall(r"seeds \| max > (\d+)", text)
    assert int(number) == MOST_SEEN
    assert set(re.findall(r"seeds \| max (?:<|>=) (\d+)", text)) == {str(FEWEST)}


def test_a_row_or_a_readout_without_pairs_has_a_word_in_figure_8():
    columns = {"contrast": TANH_RELU, "low": np.nan, "high": np.nan, "deviation": 1.0, "value": 0.2}
    effects = pd.DataFrame([columns | {"measure": "decoding_trained", "readout": "binary"}])
    single = pd.DataFrame(
        columns | {"measure": measure, "readout": readout, "contrast": None, "run": readout,
                   "seed": 0, "step": step, "activation": "tanh", "diverged_step": None}
        for measure in ("ccgp", "decoding_trained")
        for readout in ("binary", "trained")
        for step in (0, 8)
    )  # fmt: skip
    both = pd.concat([single, effects.assign(step=8)], ignore_index=True)
    table = as_drawn(both)
    style = Style(COLOURS, 5.5, 7.0, False)
    with applied(style):
        figure = named(f"{STUDY}", "fig08").draw(table, style)
    texts = texts_of(figure)
    assert "Random, trained: no pair" in texts and "Binary, frozen" in texts
    rows = figure.axes[0]
    named_rows = [text.get_text() for text in rows.get_yticklabels()]
    words = [text for text in rows.texts if text.get_text() == NO_PAIRS]
    assert len(words) == len(named_rows) - 1


@pytest.mark.slow
def test_networks_of_one_layer_that_did_not_converge_are_named(drawn):
    def no_shallow(rows):
        shallow = rows["depth"] == 1
        return rows.assign(converged_step=rows["converged_step"].mask(shallow))

    figure, _ = drawn("fig05", no_shallow)
    assert "No network with one hidden layer converged." in figure.get_label()
