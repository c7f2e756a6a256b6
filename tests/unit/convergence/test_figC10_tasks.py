"""Figure C10, B to D: networks of two activations on tasks of clusters, from pairs whose answer is
known."""

from functools import cache

import pandas as pd
import pyarrow as pa
import pytest
import test_figC10 as units
from claim_rows import rows_of
from drawn_words import letters_of
from figure_tables import as_drawn, as_stored
from said_and_shown import CLAIM, spreads
from selections import some
from stages import network_rows
from unit_pairs import SWEEPS, contrasts, texts

from repatlas.artifacts.files import METRICS_SCHEMA, NETWORK_PAIRS_SCHEMA
from repatlas.claims.claims_file import read_claims
from repatlas.claims.verdicts import judge
from repatlas.experiments.clusters.spec import Grid
from repatlas.figures.rows import pair_rows
from repatlas.networks.activation import activation
from repatlas.plots.style import Style, applied
from repatlas.studies.convergence import figC10
from repatlas.studies.convergence.figC10 import tabulate
from repatlas.studies.convergence.rows.activations import BETWEEN, BY_TARGETS, SAME_START
from repatlas.studies.convergence.rows.similarities import TYPICAL

KINDS = ("tanh", "relu")
WITHIN = {("tanh", "tanh"): 0.8, ("relu", "relu"): 0.6, ("tanh", "relu"): 0.5}
ALIGNED = {"tanh": 0.9, "relu": 0.4}
DELTAS = [0.2, 0.3, 0.5, 0.7, 1.0]
PAIRS = (
    ("pwcca", "both", "samples"),
    ("cca", "mean", "samples"),
    ("cca", "mean over units", "samples"),
    ("svcca", "variance", "samples"),
    ("svcca", "k = 3", "samples"),
    ("alignment", "debiased", "samples"),
    ("alignment", "plain", "centres"),
)


@cache
def grid(name):
    """Return a sweep of the study, with few tasks."""
    about = SWEEPS[name]
    fewer = {"alignment": [0.0, 0.4016]} if "alignment" in about["task"] else {"delta": DELTAS}
    about = about | {"task": about["task"] | fewer}
    return Grid(**{part: about[part] for part in ("task", "network", "training", "steps")})


def networks(of, seeds, accuracy=lambda kind, seed: 1.0):
    """Return accuracies, and alignments with the targets, at the last step."""
    rows = []
    for spec in of.specs():
        kind = spec.network.activation
        for seed in range(seeds):
            one = {"run": spec.key, "seed": seed, "step": of.steps[-1], "by": "accuracy"}
            rows.append(
                one
                | {"measure": "accuracy", "variant": "training"}
                | {"value": accuracy(kind, seed)}
            )
            rows.append(
                one
                | {"measure": "target_alignment", "variant": "centres", "layer": 1}
                | {"value": ALIGNED[kind] + 0.01 * seed * (kind == "tanh")}
            )
    table = pa.Table.from_pylist(rows, schema=METRICS_SCHEMA).to_pandas()
    return network_rows([({}, table)], of)


def pairs(first, second, seeds, similar, same_start=False):
    """Return all pairs of different seeds, or of equal seeds. Their similarity is similar(kinds,
    delta or alignment, step)."""
    rows = []
    for one, other in zip(first.specs(), second.specs(), strict=True):
        kinds = one.network.activation, other.network.activation
        place = getattr(one.task, "delta", None)
        chosen = [
            (i, j)
            for i in range(seeds)
            for j in range(seeds)
            if (i < j if kinds[0] == kinds[1] else i != j)
        ]
        if same_start:
            chosen = [(i, i) for i in range(seeds)]
        for i, j in chosen:
            for step in first.steps:
                about = {"a_run": one.key, "a_seed": i, "b_run": other.key, "b_seed": j}
                about |= {"a_step": step, "b_step": step, "a_layer": 1, "b_layer": 1}
                about |= {"a_name": "hidden1", "b_name": "hidden1", "by": "together"}
                about |= {"reduction": "", "similarity": True, "m": 5000, "h_a": 120, "h_b": 120}
                for measure, variant, items in PAIRS:
                    row = {"measure": measure, "variant": variant, "items": items}
                    value = similar(kinds, place, step)
                    rows.append(about | row | {"value": value})
                    if i % 2 == 0 and j == i + 1:
                        floor = {"variant": f"{variant} floor", "value": 0.05}
                        rows.append(about | row | floor)
    table = pa.Table.from_pylist(rows, schema=NETWORK_PAIRS_SCHEMA).to_pandas()
    return pair_rows(table.assign(comparison="pairs"), [first], [second])


def trained(kinds, delta, step):
    return WITHIN[kinds] if step else 0.3


def rows(seeds, accuracy=lambda kind, seed: 1.0, similar=trained, of=("separable", "lines")):
    found = units.rows(seeds)
    for task in of:
        grids = {kind: grid(f"{task}_{kind}") for kind in KINDS}
        found[task] = pd.concat([networks(each, seeds, accuracy) for each in grids.values()])
        combined = [(grids[a], grids[b]) for a, b in WITHIN]
        found[f"{task}_pairs"] = pd.concat(
            [pairs(*each, seeds, similar) for each in combined], ignore_index=True
        )
    return found


@cache
def usual(seeds):
    return tabulate(rows(seeds), None)


