"""Sweeps of small networks that name digits."""

STEPS = {"mlp": [0, 2, 20, 44], "small_cnn": [0, 1, 2]}


def sweep(kind="mlp", **more):
    """Return a sweep of networks on 200 digits; each trains in a few hundredths of a second."""
    network = {"kind": kind, "activation": ["tanh", "relu"], "depth": 2}
    network |= {"width": 8} if kind == "mlp" else {"width": 2}
    return {
        "experiment": "classification",
        "data_set": "digits",
        "task": {"images": 200},
        "network": network,
        "training": {"batch": 20},
        "steps": STEPS[kind],
        "seeds": 2,
        "measures": ["accuracy"],
    } | more
