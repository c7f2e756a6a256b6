"""The runs of networks that name images: as they begin, and as they go on."""

from typing import Any

import numpy as np

from repatlas.experiments.classification.spec import Spec
from repatlas.runs import Curve, Run


def new_run(spec: Spec, initial: dict[str, np.ndarray]) -> Run:
    """Return a run before training, at step 0, with these parameters."""
    about = {
        "spec": spec.model_dump(mode="json"),
        "steps": [0],
        "diverged_step": None,
        "converged_step": None,
        "goes_on": True,
    }
    return Run({name: values[None] for name, values in initial.items()}, {}, about)


def continued(
    run: Run,
    wanted: list[int],
    ahead: list[int],
    parameters: dict[str, np.ndarray],
    state: dict[str, np.ndarray],
    curves: dict[str, tuple[np.ndarray, np.ndarray]],
    about: dict[str, Any],
) -> Run:
    """Return a run that was trained further.

    wanted: the steps whose checkpoints are kept; ahead: the steps of the new checkpoints. The last
    one is always kept, since training continues from it. parameters: (T, ...) at these steps;
    state: at the last of them; curves: steps and values that were recorded in between; about:
    further facts about the run.
    """
    past = run.at([step for step in run.about["steps"] if step in wanted and step < ahead[0]])
    longer = {
        name: np.concatenate([past.parameters[name], values]) for name, values in parameters.items()
    }
    now = run.about | about | {"steps": past.about["steps"] + ahead, "goes_on": True}
    joined = {
        name: Curve(*map(np.concatenate, zip(run.curves[name], found, strict=True)))
        if name in run.curves
        else Curve(*found)
        for name, found in curves.items()
    }
    return Run(longer, state, now, joined)
