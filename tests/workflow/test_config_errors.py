"""A config that makes no sense is refused before anything is computed, in words that help."""

from pathlib import Path

import pytest
import yaml

from repatlas.config.config import ConfigError, read_config


def put(path, value):
    """Return a change of config.yaml that puts a value at a path of keys."""
    *folders, last = path.split("/")

    def change(config):
        for key in folders:
            config = config[key]
        config[last] = value

    return change


def leave_out(path):
    *folders, last = path.split("/")

    def change(config):
        for key in folders:
            config = config[key]
        del config[last]

    return change


REFUSED = {
    "an unknown key": (
        put("sweeps/noise/seed", 3),
        ["sweeps.noise: ", "'seed'", "seeds", "measures"],
    ),
    "an unknown activation": (
        put("sweeps/noise/network/activation", ["tanh", "no_such"]),
        [
            "sweeps.noise.network.activation[1]: ",
            "found 'no_such'",
            "'clipped_relu', 'elu', ",
            "'identity'",
        ],
    ),
    "a value out of its range": (
        put("sweeps/noise/task/delta", [0.0, 1.5]),
        ["sweeps.noise.task.delta[1]: ", "found 1.5", "at most 1"],
    ),
    "a value that is named twice": (
        put("sweeps/noise/task/delta", [0.5, 0.5]),
        ["sweeps.noise.task.delta: ", "once"],
    ),
    "a batch of more than all samples": (
        put("sweeps/noise/training/batch", 61),
        ["sweeps.noise", "training.batch: found 61", "at most samples, 60"],
    ),
    "a figure of an unknown sweep": (
        put("figures/fig03/sweep", "nois"),
        ["figures.fig03.sweep: ", "found 'nois'", "separability", "noise"],
    ),
    "a step that is not stored": (
        put("figures/fig02/step", 15),
        ["figures.fig02.step: ", "found 15", "[10, 20]"],
    ),
    "a sweep that lacks a measure of its figure": (
        put("sweeps/noise/measures", ["alignment", "parallelism", "ccgp"]),
        ["figures.fig03.sweep: ", "decoding"],
    ),
    "an axis that its figure cannot draw": (
        put("sweeps/noise/network/width", [8, 10]),
        ["figures.fig03.sweep: ", "found network.width 8, 10", "one value"],
    ),
    "a preview of more than there is": (
        put("sweeps/noise/preview/seeds", 5),
        ["sweeps.noise: ", "preview.seeds", "at most seeds"],
    ),
    "a colour of an unknown activation": (
        put("style/colours", {"tnah": "#ff0000"}),
        ["style.colours.tnah: ", "found 'tnah'", "did you mean 'tanh'?", "'clipped_relu', "],
    ),
    "a preview that is neither on nor off": (
        put("preview", "maybe"),
        ["preview: ", "found 'maybe'", "true or false"],
    ),
}


def refusal(fresh):
    """Return Snakemake's words for a refused config. Check that nothing is computed."""
    output = fresh.fail("--quiet", "all")
    assert "Traceback" not in output
    assert not fresh.results.exists()
    return output


def test_snakemake_says_the_sentence_of_a_refusal(fresh):
    change, words = REFUSED["an unknown key"]
    fresh.edit_config(change)
    output = refusal(fresh)
    [sentence] = [line for line in output.splitlines() if line.startswith("config.yaml: ")]
    for word in words:
        assert word in sentence


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_its_place_what_was_found_and_what_is_allowed(name):
    change, words = REFUSED[name]
    values = yaml.safe_load(Path(__file__).with_name("tiny.yaml").read_text())
    change(values)
    with pytest.raises(ConfigError) as refused:
        read_config(values)
    [sentence] = str(refused.value).splitlines()
    assert sentence.startswith("config.yaml: ")
    for word in words:
        assert word in sentence


SEVERAL = [
    (
        put("sweeps/noise/task/kind", "xor"),
        "sweeps.noise.task.kind: found 'xor', allowed: aligned, common_separable, separable,"
        " unstructured",
    ),
    (put("sweeps/separability/network/width", 7), "sweeps.separability.network.width: found 7"),
    (put("sweeps/separability/seeds", "ten"), "sweeps.separability.seeds: found 'ten'"),
    (
        put("sweeps/separability/measures", ["ccpg"]),
        "separability.measures[0]: found 'ccpg'",
    ),
    (leave_out("sweeps/unstructured/seeds"), "sweeps.unstructured.seeds: "),
    (put("sweeps/unstructured/task/noise_variance", -1.0), "noise_variance: found -1.0"),
    (put("style/font_size", 100), "style.font_size: found 100"),
]


def test_all_mistakes_are_named_at_once(fresh):
    for change, _ in SEVERAL:
        fresh.edit_config(change)
    output = refusal(fresh)
    for _, words in SEVERAL:
        assert words in output


def test_an_empty_config_is_refused(fresh):
    fresh.config.write_text("{}")
    assert "config.yaml: found neither sweeps nor figures" in refusal(fresh)


@pytest.mark.slow
def test_a_dry_run_refuses_it_too(fresh):
    fresh.edit_config(put("sweeps/noise/seeds", 0))
    assert "config.yaml: sweeps.noise.seeds: found 0" in fresh.fail("--dry-run")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("gating", "structure, all, reports"),
        ("fig03", "structure/fig03"),
        ("structure/fig9", "structure/fig01, structure/fig02, structure/fig03, structure/unstr"),
    ],
)
def test_a_study_or_figure_that_the_config_lacks_is_refused_with_what_to_type(fresh, target, says):
    said = fresh.fail(target)
    assert f"{target}: is not in config.yaml, which has {says}" in said
    assert "Traceback" not in said and "MissingRule" not in said
