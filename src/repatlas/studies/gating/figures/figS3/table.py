"""Figure S3: what the loss does not tell."""

import pandas as pd

from repatlas.studies.gating.rows.curves import agreement_rows, reference_rows, thinned

CONTEXTS = 3


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, frozen = _with_three_contexts(rows["relu"]), rows["frozen"]
    fits = _with_three_contexts(rows.get("fits", relu[:0]))
    own = _with_three_contexts(rows.get("own_fits", relu[:0]))
    kappas = own[(own["measure"] == "kappa") & (own["step"] == own["step"].max())]
    # The first network is the one that was fitted.
    fitted = agreement_rows(fits, relu[relu["seed"] > 0], "relu", ())
    best = agreement_rows(frozen, relu, "relu", ())
    slopes = relu[relu["measure"].isin(["slope", "used_share"])]
    return pd.concat(
        [
            *(thinned(each) for each in (relu, fits, frozen)),
            reference_rows(relu),
            fitted,
            best,
            kappas.assign(measure="fitted_kappa"),
            slopes[slopes["step"] == slopes["step"].max()],
        ],
        ignore_index=True,
    )


def _with_three_contexts(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["contexts"] == CONTEXTS]
