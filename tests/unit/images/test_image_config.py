"""What the config may ask of networks on images."""

import pytest

from repatlas.config.config import read_config
from repatlas.plan import Plan, expected_files

CNN = {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 4}
RESNET = CNN | {"architecture": "resnet18"}


def sweep(network=CNN, **more):
    return {"data_set": "digits", "network": network, "epochs": [0, 2], "seeds": 2} | more


@pytest.fixture
def planned(config_values):
    def plan_of(*sweeps, **changes):
        values = config_values | {"image_sweeps": {"mine": list(sweeps)}, "images": "mine"}
        return Plan(read_config(values | changes))

    return plan_of


def image_shards(plan):
    return [shard for shard in plan.shards if shard.experiment == "images"]


def refusal(planned, *sweeps, **changes):
    with pytest.raises(ValueError) as refused:
        planned(*sweeps, **changes)
    return str(refused.value)


def test_each_network_and_seed_is_one_job_of_its_shape(planned):
    assert image_shards(planned(sweep(), sweep(RESNET, seeds=1))) == [
        ("images", "digits-resnet18-w4-d2", 0),
        *[("images", "digits-small-cnn-w4-d2", s) for s in (0, 1)],
    ]


def test_both_figures_of_images_rest_on_the_networks_and_no_other_does(planned):
    plan = planned(sweep())
    files = expected_files(plan)
    drawing = {
        f for f in plan.figures if {"images"} & {s.experiment for s in plan.figure_shards(f)}
    }
    assert drawing == {"fig04", "figS6"}
    for figure in plan.figures:
        [table] = [
            wanted
            for path, wanted in files.items()
            if path.stem == figure and wanted.stage == "tabulate"
        ]
        of_images = [path for path in table.inputs if path.match("metrics/images/*/*")]
        assert len(of_images) == (2 if figure in drawing else 0)


def test_the_networks_of_a_figure_are_those_on_images_too(planned):
    plan = planned(sweep())
    assert len(plan.networks("figS6")) == 2 * 2 * 2  # seeds, activations and pairings
    assert plan.networks("figS6") < plan.networks("fig04")


def test_no_image_is_read_where_no_figure_draws_any(planned, config_values):
    figures = {k: v for k, v in config_values["figures"].items() if k == "fig01"}
    names = {"unstructured", "unstructured_trajectories"}
    sweeps = {k: v for k, v in config_values["sweeps"].items() if k in names}
    assert not image_shards(planned(sweep(), figures=figures, sweeps=sweeps))


def test_a_scale_that_is_not_there_is_refused_by_name(planned):
    assert "images: found 'huge', allowed: mine" in refusal(planned, sweep(), images="huge")


def test_figure_s6_without_images_is_refused(planned):
    assert "figures.figS6: draws networks on images" in refusal(planned, sweep(), images=None)


def test_a_data_set_without_a_folder_is_refused(planned):
    sentence = refusal(planned, sweep(data_set="cifar10"), image_sets={})
    assert "image_sets.cifar10: missing, the folder with the files" in sentence


def test_a_folder_of_an_unknown_data_set_is_refused(planned):
    sentence = refusal(planned, sweep(), image_sets={"mnist": {"folder": "x"}})
    assert "image_sets.mnist" in sentence and "cifar10" in sentence


@pytest.mark.parametrize(
    "sweeps",
    [
        [sweep(CNN | {"width": [4, 8]})],
        [sweep(CNN | {"depth": [1, 2]})],
        [sweep(training={"batch": [20, 40]})],
        [sweep(), sweep(epochs=[0, 4])],
    ],
    ids=["widths", "depths", "training", "epochs"],
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
        ({"data_set": "imagenet"}, "data_set"),
        ({"network": CNN | {"architecture": "vgg"}}, "architecture"),
    ],
)
def test_an_impossible_sweep_is_refused_by_name(planned, change, sentence):
    found = refusal(planned, sweep(**change))
    assert "image_sweeps.mine[0]" in found and sentence in found


def test_the_preview_has_one_seed_of_every_network(planned):
    assert {shard.seed for shard in image_shards(planned(sweep(), preview=True))} == {0}


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/", "data/images", ""])
def test_an_address_of_images_that_is_not_on_the_web_is_refused(planned, url):
    sets = {"cifar10": {"folder": "x", "download": True, "url": url}}
    sentence = refusal(planned, sweep(), image_sets=sets)
    assert sentence == (
        f"config.yaml: image_sets.cifar10.url: found {url!r}, allowed: an address with http:// or"
        " https://"
    )
