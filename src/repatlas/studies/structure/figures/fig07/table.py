"""Figure 7: two outputs, from the readout's groups and from random weights."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.studies.structure.rows.groups import task_rows
from repatlas.studies.structure.rows.panels import GROUP, panel_rows
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED

BY = [*GROUP, "readout"]
"""What the rows of a mean keep."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    groups = rows["groups"]
    panels = {
        role: panel_rows(metrics[metrics["step"].isin([0, step])]) for role, metrics in rows.items()
    }
    centres = groups[(groups["measure"] == "centre") & (groups["seed"] == DRAWN_SEED)]
    effects = [tanh_minus_relu(panels[role], GROUP) for role in ("groups", "control")]
    parts = [
        *panels.values(),
        *(
            median_rows(tanh_minus_relu(values, BY), BY).assign(contrast=TANH_RELU)
            for values in panels.values()
        ),
        contrast_rows(*effects, f"{TANH_RELU}, groups - control", GROUP),
        centres.drop_duplicates(["run", "variant", "cluster"]),
        task_rows(groups),
    ]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)