def judged(name, table):
    [claim] = [each for each in read_claims("convergence").claims if each.id == name]
    return judge(claim, rows_of(as_drawn(table)))


def drawn(table, preview=False):
    colours = {name: activation(name).colour for name in KINDS}
    style = Style(colours, 5.5, 7, preview)
    with applied(style):
        found = figC10.draw(as_drawn(table), style)
    return found


def of(table, **where):
    for name, wanted in where.items():
        table = table[table[name] == wanted]
    return table


def test_what_two_activations_share_is_beside_what_each_shares_with_its_own_kind():
    own = contrasts(usual(4))
    found = of(own, measure="pwcca", variant=f"both{BETWEEN}", step=2000, delta=0.5)
    assert sorted(found["seed"]) == [0, 1, 2, 3]
    assert found["value"].tolist() == pytest.approx([0.5 - (0.8 + 0.6) / 2] * 4)
    start = of(own, measure="pwcca", variant=f"both{BETWEEN}", step=0, delta=0.5)
    assert start["value"].tolist() == pytest.approx([0] * 4)


def test_networks_that_begin_alike_have_a_mean_of_their_own():
    made = rows(6, of=("separable",))
    grids = [grid(f"separable_{kind}") for kind in KINDS]
    alike = pairs(*grids, 6, lambda *_: 0.9, same_start=True)
    made["separable_pairs"] = pd.concat([made["separable_pairs"], alike], ignore_index=True)
    table = tabulate(made, None)
    means = of(table, contrast=TYPICAL, measure="pwcca", step=2000, delta=0.5)
    assert of(means, variant=f"both{SAME_START}")["value"].tolist() == pytest.approx([0.9])
    assert some(of(contrasts(table), measure="pwcca", variant="both", other_activation="relu",
              activation="tanh", step=2000)["value"].eq(0.5)).all()  # fmt: skip
    assert "same start" not in texts(drawn(table))


def test_of_two_networks_the_panel_that_needs_three_is_left_out_and_the_line_below_says_so():
    letters = {}
    for seeds in (2, 3):
        figure = drawn(usual(seeds), preview=True)
        letters[seeds] = letters_of(figure)
        left_out = "needs three networks of each kind, and is left out." in figure.get_label()
        assert left_out == (seeds == 2)
        assert not CLAIM.search(figure.get_label())
        assert spreads(figure) == []
    assert letters == {2: set("ABC"), 3: set("ABCD")}


def test_each_panel_shows_one_variant_of_its_measure():
    table = tabulate(rows(3, of=("separable",)), None)
    assert not {"variance", "mean over units", "variance floor"} & set(table["variant"])
    assert "k = 3, variance" not in texts(drawn(table))


def test_a_dot_is_the_difference_of_the_target_alignments_of_a_seed():
    own = contrasts(usual(4))
    found = of(own, measure="svcca", variant=f"k = 3{BY_TARGETS}", delta=0.3).sort_values("seed")
    assert found["at"].tolist() == pytest.approx([0.5, 0.51, 0.52, 0.53])
    assert found["value"].tolist() == pytest.approx([0.5] * 4)


def test_the_claims_hold_for_networks_made_so():
    table = tabulate(rows(6, of=("separable",)), None)
    [of_start] = judged("C20", table)
    [of_directions] = judged("C21", table)
    assert (of_start.value, of_start.verdict) == (pytest.approx(-0.2), "supported")
    assert (of_directions.value, of_directions.verdict) == (pytest.approx(0.2), "supported")


def test_the_claims_are_about_the_networks_of_the_config():
    settings = read_claims("convergence").settings
    for name in ("separable_tanh", "separable_relu"):
        about = SWEEPS[name]
        parts = {part: about[part] for part in ("task", "network", "training", "steps")}
        assert settings[name] == Grid(**parts)


def test_the_claims_are_about_separabilities_of_three_tenths_or_more():
    def similar(kinds, delta, step):
        return 1 - WITHIN[kinds] if step and delta >= 0.3 else trained(kinds, delta, step)

    table = tabulate(rows(6, similar=similar, of=("separable",)), None)
    for name in ("C20", "C21"):
        [found] = judged(name, table)
        assert found.verdict == "contradicted"


def test_a_seed_that_diverged_with_one_activation_is_left_out_of_pairs_of_both():
    table = tabulate(rows(5, lambda kind, seed: None if (kind, seed) == ("relu", 2) else 1), None)
    last = of(contrasts(table), measure="pwcca", variant="both", step=2000, delta=1.0)
    seeds = last.groupby(["activation", "other_activation"])["seed"].apply(sorted).to_dict()
    assert seeds[("tanh", "tanh")] == [0, 1, 2, 3, 4]
    assert seeds[("relu", "relu")] == seeds[("tanh", "relu")] == [0, 1, 3, 4]


def test_networks_are_shown_whatever_their_accuracy():
    table = tabulate(rows(3, lambda kind, seed: 0.9, of=("separable",)), None)
    own = of(contrasts(table), measure="pwcca", variant="both", delta=1.0)
    assert set(own["step"]) == {0, 2000}


def test_a_figure_of_networks_on_images_alone_has_no_column_of_tasks():
    table = units.tabulate(units.rows(3), None)
    assert not {"task", "delta"} & {*as_stored(table).column_names}
    found = drawn(table)
    assert "Separability" not in texts(found)
