"""A config is refused in a sentence that names the key, what was found and what is allowed."""

import pytest
from changed_configs import REMOVED, change
from selections import some

from repatlas.config.config import ConfigError, read_config

# Where the refusal should point, the value to put there, and what the sentence should say.
REFUSALS = [
    # keys
    ("nonsense", 1, "unknown key 'nonsense', allowed: study, sweeps, representations"),
    ("sweeps.noise.task.clusters", 4, "sweeps.noise.task: unknown key 'clusters', allowed: noise_"),
    ("figures.fig99", {}, "figures.fig99.draw: found 'fig99', allowed: fig01, fig02, fig03, fig04"),
    ("sweeps.noise.seeds", REMOVED, "sweeps.noise.seeds: missing, and it has no default"),
    # types
    (
        "sweeps.noise.seeds",
        "ten",
        "sweeps.noise.seeds: found 'ten', allowed: a whole number, n: the seeds",
    ),
    (
        "sweeps.noise.seeds",
        True,
        "sweeps.noise.seeds: found True, allowed: a whole number, n: the seeds are",
    ),
    ("sweeps.noise.steps", 2000, "sweeps.noise.steps: found 2000, allowed: a list"),
    ("sweeps.noise.task.delta", "XOR", "sweeps.noise.task.delta: found 'XOR', allowed: a number"),
    ("sweeps.noise.training", 5, "sweeps.noise.training: found 5, allowed: keys with values"),
    ("preview", "maybe", "preview: found 'maybe', allowed: true or false"),
    # limits
    (
        "sweeps.unstructured.task.noise_variance",
        -1,
        "sweeps.unstructured.task.noise_variance: found -1, allowed: at least 0",
    ),
    (
        "sweeps.noise.task.noise_variance",
        [1.0, -0.5],
        "sweeps.noise.task.noise_variance[1]: found -0.5, allowed: at least 0",
    ),
    (
        "sweeps.noise.task.noise_variance",
        float("nan"),
        "sweeps.noise.task.noise_variance: found nan, allowed: a finite number",
    ),
    (
        "sweeps.unstructured.task.clusters",
        5,
        "sweeps.unstructured.task.clusters: found 5, allowed: multiples of 2",
    ),
    (
        "sweeps.noise.training.batch",
        5001,
        "sweeps.noise: training.batch: found 5001, should be at most samples, 5000",
    ),
    ("style.width", 100, "style.width: found 100, allowed: at most 12"),
    # names
    ("sweeps.noise.network.activation", "Tanh", "; did you mean 'tanh'?"),
    (
        "sweeps.noise.network.activation",
        "no_such",
        "sweeps.noise.network.activation: found 'no_such', allowed: 'clipped_relu', 'elu', ",
    ),
    ("sweeps.noise.measures", ["speed"], "sweeps.noise.measures[0]: found 'speed', allowed: 'acc"),
    (
        "sweeps.noise.task.kind",
        "blob",
        "sweeps.noise.task.kind: found 'blob', allowed: aligned, common_separable, separable",
    ),
    (
        "sweeps.noise.task.kind",
        REMOVED,
        "sweeps.noise.task.kind: missing, allowed: aligned, common_separable, separable",
    ),
    ("accept_code", {"trian": {"a": "b"}}, "accept_code.trian"),
    # colours
    (
        "style.colours.tanh",
        "bluish",
        "style.colours.tanh: found 'bluish', allowed: a colour such as",
    ),
    (
        "style.colours.tanh",
        "#D55E00\n",
        "style.colours.tanh: found '#D55E00\\n', allowed: a colour",
    ),
    (
        "style.colours.tnah",
        "#000000",
        "style.colours.tnah: found 'tnah', allowed: 'clipped_relu', 'elu', 'gelu', ",
    ),
    (
        "figures.fig02.sweep",
        "nothing",
        "figures.fig02.sweep: found 'nothing', allowed: unstructured, unstructured_trajectories,",
    ),
    # lists
    ("sweeps.noise.steps", [], "sweeps.noise.steps: found [], allowed: a list of at least 1"),
    ("sweeps", {}, "fig01.sweep: found 'unstructured', allowed: a sweep, and there is none"),
    (
        "sweeps.noise.task.delta",
        [0.5, 0.5],
        "sweeps.noise.task.delta: found [0.5, 0.5], should name each value once",
    ),
    (
        "sweeps.noise.task.delta",
        [0.0, -0.0],
        "sweeps.noise.task.delta: found [0.0, -0.0], should name each value once",
    ),
    # values that don't go together
    ("sweeps.noise.preview.seeds", 13, "sweeps.noise: preview.seeds should be at most seeds"),
    (
        "figures.fig02.step",
        77,
        "figures.fig02.step: found 77, allowed: the steps of sweep 'separability': [2000]",
    ),
    (
        "sweeps.unstructured.training.learning_rate",
        [0.1, 0.2],
        "figures.fig01.sweep: found training.learning_rate 0.1, 0.2, allowed: one value",
    ),
    (
        "sweeps.noise.measures",
        ["accuracy", "alignment"],
        "figures.fig03.sweep: the sweep should measure ccgp, decoding, parallelism",
    ),
    (
        "sweeps.dots.task.kernel",
        "maximal",
        "figures.fig04.dots: found task.kernel maximal in sweep 'dots.each[0]', allowed: random",
    ),
    (
        "sweeps.fates.steps",
        [200, 2000],
        "figures.fig10.weights: the sweep should have 0 in its steps",
    ),
    (
        "sweeps.deep.training.stop_below",
        None,
        "figures.fig05.layers: the sweep should have training.stop_below",
    ),
    (
        "sweeps.dots.decoders.test_deviations",
        [3.0],
        "figures.fig04.dots: the sweep should have 1 in decoders.test_deviations",
    ),
]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [pytest.param(*case, id=f"{case[0]}-{number}") for number, case in enumerate(REFUSALS)],
)
def test_a_refusal_names_the_key_what_was_found_and_what_is_allowed(
    config_values, path, value, sentence
):
    # Most networks have one of twelve random kernels. With two of these the config is read faster.
    config_values["sweeps"]["dots"]["task"]["geometry"] = [0, 1]
    change(config_values, path, value)
    with pytest.raises(ConfigError) as refusal:
        read_config(config_values)
    lines = str(refusal.value).splitlines()
    assert all(line.startswith("config.yaml: ") for line in some(lines))
    assert any(sentence in line for line in lines)


