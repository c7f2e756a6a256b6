"""Figure 4: three contexts of different structure."""

import pandas as pd

from repatlas.dynamics.correlations import linear_residual
from repatlas.studies.gating.rows.curves import agreement_rows, reference_rows, thinned
from repatlas.studies.gating.rows.modules import drawn_singular_values
from repatlas.studies.gating.rows.outputs import drawn_outputs, output_agreement_rows
from repatlas.studies.gating.rows.tasks import HETEROGENEOUS, number_row, settings_of_task


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, gated = rows["relu"], rows["gated"]
    theories = [rows["theories"], rows.get("fit", relu[:0])]
    detached = gated[gated["gradient"] == "detached"]
    items = HETEROGENEOUS.draw()
    residual = linear_residual(items.inputs, items.targets)
    return pd.concat(
        [
            *(thinned(each) for each in (relu, gated, *theories)),
            *(agreement_rows(each, relu, "relu", ("blocks",)) for each in (gated, *theories)),
            reference_rows(relu),
            number_row("floor", (residual**2).sum() / 2, **settings_of_task(HETEROGENEOUS)),
            drawn_outputs(relu),
            drawn_outputs(detached),
            output_agreement_rows(detached, relu, "relu"),
            drawn_singular_values(rows["modules"]),
            drawn_singular_values(rows["theories"]),
        ],
        ignore_index=True,
    )
