"""Small configs such as a user may write: for any figures, from sweeps that fit or do not fit."""

import copy

from hypothesis import strategies as st

DECODED = ["accuracy", "alignment", "ccgp", "decoding", "parallelism"]
COLLAPSE = ["accuracy", "alignment", "collapse"]
ALIGNED = {"kind": "aligned", "inputs": 10, "clusters": 8, "targets": 3}
TASKS = {
    "unstructured": {"kind": "unstructured", "inputs": 10},
    "two targets": {"kind": "unstructured", "inputs": 10, "targets": 2},
    "inputs": {
        "kind": "unstructured",
        "inputs": 10,
        "distribution": ["normal", "positive"],
        "centred": True,
    },
    "separable": {"kind": "separable", "inputs": 10, "delta": [0.0, 0.5, 1.0]},
    "noise": {"kind": "separable", "inputs": 10, "delta": [0.0, 1.0], "noise_variance": [0.0, 1.0]},
    "fates": {"kind": "separable", "inputs": 10, "noise_variance": [0.0, 4.0]},
    "lines": ALIGNED | {"alignment": [0.0, 0.5]},
    "dots": ALIGNED | {"alignment": [0.0, 0.5], "kernel": "random", "geometry": [0, 1]},
    "deep": ALIGNED | {"kernel": "flat", "rank": [2, 4]},
    "parity": ALIGNED | {"kernel": "hypercube"},
}
BOTH = {"activation": ["tanh", "relu"], "width": 8}
IN_PLANE = BOTH | {"hidden_bias": "none"}
RANDOM = BOTH | {"readout": "normal", "initial": "normal"}
RESHAPED = RANDOM | {"activation": ["tanh", "relu", "clipped_relu", "relu+1"]}
DEEP = BOTH | {"depth": [1, 2], "readout": "trained"}
GROUPS = IN_PLANE | {"width": 16}
TRAINING = {"batch": 16, "samples": 64}
UNTIL = TRAINING | {"stop_below": 5.0}


def _sweep(task, network, measures, **more):
    return {"task": TASKS[task], "network": network, "training": TRAINING, "measures": measures,
            "steps": [0, 2, 8], "seeds": 2, "preview": {"seeds": 1}} | more  # fmt: skip


FITTING = {
    "fig01": {
        "sweep": _sweep("unstructured", BOTH, DECODED),
        "trajectories": _sweep("unstructured", IN_PLANE, ["selectivity", "update", "kernel"]),
    },
    "fig02": {
        "sweep": _sweep("separable", BOTH, DECODED),
        "trajectories": _sweep("separable", IN_PLANE, ["selectivity", "kernel"]),
    },
    "fig03": {"sweep": _sweep("noise", BOTH, DECODED)},
    "fig04": {
        "lines": _sweep("lines", RANDOM, [*DECODED[:3], "parallelism", "kernel"]),
        "dots": _sweep("dots", RANDOM, [*DECODED[:3], "parallelism"]),
    },
    "fig05": {"layers": _sweep("deep", DEEP, ["alignment"], training=UNTIL)},
    "fig06": {"lines": _sweep("lines", RESHAPED, ["alignment"])},
    "fig07": {
        "groups": _sweep("two targets", GROUPS | {"readout": "groups"},
                         [*DECODED, "selectivity", "tuning"]),
        "control": _sweep("two targets", GROUPS | {"readout": "normal"}, DECODED),
    },
    "fig07C": {
        "groups": _sweep("two targets", GROUPS | {"readout": "groups"}, ["selectivity", "tuning"]),
    },
    "fig08": {"sweep": _sweep("unstructured", BOTH | {"readout": ["binary", "trained"]}, DECODED)},
    "fig09": {},
    "fig10": {
        "weights": _sweep("fates", IN_PLANE | {"activation": "relu"},
                          ["alignment", "selectivity", "tuning"])
    },
    "figS1": {"inputs": _sweep("inputs", BOTH, DECODED)},
    "figS2": {
        "simplified": _sweep("unstructured", IN_PLANE, DECODED,
                             training=TRAINING | {"errors": "equal"}),
        "standard": _sweep("unstructured", BOTH | {"readout": "trained"}, DECODED),
    },
    "figS3": {
        "separability": _sweep("separable", BOTH, DECODED),
        "lines": _sweep("lines", RANDOM, ["alignment"]),
    },
    "figS4": {"lines": _sweep("lines", RESHAPED, ["alignment"])},
    "figS7": {
        "sweep": _sweep("noise", BOTH, COLLAPSE),
        "training": _sweep("unstructured", BOTH, COLLAPSE),
        "longer": _sweep("separable", BOTH, COLLAPSE),
    },
    "figS8": {
        "deep": _sweep("unstructured", IN_PLANE | {"depth": [2, 3]},
                       ["accuracy", "effective_weights"]),
    },
    "figS5": {"layers": _sweep("parity", DEEP, ["alignment"], training=UNTIL)},
}  # fmt: skip
"""A sweep that fits, by figure and field."""
DRAWN_AS = {"figS5": "fig05"}
"""Figures that are others, of other sweeps."""
LISTS = {"lines", "dots", "layers", "inputs"}
"""Fields that name several sweeps."""
WITHOUT_STEP = {"fig01", "fig08", "fig09", "figS2", "figS3", "figS7", "figS8"}

