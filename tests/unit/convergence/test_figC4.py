"""Figure C4: which layers converge first, on networks whose answer is known."""

import numpy as np
import pytest
from made_up import END, accuracy, drawn_text, frame, network, the
from selections import some

from repatlas.studies.convergence import figC4
from repatlas.studies.convergence.figC4 import tabulate

STEPS = (0, 1, 5, 10, 50, END)
LAYERS = range(7)


def similarity(layer, step):
    """Return the similarity of a layer at a step to the end. Lower hidden layers start, and stay,
    closer to the end. The layers after them are closest. Relative to their start all are alike."""
    start = 0.9 - 0.1 * layer if layer <= 4 else 0.95
    return start + (1 - start) * (step / END) ** 0.5


def made(seeds=3, activations=("relu", "tanh"), trained=1.0, similar=similarity):
    rows = []
    for activation in activations:
        for seed in range(seeds):
            about = network(seed, activation)
            rows.append(accuracy(about, trained))
            for step in STEPS:
                common = about | {"step": step, "variant": "train"}
                for layer in LAYERS:
                    for other in LAYERS:
                        value = similar(layer, step) if layer == other else 0.3
                        for name in ("pwcca_to_end", "svcca_to_end"):
                            rows.append(common | {"measure": name, "layer": layer, "neuron": other,
                                                  "value": value})  # fmt: skip
                    own = common | {"layer": layer, "neuron": layer}
                    for name in ("svcca_8_to_end", "alignment_to_end"):
                        rows.append(own | {"measure": name, "value": similar(layer, step)})
                    rows.append(own | {"measure": "kept_directions", "value": 8.0})
                    if step == 0:
                        floor = {"measure": "pwcca_to_end", "variant": "train floor", "value": 0.2}
                        rows.append(own | floor)
    return frame(rows)


def upside_down(layer, step):
    """Return the hidden layers in the opposite order."""
    return similarity(5 - layer if 1 <= layer <= 4 else layer, step)


def test_layers_that_are_closer_to_their_end_the_lower_they_are_converge_bottom_up():
    # Before 5 % of training nothing is judged.
    table = tabulate(
        {"networks": made(similar=lambda n, t: (similarity if t >= 5 else upside_down)(n, t))}, None
    )
    own = table[(table["activation"] == "relu") & (table["seed"] == 1)]
    assert the(own, measure="order_of_layers", variant="pwcca") == -1
    assert the(own, measure="order_of_layers", variant="svcca_8") == -1


def test_layers_that_are_further_from_it_converge_top_down():
    table = tabulate({"networks": made(similar=upside_down)}, None)
    own = table[(table["activation"] == "relu") & (table["seed"] == 0)]
    assert the(own, measure="order_of_layers", variant="pwcca") == 1


def test_progress_is_relative_to_the_untrained_network():
    # All layers have the progress sqrt(t).
    table = tabulate({"networks": made(activations=["relu"])}, None)
    moved = table[(table["variant"] == "progress") & (table["contrast"] == "mean")]
    for step in STEPS:
        here = some(moved[moved["step"] == step])["value"].to_numpy()
        np.testing.assert_allclose(here, (step / END) ** 0.5, atol=1e-12)


def test_the_time_to_a_similarity_is_interpolated_in_its_logarithm():
    table = tabulate({"networks": made(activations=["relu"], seeds=1)}, None)
    # Layer 4 starts at 0.5: at 10 % it is at 0.66, at 50 % at 0.85, at the end at 1.
    before = 0.5 + 0.5 * 0.5**0.5
    expected = 0.5 * 2 ** ((0.95 - before) / (1 - before))
    assert the(table, measure="time_to_0.95", layer=4) == pytest.approx(expected)


def test_a_network_that_did_not_learn_is_left_out_and_counted():
    rows = made()
    poor = (rows["measure"] == "accuracy") & (rows["seed"] == 2)
    rows.loc[poor & (rows["activation"] == "tanh"), "value"] = 0.98
    table = tabulate({"networks": rows}, None)
    order = table[(table["measure"] == "order_of_layers") & (table["variant"] == "pwcca")]
    assert order.groupby("activation")["seed"].nunique().to_dict() == {"relu": 3, "tanh": 2}
    assert "Left out, below 99% training accuracy: 1 network." in drawn_text(figC4, table)


def test_the_table_has_the_floor_and_the_untrained_network_beside_the_rest():
    table = tabulate({"networks": made()}, None)
    own = table[(table["activation"] == "relu") & (table["contrast"] == "mean")]
    own = own[(own["measure"] == "pwcca") & (own["layer"] == 2) & (own["other_layer"] == 2)]
    assert the(own, variant="floor") == pytest.approx(0.2)
    assert the(own, variant="", step=0) == pytest.approx(0.7)
