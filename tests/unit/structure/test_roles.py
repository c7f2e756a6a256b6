"""What each figure wants of its sweeps: configs as users wrote them, which once drew something
false, pooled or empty, or broke off with a traceback."""

import copy

import pytest
from plausible import DRAWN_AS, FITTING, LISTS, WITHOUT_STEP

from repatlas.config.config import ConfigError, read_config
from repatlas.config.study import figures_of
from repatlas.named import named

SEPARABLE = FITTING["fig02"]["sweep"]["task"]


def config(figure, **changes):
    """Return the small config of one figure. Changes by field: of its sweep, part by part. For a
    field that names several sweeps also a list of them is allowed, each a separate sweep."""
    sweeps, options = {}, {} if figure in WITHOUT_STEP else {"step": 8}
    options["draw"] = DRAWN_AS.get(figure, figure)
    for field, fitting in FITTING[figure].items():
        each = changes.get(field, {})
        each = each if isinstance(each, list) else [each]
        names = [f"{field}{number}" for number, _ in enumerate(each, start=1)]
        for name, change in zip(names, each, strict=True):
            sweep = copy.deepcopy(fitting)
            for part, values in change.items():
                is_part = part in ("network", "training", "task")
                sweep[part] = sweep[part] | values if is_part else values
            sweeps[name] = sweep
        options[field] = names if field in LISTS else names[0]
    decoders = {"train_samples": 64, "test_samples": 64}
    return {"sweeps": sweeps, "figures": {figure: options}, "decoders": decoders}


def both(**change):
    """Make the same change for both fields of a figure."""
    return dict.fromkeys(("sweep", "trajectories"), change)


def network(**change):
    return {"network": change}


def task(**change):
    return {"task": change}