ACTIVATIONS = ["tanh", "relu", "identity", ["tanh", "relu"], ["gelu", "relu"],
               ["tanh", "clipped_relu"], ["tanh", "relu", "gelu"],
               ["tanh", "relu", "clipped_relu", "relu-1"]]  # fmt: skip
CHANGES = {
    "task": list(TASKS.values()),
    "task.delta": [0.0, 0.5, 1.0, [0.0, 1.0], [0.2, 0.4, 0.6, 0.8]],
    "task.noise_variance": [0.0, 0.5, 4.0, [0.5, 2.0], [0.0, 1.0, 4.0]],
    "task.alignment": [0.0, 0.5, [0.1, 0.6], [0.0, 0.3, 0.5]],
    "task.clusters": [4, 8, [4, 8]],
    "task.targets": [1, 2, [1, 3]],
    "task.inputs": [12, [10, 12]],
    "task.distribution": ["normal", "symmetric", "raw", ["normal", "symmetric"]],
    "task.centred": [True, False, [True, False]],
    "task.geometry": [0, 1, [0, 1, 2]],
    "task.rank": [2, [1, 3]],
    "task.kernel": ["maximal", "random", "flat"],
    "network.activation": ACTIVATIONS,
    "network.width": [8, 16, [8, 16]],
    "network.depth": [1, 2, [1, 2], [2, 3]],
    "network.readout": ["binary", "normal", "trained", ["normal", "trained"]],
    "network.hidden_bias": ["none", "trained"],
    "network.initial": ["uniform", "normal", "linear"],
    "training.learning_rate": [0.02, 0.5, [0.1, 0.2], 1e18],
    "training.optimiser": ["adam"],
    "training.errors": ["output", "equal"],
    "training.stop_below": [None, 5.0, 0.01],
    "steps": [[8], [0, 8], [2, 8], [0, 2, 4, 8]],
    "seeds": [1, 2, 3],
    "measures": [["alignment"], DECODED, ["selectivity"], ["accuracy"]],
    "more_measures": [{8: ["alignment"]}, {0: DECODED, 8: DECODED}],
    "decoders": [{"test_deviations": [1.0]}, {"test_deviations": [3.0]}],
    "preview": [{"seeds": 1, "values": 1}, {"seeds": 1, "values": 2}, {"seeds": 2}],
}


@st.composite
def configs(draw):
    """Return the values of a config with one figure or two, some with changed sweeps."""
    names = draw(st.lists(st.sampled_from(list(FITTING)), min_size=1, max_size=2, unique=True))
    sweeps, figures = {}, {}
    for figure in names:
        options = {} if figure in WITHOUT_STEP else {"step": draw(st.sampled_from([8, 8, 8, 2]))}
        for field, sweep in FITTING[figure].items():
            name = f"{figure}_{field}"
            sweeps[name] = copy.deepcopy(sweep)
            options[field] = [name] if field in LISTS else name
        figures[figure] = options | {"draw": DRAWN_AS.get(figure, figure)}
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        _change(draw, sweeps, figures)
    return copy.deepcopy(
        {
            "sweeps": sweeps,
            "figures": figures,
            "decoders": {"train_samples": 64, "test_samples": 64},
        }
    )


def _change(draw, sweeps, figures):
    """Change a setting of one sweep or of all sweeps, or give a field another sweep."""
    if not sweeps:
        return
    if draw(st.integers(0, 5)) == 0:
        figure = draw(st.sampled_from([name for name in figures if FITTING[name]]))
        field = draw(st.sampled_from(list(FITTING[figure])))
        name = draw(st.sampled_from(list(sweeps)))
        figures[figure][field] = [name] if field in LISTS else name
        return
    path = draw(st.sampled_from(list(CHANGES)))
    value = draw(st.sampled_from(CHANGES[path]))
    chosen = list(sweeps) if draw(st.booleans()) else [draw(st.sampled_from(list(sweeps)))]
    for name in chosen:
        *folders, last = path.split(".")
        place = sweeps[name]
        for key in folders:
            place = place[key]
        # A key that this kind of task hasn't is another mistake.
        if not folders or folders[0] != "task" or last in _known(place["kind"]):
            place[last] = copy.deepcopy(value)


def _known(kind):
    known = {"inputs", "noise_variance"}
    return (
        known
        | {
            "unstructured": {"clusters", "targets", "distribution", "centred"},
            "separable": {"delta"},
            "aligned": {"clusters", "targets", "alignment", "geometry", "rank", "kernel"},
        }[kind]
    )
