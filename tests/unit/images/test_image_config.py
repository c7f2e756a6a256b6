"""What the config may ask of networks on images."""

import pytest
from image_configs import on_images

from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan

CNN = {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 4}


def sweep(network=CNN, **more):
    return {"data_set": "digits", "network": network, "epochs": [0, 2], "seeds": 2} | more


@pytest.fixture
def planned(config_values):
    def plan_of(*sweeps, **changes):
        return Plan(read_config(on_images(config_values, *sweeps) | changes))

    return plan_of


def networks_of(plan, *figures):
    """Return the networks on images that figures are made from."""
    tables = [plan.results[f"structure/tables/{name}.parquet"] for name in figures]
    return {
        (key, seed)
        for table in tables
        for result in table.inputs["metrics"]
        for seed in result.what.seeds
        for key in result.what.networks(seed)
        if result.what.experiment == "images"
    }


def refusal(planned, *sweeps, **changes):
    with pytest.raises(ValueError) as refused:
        planned(*sweeps, **changes)
    return str(refused.value)


def test_both_figures_of_images_rest_on_the_networks_and_no_other_does(planned):
    plan = planned(sweep())
    one, other = (networks_of(plan, name) for name in ("figS6", "fig04C"))
    assert len(one) == 2 * 2 * 2  # seeds, activations and pairings
    assert one == other
    drawn = {name for name in plan.studies["structure"].figures if networks_of(plan, name)}
    assert drawn == {"fig04C", "figS6"}


def test_a_measure_that_asks_for_clusters_is_refused_for_images(planned):
    found = refusal(planned, sweep(measures=["selectivity"]))
    assert (
        "found 'selectivity' for images; it needs a network on clusters whose first layer and"
        " readout are named; allowed: accuracy, alignment" in found
    )


def test_a_data_set_without_a_folder_is_refused(planned):
    sentence = refusal(planned, sweep(data_set="cifar10"), image_sets={})
    assert "image_sets.cifar10: missing; sweeps." in sentence


@pytest.mark.parametrize(
    "sweeps",
    [
        [sweep(CNN | {"width": [4, 8]})],
        [
            sweep(CNN | {"activation": "tanh"}),
            sweep(CNN | {"activation": "relu"}, epochs=[0, 4]),
        ],
    ],
    ids=["widths", "epochs"],
)
def test_two_kinds_of_network_for_one_bar_are_refused(planned, sweeps):
    assert "found several kinds of small_cnn on digits, allowed: one sweep" in refusal(
        planned, *sweeps
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"epochs": [2]}, "epochs: found [2], allowed: 0, the control, and one more at least"),
        ({"training": {"batch": 1438}}, "found 1438, should be at most the 1437 training images"),
        ({"network": CNN | {"depth": [2, 4]}}, "found 4, should be at most 3 for a small_cnn on"),
    ],
)
def test_an_impossible_sweep_is_refused_by_name(planned, change, sentence):
    found = refusal(planned, sweep(**change))
    assert "sweeps.images1" in found and sentence in found


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/", "data/images", ""])
def test_an_address_of_images_that_is_not_on_the_web_is_refused(planned, url):
    sets = {"cifar10": {"folder": "x", "download": True, "url": url}}
    sentence = refusal(planned, sweep(), image_sets=sets)
    assert sentence == (
        f"config.yaml: image_sets.cifar10.url: found {url!r}, allowed: an address with http:// or"
        " https://"
    )