def test_what_a_figure_draws_should_be_measured_at_its_step(config_values):
    config_values["sweeps"]["deep"] |= {
        "measures": ["accuracy"],
        "more_measures": {0: ["alignment"]},
    }
    sentence = "figures.fig05.layers: the sweep should measure alignment at step 23400"
    with pytest.raises(ConfigError, match=sentence):
        read_config(config_values)
    config_values["sweeps"]["deep"]["more_measures"] = {23400: ["alignment"]}
    read_config(config_values)


@pytest.mark.parametrize("key", ["train_samples", "test_samples"])
def test_decoders_need_a_sample_of_each_cluster(config_values, key):
    for sweep in config_values["sweeps"].values():
        sweep.setdefault("decoders", {"test_deviations": [1.0]})[key] = 31
    with pytest.raises(ConfigError, match="should be at least 32, the clusters of sweep"):
        read_config(config_values)


def test_each_of_several_mistakes_has_its_line(config_values):
    change(config_values, "sweeps.noise.seeds", 0)
    change(config_values, "sweeps.unstructured.task.clusters", 5)
    change(config_values, "style.width", "wide")
    with pytest.raises(ConfigError) as refusal:
        read_config(config_values)
    lines = str(refusal.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "style.width",
        "sweeps.unstructured.task.clusters",
        "sweeps.noise.seeds",
    ]


def test_a_config_without_sweeps_and_figures_is_refused():
    with pytest.raises(ConfigError, match="found neither sweeps nor figures"):
        read_config({})
