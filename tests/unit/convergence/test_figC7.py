"""Figure C7: generalising and memorising networks, from rows whose answer is known."""

from functools import cache

import numpy as np
import pytest
from naming_rows import (
    additive,
    drawn,
    joined,
    learned_rows,
    network_rows,
    pair_rows,
    panels,
    value,
    verdicts,
)
from selections import some

from repatlas.studies.convergence import figC7 as figure
from repatlas.studies.convergence.figC7 import passes_to_fit, tabulate
from repatlas.studies.convergence.rows.distances import (
    TYPICAL,
    distances,
    learned_pairs,
    seed_rows,
    typical,
)

SHOWN = {1: "hidden1", 3: "hidden3", 4: "hidden4", 6: "softmax"}
SEEN = [("pwcca", "both", "train", 0), ("pwcca", "both", "train", 1350)]
SEEN += [("pwcca", "both", "test", 1350), ("alignment", "debiased", "train", 1350)]
"""Measure, variant, items and step."""


def test_a_network_that_is_far_from_all_has_the_larger_value():
    pairs = distances(pair_rows(additive(0.2, [0, 0.05, 0.1])))
    found = seed_rows(pairs)
    # Pseudo-values of mu + a_i + a_j are mu + 2 a_i.
    assert [value(found, seed=s) for s in range(3)] == pytest.approx([0.2, 0.3, 0.4])
    assert not found["similarity"].any()
    mean = typical(pairs)
    assert value(mean, contrast=TYPICAL) == pytest.approx(0.3)
    assert mean["sd"].iloc[0] == pytest.approx(np.std([0.25, 0.3, 0.35], ddof=1))


def test_two_typical_networks_are_not_the_mean_over_pairs_where_one_network_is_unusual():
    """Pseudo-values are 0.2, four times, and 0.2 + 2 * 0.5: their median is 0.2, their mean 0.4."""
    row = typical(distances(pair_rows(additive(0.2, [0, 0, 0, 0, 0.5]))))
    assert value(row, contrast=TYPICAL) == pytest.approx(0.2)


def test_two_networks_have_the_distance_of_their_pair():
    row = typical(distances(pair_rows(additive(0.2, [0, 0.1]))))
    assert value(row, contrast=TYPICAL) == pytest.approx(0.3)


def test_the_input_is_no_layer_and_a_lost_pair_no_distance():
    rows = joined(
        pair_rows(additive(0.2, [0, 0, 0]), layer=0),
        pair_rows(additive(0.2, [0, 0, 0]), layer=-1, variant="diverged"),
        pair_rows(additive(0.2, [0, 0, 0]), layer=1),
    )
    assert set(distances(rows)["layer"]) == {1}


def test_a_network_that_has_not_learned_is_left_out_but_before_training():
    networks = learned_rows(4, accuracy=[1.0, 0.98, 1.0, 1.0])
    rows = joined(*(pair_rows(additive(0.2, np.zeros(4)), step=step) for step in (0, 880)))
    kept = learned_pairs(rows, networks)
    assert set(kept.loc[kept["step"] == 880, "seed"]) == {0, 2}
    assert len(kept[kept["step"] == 0]) == 6


def test_of_one_network_of_each_kind_a_seed_is_left_out_of_both():
    networks = joined(learned_rows(5), learned_rows(5, "b", [1, 1, 0.5, 1, 1]))
    rows = pair_rows(additive(0.2, np.zeros(5)), "a", "b")
    kept = learned_pairs(rows, networks)
    assert set(kept["seed"]) == set(kept["other_seed"]) == {0, 1, 3, 4}
    assert len(seed_rows(distances(kept))) == 4


