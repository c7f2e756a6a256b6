"""Training that keeps jobs busy for a second or two, over several flushes: one can kill them."""

LONG = 3000
"""Steps."""


def longer(config):
    config["sweeps"]["separability"]["steps"] = [10, 20, LONG]
    config["sweeps"]["unstructured"]["steps"] = [0, 10, LONG]
