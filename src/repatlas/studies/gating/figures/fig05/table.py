"""Figure 5: more contexts."""

import numpy as np
import pandas as pd

from repatlas.dynamics.correlations import frobenius_cosine, input_output, linear_residual
from repatlas.dynamics.head_start import context_initial
from repatlas.dynamics.logistic import logistic, time_constant
from repatlas.dynamics.symmetric import effective_decay, late_strength
from repatlas.experiments.items.networks.gated import Gated
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.studies.gating.rows.curves import (
    NETWORK,
    agreement_rows,
    epoch_below_rows,
    reference_rows,
    thinned,
)
from repatlas.studies.gating.rows.head_start import head_start_rows
from repatlas.studies.gating.rows.modules import drawn_singular_values, norms_by_size
from repatlas.studies.gating.rows.outputs import drawn_outputs
from repatlas.studies.gating.rows.tasks import number_row

OUTPUTS_AT = 2000
"""The epoch whose outputs are drawn, or else the closest one that has outputs."""
FIRST = np.sqrt(7)
"""The singular value of the tree's first split."""
RATE, OBJECTS, UNITS = 1e-3, 8, 100
LEARNED = 0.1
"""The fraction of the first loss below which a network has learned most of its task."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, gated, race = rows["relu"], rows["gated"], rows["race"]
    theories = [rows["theories"], rows.get("fit", relu[:0])]
    detached = gated[gated["gradient"] == "detached"]
    single = rows.get("single", gated[:0])
    shown = drawn_outputs(detached, variant="")
    used = relu["measure"].isin(["used_share", "used_mean", "slope"])
    return pd.concat(
        [
            *(thinned(each) for each in (relu, gated, race, *theories)),
            *(
                agreement_rows(each, relu, "relu", ("contexts",))
                for each in (gated, race, single, *theories)
            ),
            *(epoch_below_rows(each, LEARNED) for each in (detached, single)),
            detached[detached["measure"] == "isolation"],
            single[single["measure"] == "isolation"],
            reference_rows(relu),
            drawn_singular_values(rows["modules"]),
            drawn_singular_values(rows["modules_theory"]),
            shown[shown["step"] == _closest(shown["step"], OUTPUTS_AT)],
            norms_by_size(race),
            relu[used],
            final_strength_rows(detached),
            head_start_rows(rows["head_start"]),
            *(overlap_row(contexts) for contexts in (3, 4, 5)),
        ],
        ignore_index=True,
    )


def _closest(steps: pd.Series, wanted: int) -> int:
    return min(steps.unique(), key=lambda step: abs(step - wanted), default=wanted)


def final_strength_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the largest relative difference of final strengths from the logistic.

    The strength is along the tree's first split at the last epoch. The largest is over context
    pathways. The logistic has no fitted numbers.
    """
    strengths = rows[(rows["measure"] == "mode_strength") & (rows["neuron"] == 1)]
    strengths = strengths[strengths["variant"] != "common"]
    strengths = strengths[strengths["step"] == strengths["step"].max()]
    found = []
    for (_, seed), of_one in strengths.groupby(["run", "seed"]):
        about = of_one.iloc[0]
        contexts = int(about["contexts"])
        theory = logistic(
            about["step"],
            late_strength(FIRST, OBJECTS, contexts, contexts - 1),
            effective_decay(OBJECTS, contexts),
            context_initial(
                FIRST,
                OBJECTS,
                contexts,
                contexts - 1,
                UNITS,
                about["sigma"],
                about["context_sigma"],
            ),
            time_constant(RATE, OBJECTS * contexts),
        )
        error = float((of_one["value"] / theory.item() - 1).abs().max())
        common = about[NETWORK].to_dict() | {"seed": seed, "step": about["step"], "variant": ""}
        found.append(common | {"measure": "final_strength_error", "value": error})
    return pd.DataFrame(found)


def overlap_row(contexts: int) -> pd.DataFrame:
    """Return the largest difference of overlaps from -1 / (C - 1). They are overlaps, on the
    residual, of what drives pathways of all contexts except one."""
    task = Contexts(kind="contexts", contexts=contexts)
    items = task.draw()
    residual = linear_residual(items.inputs, items.targets)
    seen = Gated(kind="gated").gates(task).seen(items)[1:]
    drives = [input_output(each, residual) for each in seen]
    cosines = [frobenius_cosine(one, other) for i, one in enumerate(drives) for other in drives[:i]]
    error = np.abs(np.array(cosines) + 1 / (contexts - 1)).max()
    return number_row("overlap_error", error, contexts=contexts, task="contexts")