def fitted(passes, run, **about):
    """Return networks that fit all images with this pass, of 9 steps. They then err on a tenth of
    the test images for each pass."""
    accuracies, own = [], []
    for seed, last in enumerate(passes):
        of_pass = about | {"step": 9 * (last or 1)}
        curve = network_rows([1 - 0.1 * (last or 1)], run, measure="accuracy_curve", **of_pass)
        accuracies.append(curve.assign(seed=seed))
        if last:
            found = network_rows([float(last)], run, measure="fitted", **of_pass)
            own.append(found.assign(seed=seed))
    ends = learned_rows(len(passes), run, step=2700, **about)
    return joined(*accuracies, *own, ends)


def test_the_slowdown_is_over_the_network_of_the_same_seed_with_true_labels():
    rows = joined(
        fitted([2, 3, 4], "a"),
        fitted([4, 9, None], "b", labels="random", corrupted=0.5),
        fitted([1, 3, 4], "c", pixels="shuffled"),
    )
    found = joined(*passes_to_fit(rows))
    slower = found[(found["measure"] == "slowdown") & (found["run"] == "b")]
    assert slower["value"].tolist() == [2, 3, np.inf]
    assert slower["at"].tolist() == [0.5] * 3
    errors = found[(found["measure"] == "test_error") & (found["run"] == "b")]["value"]
    assert errors.iloc[:2].tolist() == pytest.approx([0.4, 0.9])
    assert np.isnan(errors.iloc[2])
    pixels = found[(found["measure"] == "slowdown") & (found["run"] == "c")]
    assert pixels["value"].tolist() == [0.5, 1, 1]
    assert some(pixels["at"].isna()).all()


def rows_of_both(seeds=10, generalising=0.3, memorising=0.6, between=0.6, first=0.2):
    """Return all rows of the figure: distances of three kinds at every layer, for memorising
    networks `first` at the first one, and corrupted networks."""
    made = _rows_of_both(seeds, generalising, memorising, between, first)
    return {name: rows.copy() for name, rows in made.items()}


@cache
def _rows_of_both(seeds, generalising, memorising, between, first):
    rng = np.random.default_rng(0)
    effects = rng.normal(0, 0.01, seeds)
    kinds = {
        "among_generalising": ("g", None, "generalising", generalising),
        "among_memorising": ("m", None, "memorising", memorising),
        "between_both": ("g", "m", "generalising-memorising", between),
    }
    rows = {}
    for key, (run, other, comparison, distance) in kinds.items():
        parts = []
        for layer, name in SHOWN.items():
            for measure, variant, items, step in SEEN:
                agree = name == "softmax" and not other and items == "train"
                below = first if key == "among_memorising" else 0.2
                at = 0.03 if agree else below if layer == 1 else distance
                about = {"step": step, "items": items, "layer": layer, "layer_name": name}
                about |= {"measure": measure, "comparison": comparison}
                about["labels"] = "permuted" if run == "m" else "original"
                both = additive(at, effects), additive(0.8, effects)
                parts.append(pair_rows(both[0], run, other, variant=variant, **about))
                if measure == "pwcca":
                    floor = pair_rows(both[1], run, other, variant="both floor", **about)
                    parts.append(floor[:1])
        rows[key] = joined(*parts)
    of_networks = {"step": 1350, "images": 600, "depth": 4}
    for run, key in (("g", "generalising"), ("m", "memorising")):
        labels = "permuted" if run == "m" else "original"
        rows[key] = learned_rows(seeds, run, labels=labels, **of_networks)
    slow = {0.0: 10, 0.25: 12, 0.5: 14, 0.75: 17, 1.0: 20}
    parts = [corrupted(seeds, p, q, labels="random" if q else "original", corrupted=q or None)
             for q, p in slow.items()]  # fmt: skip
    changed = {"shuffled": 10, "random": 12, "gaussian": 13}
    parts += [corrupted(seeds, p, 0.9, pixels=name) for name, p in changed.items()]
    rows["corrupted"] = joined(*parts)
    return rows


