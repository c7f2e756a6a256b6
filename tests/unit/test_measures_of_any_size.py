"""Every measure of every experiment, at the smallest and the most lopsided sizes of a config.

It yields rows, with a reason where there is no value, or the config is refused before anything is
trained.
"""

import pytest
from stages import groups_of, make_metrics

from repatlas.config.config import ConfigError, read_config
from repatlas.named import names
from repatlas.workflow.plan import Plan

CLUSTERS = {
    "experiment": "clusters",
    "task": {"kind": "unstructured", "inputs": 4},
    "network": {"activation": "relu", "width": 2},
    "training": {"batch": 16, "samples": 16},
    "steps": [0, 1],
}
ITEMS = {
    "experiment": "items",
    "task": {"kind": "contexts"},
    "network": {"kind": "relu", "width": 10},
    "training": {},
    "steps": [0, 1],
}
NAMING = {
    "experiment": "classification",
    "data_set": "digits",
    "network": {"kind": "mlp", "activation": "relu", "width": 2, "depth": 1},
    "training": {"batch": 2},
    "steps": [0, 1, 2],
}
CASES = {
    "clusters, the smallest": CLUSTERS,
    "clusters, wide": CLUSTERS | {"network": {"activation": "tanh", "width": 128}},
    "clusters, two targets": CLUSTERS
    | {
        "task": {"kind": "unstructured", "inputs": 3, "targets": 2},
        "network": {"activation": "relu", "width": 2, "readout": "normal"},
    },
    "clusters, separable": CLUSTERS | {"task": {"kind": "separable", "inputs": 4}},
    "clusters, aligned": CLUSTERS
    | {
        "task": {"kind": "aligned", "inputs": 16, "clusters": 16, "targets": 3},
        "network": {"activation": "relu", "width": 2, "depth": 2, "readout": "trained"},
    },
    "items, as narrow as can be": ITEMS,
    "items, nine contexts": ITEMS
    | {"task": {"kind": "contexts", "contexts": 9}, "network": {"kind": "relu", "width": 100}},
    "items, without units": ITEMS | {"network": {"kind": "gated"}},
    "items, xor": ITEMS | {"task": {"kind": "xor"}, "network": {"kind": "relu", "width": 1}},
    "names, the smallest": NAMING | {"task": {"images": 2}},
    "names, fewer images than features": NAMING
    | {
        "task": {"images": 20},
        "network": {"kind": "mlp", "activation": "relu", "width": 64, "depth": 2},
    },
    "names, twice the features are more than the images": NAMING
    | {
        "task": {"images": 100},
        "network": {"kind": "mlp", "activation": "tanh", "width": 64, "depth": 2},
    },
}

QUICK = "clusters, two targets", "clusters, aligned", "items, as narrow as can be", "items, xor"
QUICK += ("names, the smallest",)
TOO_LONG = {"items, nine contexts": {"theories_on_items"}}
"""Measures that are left out: a tangent kernel of all outputs for all items takes minutes."""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def planned(case, measures, **more):
    sweep = case | {"seeds": 1, "measures": measures}
    decoders = {"train_samples": 72, "test_samples": 72}
    return Plan(read_config({"sweeps": {"one": sweep}, "decoders": decoders} | more))


def is_accepted(case, measure):
    try:
        planned(case, [measure])
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in CASES]
)
def test_whatever_a_config_accepts_is_measured(name):
    short = [measure for measure in names("measures") if measure not in TOO_LONG.get(name, ())]
    accepted = [measure for measure in short if is_accepted(CASES[name], measure)]
    plan = planned(CASES[name], accepted)
    (group,) = groups_of(plan)
    found = make_metrics(plan, group.place)
    assert {*found["by"]} <= {*accepted}
    assert len(accepted) > 3


FEW_IMAGES = NAMING | {
    "task": {"images": 50},
    "network": {"kind": "mlp", "activation": "relu", "width": 16, "depth": 2},
}


@pytest.mark.parametrize(
    ("figure", "role", "measure", "case", "sentence"),
    [
        (
            "figC6",
            {"narrow": ["one"]},
            "class_correlations",
            FEW_IMAGES,
            "found 50 training images for a layer of 64 features",
        ),
        (
            "figC9",
            {"networks": "one"},
            "variates",
            FEW_IMAGES | {"network": FEW_IMAGES["network"] | {"width": 32}},
            "found 32 features of the last hidden layer on 50 images, allowed: at most 24",
        ),
    ],
)
def test_a_figure_of_layers_too_wide_for_the_images_is_refused_before_any_job(
    figure, role, measure, case, sentence
):
    drawn = {"study": "convergence", "figures": {figure: role}}
    with pytest.raises(ConfigError, match=sentence):
        planned(case, ["accuracy", measure], **drawn)