REFUSED = {
    "fig01 of XOR": (
        config("fig01", **both(task=SEPARABLE | {"delta": 0.0})),
        "figures.fig01.sweep: found task.kind separable in sweep 'sweep1', allowed: unstructured",
    ),
    "fig01 after one step": (
        config("fig01", sweep={"steps": [8]}),
        "figures.fig01.sweep: found alignment at steps [8] of sweep 'sweep1', allowed: two steps or"
        " more, the last among them",
    ),
    "fig01 whose weights are measured, but not at the end": (
        config("fig01", trajectories={
            "measures": ["accuracy"],
            "more_measures": {0: ["selectivity", "update", "kernel"],
                              2: ["selectivity", "update"], 8: ["kernel"]}}),
        "figures.fig01.trajectories: found selectivity at steps [0, 2] of sweep 'trajectories1'",
    ),
    "fig01 of two tasks": (
        config("fig01", trajectories=task(noise_variance=4.0)),
        "figures.fig01.trajectories: found task.noise_variance 4.0, allowed: as in"
        " figures.fig01.sweep, 1.0",
    ),
    "fig02 with one delta": (
        config("fig02", sweep=task(delta=0.5)),
        "figures.fig02.sweep: found task.delta 0.5 alone, allowed: two",
    ),
    "fig02 with five activations and three": (
        config("fig02", sweep=network(activation=["tanh", "relu", "gelu", "softplus", "sigmoid"]),
               trajectories=network(activation=["tanh", "relu", "gelu"])),
        "figures.fig02.trajectories: found network.activation gelu, relu, tanh, allowed: as in"
        " figures.fig02.sweep, gelu, relu, sigmoid, softplus, tanh",
    ),
    "fig02 with weights beside a bias": (
        config("fig02", trajectories=network(hidden_bias="trained")),
        "figures.fig02.trajectories: found network.hidden_bias trained in sweep 'trajectories1',"
        " allowed: none",
    ),
    "fig04 whose lines are points": (
        config("fig04", lines=task(alignment=0.5)),
        "figures.fig04.lines: found task.alignment 0.5 alone, allowed: two values or more",
    ),
    "fig04 of whose cells one has a point": (
        config("fig04", lines=[{}, task(targets=1, alignment=0.2)]),
        "figures.fig04.lines, task.targets 1: found task.alignment 0.2 alone, allowed: two values",
    ),
    "fig04 with several draws in a line": (
        config("fig04", lines=task(geometry=[0, 1])),
        "figures.fig04.lines: found task.geometry 0, 1, allowed: one value",
    ),
    "fig04 with a network in two sweeps": (
        config("fig04", lines=[{}, task(alignment=[0.0, 0.2])]),
        "figures.fig04.lines: found the same network in sweeps 'lines1' and 'lines2', allowed:",
    ),
    "fig05 of one layer": (
        config("fig05", layers=network(depth=1)),
        "figures.fig05.layers: found network.depth 1, allowed: 2 or more among its values",
    ),
    "fig05 at step 0": (
        config("fig05") | {"figures": {"fig05": {"layers": ["layers1"], "step": 0}}},
        "figures.fig05.step: found 0, allowed: at least 1",
    ),
    "fig06 with the clipped ReLU alone": (
        config("fig06", lines=network(activation="clipped_relu")),
        "figures.fig06.lines: found network.activation clipped_relu; the figure compares tanh"
        " and relu and clipped_relu, so these",
    ),
    "fig06 without a ReLU that is moved": (
        config("fig06", lines=network(activation=["tanh", "relu", "clipped_relu"])),
        "figures.fig06.lines: found network.activation clipped_relu, relu, tanh, allowed: relu-1",
    ),
    "fig07 whose groups have a normal readout": (
        config("fig07", groups=network(readout="normal")),
        "figures.fig07.groups: found network.readout normal in sweep 'groups1', allowed: groups",
    ),
    "fig07 whose control is trained": (
        config("fig07", control=network(readout="trained")),
        "figures.fig07.control: found network.readout trained in sweep 'control1', allowed: normal",
    ),
    "fig08 with more dashes than there are": (
        config("fig08", sweep={"decoders": {"test_deviations": [0.5, 1.0, 2.0, 3.0, 4.0]}}),
        "figures.fig08.sweep: found 5 decoders.test_deviations, allowed: at most 4",
    ),
    "figS1 of one kind of inputs": (
        config("figS1", inputs=task(distribution="positive")),
        "figures.figS1.inputs: found task.distribution positive, centred true, allowed: normal,"
        " centred true, which are Figure 1's inputs, and others",
    ),
    "figS2 without simplified dynamics": (
        config("figS2", simplified={"training": {"errors": "output"}}),
        "figures.figS2.simplified: found training.errors output in sweep 'simplified1', allowed:"
        " equal",
    ),
    "figS2 at other steps": (
        config("figS2", standard={"steps": [0, 8]}),
        "figures.figS2.standard: found steps 0, 8, allowed: as in figures.figS2.simplified, 0, 2,",
    ),
    "figS3 of GELU and ReLU": (
        config("figS3", separability=network(activation=["gelu", "relu"])),
        "figures.figS3.separability: found network.activation gelu, relu; the figure compares tanh",
    ),
    "figS3 of activations on other tasks": (
        config("figS3", lines=[network(activation="tanh"),
                               network(activation="relu") | task(alignment=[0.0, 0.2])]),
        "figures.figS3.lines: found tanh and relu on different tasks, allowed: all activations",
    ),
    "figS4 of activations at other alignments in the preview": (
        config("figS4", lines=[network(activation="tanh"), network(activation="relu") |
                               {"preview": {"seeds": 1, "values": 1}}]),
        "sweeps.lines1.preview and sweeps.lines2.preview, for figures.figS4.lines: found relu and"
        " tanh on different tasks",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("values", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_config_whose_figure_would_be_false_or_empty_is_refused(values, sentence):
    with pytest.raises(ConfigError) as refusal:
        read_config(values)
    [line] = str(refusal.value).splitlines()
    assert sentence in line


ACCEPTED = {
    "fig01 with six clusters that are not centred": config(
        "fig01", **both(task={"clusters": 6, "centred": False})
    ),
    "fig02 with other deltas for the weights": config("fig02", trajectories=task(delta=0.2)),
    "fig03 of one activation": config("fig03", sweep=network(activation="softplus")),
    "fig04 with half of the dots": config("fig04", dots=task(alignment=0.5)),
    "fig04 with other cells": config(
        "fig04", lines=[task(targets=1), task(targets=3)], dots=[task(targets=3)]
    ),
    "fig05 of deep networks alone": config("fig05", layers=network(depth=5)),
    "fig08 of one readout": config("fig08", sweep=network(readout="normal")),
    "figS3 with more activations": config(
        "figS3", separability=network(activation=["tanh", "relu", "gelu"])
    ),
    "figS4 with one bar": config("figS4", lines=network(activation="gelu")),
    "a preview with one place on an axis": config(
        "fig03", sweep={"preview": {"seeds": 1, "values": 1}}
    ),
}


@pytest.mark.parametrize("values", ACCEPTED.values(), ids=ACCEPTED)
def test_a_config_whose_figure_is_right_is_accepted(values):
    read_config(values)
    read_config(values | {"preview": True})


@pytest.mark.parametrize("figure", FITTING)
def test_a_sweep_that_fits_is_accepted(figure):
    read_config(config(figure))


@pytest.mark.parametrize("study", ["structure", "gating", "convergence", "law", "theories"])
def test_every_figure_of_networks_states_what_it_needs(study):
    for name in figures_of(study):
        figure = named(f"studies.{study}", name).FIGURE
        assert all("experiment" in role.only for role in figure.roles.values())
        on_clusters = [r for r in figure.roles.values() if r.only["experiment"] == ("clusters",)]
        assert all("task.kind" in role.only for role in on_clusters)
        assert figure.about and all(role.about for role in figure.roles.values())


ON_IMAGES = ["accuracy", "alignment", "ccgp", "parallelism"]


def test_data_sets_whose_classes_are_paired_in_different_ways_are_not_drawn_as_one_mean():
    network = {"architecture": "small_cnn", "activation": "tanh", "width": 4}
    common = {"experiment": "images", "data_set": "digits", "epochs": [0, 1], "seeds": 1}
    common |= {"measures": ON_IMAGES}
    sweeps = {
        "one": common | {"network": network, "pairing": ["fixed"]},
        "other": common | {"network": network | {"architecture": "resnet18"}},
    }
    values = {"sweeps": sweeps, "figures": {"figS6": {"images": [*sweeps]}}}
    with pytest.raises(ConfigError, match=r"figS6.images: found sweeps of several `pairing`"):
        read_config(values)
