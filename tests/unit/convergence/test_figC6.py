"""Figure C6: which layers tell which classes, from rows whose answer is known."""

from itertools import combinations

import numpy as np
import pytest
from naming_rows import drawn, joined, learned_rows, network_rows, value, verdicts
from selections import some

from repatlas.studies.convergence import figC6 as figure
from repatlas.studies.convergence.figC6 import tabulate


def classes_of_networks(similar, curves, seeds=10, classes=5, **about):
    """Return networks of these classes. similar: for each seed, the three pairs whose logits
    correlate most; curves: the correlation of class and layer."""
    about = {"depth": 4} | about
    parts = [learned_rows(seeds, **about)]
    for layer in range(5):
        for label in range(classes):
            found = [1.0 if layer == 4 else curves(label, layer)] * seeds
            parts.append(
                network_rows(found, measure="class_correlation", layer=layer, cluster=label,
                             **about)
            )  # fmt: skip
    for pair in combinations(range(classes), 2):
        found = [0.9 if pair in similar(seed) else -0.1 for seed in range(seeds)]
        parts.append(
            network_rows(found, measure="logit_correlation", variant="training", cluster=pair[0],
                         other_cluster=pair[1], **about)
        )  # fmt: skip
    return {"narrow": joined(*parts)}


def usual(seed):
    return [(0, 1), (2, 3), (1, 4)]


def alike(label, layer):
    """Return a rising curve: classes 0, 1 and 4 have one curve, 2 and 3 another."""
    return 0.5 + 0.1 * layer + (0.05 if label in (2, 3) else 0)


def opposed(label, layer):
    """Return a falling curve: classes 0 and 1 are far apart, and so are 2 and 3."""
    return 0.9 - 0.1 * layer - (0.1 if label in (1, 3) else 0)


def test_pairs_are_chosen_on_the_other_half_of_networks():
    def similar(seed):
        return [(0, 2), (1, 2), (0, 3)] if seed < 5 else usual(seed)

    found = tabulate(classes_of_networks(similar, alike), None)
    rows = found[(found["measure"] == "curve_difference") & (found["variant"] == "similar")]
    # Rows are chosen by the pairs of the second half, which are truly alike, and by pairs of the
    # first half.
    assert rows.loc[rows["seed"] < 5, "value"].tolist() == pytest.approx([0] * 5)
    assert rows.loc[rows["seed"] >= 5, "value"].tolist() == pytest.approx([0.05] * 5)


def test_the_last_hidden_layer_and_the_input_are_no_evidence():
    found = tabulate(classes_of_networks(usual, alike), None)
    assert set(found.loc[found["measure"] == "mean_class_correlation", "layer"]) == {1, 2, 3}


def test_similar_classes_with_similar_curves_that_rise():
    table = tabulate(classes_of_networks(usual, alike), None)
    assert verdicts("C11", table) == verdicts("C11c", table) == ["supported"]


def test_similar_classes_with_other_curves_that_fall():
    table = tabulate(classes_of_networks(usual, opposed), None)
    assert verdicts("C11", table) == verdicts("C11c", table) == ["contradicted"]


def test_in_clothes_similar_classes_go_by_name_and_trousers_are_distinct():
    def curves(label, layer):
        return 0.8 if label == 1 else 0.5

    rows = classes_of_networks(usual, curves, seeds=6, classes=10, data_set="fashion_mnist")
    found = tabulate(rows, None)
    assert value(found, measure="distinct_class", seed=3) == pytest.approx(0.3)
    assert verdicts("C11b", found) == ["supported"]
    pairs = found[found["measure"] == "similar_pair"]
    assert list(zip(pairs["cluster"], pairs["other_cluster"], strict=True)) == [(0, 6), (7, 9)]


def test_in_photographs_cars_and_trucks_are_similar_by_name_and_cats_and_dogs():
    found = tabulate(
        classes_of_networks(usual, alike, seeds=3, classes=10, data_set="cifar10"), None
    )
    pairs = found[found["measure"] == "similar_pair"]
    assert list(zip(pairs["cluster"], pairs["other_cluster"], strict=True)) == [(1, 9), (3, 5)]
    assert "distinct_class" not in set(found["measure"])
    said = drawn(figure, found)
    assert "similar classes, by name, have one hue" in said
    assert "correlation of their logits" not in said
    assert "chosen on other networks" not in said


def test_of_convolutions_the_full_layer_after_them_is_the_last_hidden_one():
    found = tabulate(classes_of_networks(usual, alike, network="small_cnn", depth=3), None)
    assert set(found.loc[found["measure"] == "mean_class_correlation", "layer"]) == {1, 2, 3}


def test_without_clothes_their_claim_finds_no_rows():
    with pytest.raises(ValueError, match="data_set is nowhere fashion_mnist"):
        verdicts("C11b", tabulate(classes_of_networks(usual, alike), None))


def test_networks_that_have_not_learned_are_counted():
    rows = classes_of_networks(usual, alike, seeds=4)
    training = rows["narrow"]["measure"].eq("accuracy") & rows["narrow"]["seed"].eq(1)
    rows["narrow"].loc[training, "value"] = 0.97
    assert "of which 1 below 99%" in drawn(figure, tabulate(rows, None))


def test_clothes_are_learned_from_four_fifths_on():
    rows = classes_of_networks(usual, alike, seeds=4, classes=10, data_set="fashion_mnist")
    training = rows["narrow"]["measure"].eq("accuracy")
    rows["narrow"].loc[training, "value"] = [0.9, 0.81, 0.79, 0.9]
    found = tabulate(rows, None)
    assert found.loc[found["measure"] == "distinct_class", "seed"].tolist() == [0, 1, 3]
    assert "of which 1 below 80%" in drawn(figure, found)


def test_a_single_network_has_no_one_to_choose_its_pairs():
    found = tabulate(classes_of_networks(usual, alike, seeds=1), None)
    assert "curve_difference" not in set(found["measure"])
    assert "Too few networks" in drawn(figure, found)
    assert some(np.isfinite(found.loc[found["measure"] == "similar_pair", "value"])).all()