def corrupted(seeds, passes, error, **about):
    """Return networks that fit their images with this pass, and err by `error`, at most by
    chance."""
    run = str(sorted(about.items()))
    error = min(0.1 + error, 0.9)
    curve = [
        network_rows([1.0 / p] * seeds, run, measure="loss", variant="", step=9 * p, **about)
        for p in (1, 2, passes, 300)
    ]
    return joined(
        learned_rows(seeds, run, step=2700, **about),
        network_rows([float(passes)] * seeds, run, measure="fitted", variant="training",
                     step=9 * passes, **about),
        network_rows([1 - error] * seeds, run, measure="accuracy_curve", step=9 * passes, **about),
        *curve,
    )  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return tabulate(rows_of_both(), None)


@pytest.mark.parametrize(
    "claim", ["C14", "C14b", "C14c", "C15", "C16", "C16b", "C16c", "C16d", "C16e"]
)
def test_claims_that_hold_are_supported(table, claim):
    assert set(verdicts(claim, table)) == {"supported"}


def test_claims_that_do_not_hold_are_contradicted():
    other = tabulate(rows_of_both(generalising=0.6, memorising=0.3, between=0.5), None)
    assert verdicts("C14", other) == ["contradicted", "contradicted"]
    assert verdicts("C15", other) == ["contradicted", "supported"] * 2
    assert verdicts("C14b", tabulate(rows_of_both(first=0.6), None)) == ["contradicted"]


def test_the_line_below_gives_each_kind_of_network_its_own_accuracy():
    rows = rows_of_both(seeds=3)
    generalising = rows["generalising"]
    is_training = (generalising["measure"] == "accuracy") & (generalising["variant"] == "training")
    generalising.loc[is_training, "value"] = 0.995
    text = drawn(figure, tabulate(rows, None))
    assert "Generalising networks: 3, least training accuracy 0.995" in text
    assert "Memorising networks: 3, least training accuracy 1.000" in text


def rows_of_convolutions(seeds=3):
    """Return rows of convolutional networks on photographs, without corrupted ones. Positions are
    items as well, and are there more alike by 0.1."""
    rows = rows_of_both(seeds)
    del rows["corrupted"]
    for name, of in rows.items():
        rows[name] = of.assign(network="small_cnn", data_set="cifar10")
        if name in ("generalising", "memorising"):
            continue
        below = rows[name]["layer"] < 4
        pooled = rows[name].assign(reduction=np.where(below, "pooled", ""))
        spatial = rows[name][below].assign(reduction="spatial", value=rows[name]["value"] + 0.1)
        rows[name] = joined(pooled, spatial)
    return rows


def test_without_corrupted_networks_their_panels_are_not_there():
    said = drawn(figure, tabulate(rows_of_convolutions(), None))
    assert "Memorising" in said
    for lacking in ("chance", "Training loss", "D, E"):
        assert lacking not in said


def test_of_convolutions_the_means_over_positions_are_shown():
    table = tabulate(rows_of_convolutions(), None)
    curve = panels(figure, table)[0].lines[0]
    assert curve.get_xdata().tolist() == list(SHOWN)
    shown = table[(table["comparison"] == "generalising") & (table["items"] == "train")]
    shown = shown[(shown["contrast"] == TYPICAL) & (shown["variant"] == "both")]
    shown = shown[(shown["measure"] == "pwcca") & (shown["step"] > 0)]
    assert curve.get_ydata()[0] == value(shown, layer=1, reduction="pooled")


def test_who_memorises_photographs_knows_99_of_100_by_heart():
    rows = rows_of_convolutions(seeds=4)
    rows["memorising"].loc[rows["memorising"]["seed"] == 2, "value"] = 0.9
    found = tabulate(rows, None)
    among = found[(found["comparison"] == "memorising") & (found["step"] > 0)]
    assert set(among["seed"].dropna()) == {0, 1, 3}


def test_rows_of_kinds_that_a_preview_leaves_out_hinder_no_drawing():
    rows = rows_of_both(seeds=3)
    empty = {name: rows[name][:0] for name in ("corrupted", "between_both")}
    assert isinstance(drawn(figure, tabulate(rows | empty, None)), str)
