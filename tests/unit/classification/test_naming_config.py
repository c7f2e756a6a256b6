"""What a config may say of networks that name images, and their keys."""

import pytest
from naming import sweep

from repatlas.config.config import ConfigError, read_config
from repatlas.experiments.classification.spec import Grid, Spec


def refused(**more):
    with pytest.raises(ConfigError) as error:
        read_config({"sweeps": {"one": sweep(**more)}})
    return str(error.value)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"task": {"images": 1438}}, "task.images: found 1438, allowed: at most the 1437"),
        ({"task": {"images": 10}}, "training.batch: found 20, allowed: at most the 10"),
        (
            {"task": {"corrupted": [0.5, 1.0]}},
            "task.corrupted: found 0.5 with labels 'original', allowed: a number below 1",
        ),
        (
            {"training": {"frozen": "linear"}},
            "training.passes: missing with frozen 'linear', allowed: the passes over the images",
        ),
        (
            {"measures": ["ccgp"]},
            "found 'ccgp' for classification; it needs conditions whose targets are labels",
        ),
        ({"network": {"kind": "resnet18"}}, "allowed: mlp, small_cnn"),
        (
            {"network": {"kind": "small_cnn", "activation": "relu", "depth": 4}},
            "network.depth: found 4, allowed: at most 3 for a small_cnn on images of 8 x 8",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(more, sentence):
    assert sentence in refused(**more)


def spec(**more):
    return Spec.model_validate(
        {"data_set": "digits", "network": {"kind": "mlp", "activation": "relu"}} | more
    )


def test_the_length_of_training_is_in_the_key_of_frozen_networks_alone():
    def key(**training):
        return spec(training=training).key

    assert key() == key(frozen="none", passes=40) == spec().key
    assert len({key(), key(frozen="linear", passes=40), key(frozen="linear", passes=60)}) == 3


def test_without_a_schedule_networks_of_several_lengths_are_one():
    grid = Grid.model_validate(
        {
            "data_set": "digits",
            "network": {"kind": "mlp", "activation": "relu"},
            "training": {"frozen": ["none", "linear"], "passes": [40, 60]},
            "steps": [0, 880],
        }
    )
    assert len(grid.specs()) == 3


def compared(pairs, shared, other=2):
    tasks = {"one": {"seeds_per_draw": shared}, "two": {"seeds_per_draw": other}}
    sweeps = {name: sweep(task=task, seeds=4) for name, task in tasks.items()}
    among = {"between": ["one"], "pairs": pairs, "similarities": ["together"], "items": ["train"]}
    both = among | {"between": ["one", "two"], "pairs": "disjoint"}
    return {"sweeps": sweeps, "compare": [among] if other == 2 else [both]}


def test_networks_are_compared_within_a_draw_of_the_images():
    read_config(compared("disjoint", 2))
    read_config(compared("all", None))
    with pytest.raises(ConfigError, match="pairs: all for sweep 'one', but only 2 of its seeds"):
        read_config(compared("all", 2))
    with pytest.raises(ConfigError, match="but only 1 of its seeds share a draw"):
        read_config(compared("disjoint", 1))


def test_two_sweeps_that_are_compared_share_their_draws():
    with pytest.raises(ConfigError, match="seeds_per_draw 2 and null between one and two"):
        read_config(compared("disjoint", 2, other=None))
