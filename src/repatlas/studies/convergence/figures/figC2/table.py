"""Figure C2: from how many units a unit is predicted."""

import pandas as pd

from repatlas.studies.convergence.rows.networks import accuracies
from repatlas.studies.convergence.rows.prediction import (
    curves,
    published_rows,
    slide_rows,
    summaries,
)
from repatlas.studies.convergence.rows.similarities import learned_pairs


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = pd.concat([rows[role] for role in ("mlp", "cnn") if role in rows])
    predicted = [
        learned_pairs(rows[key], networks)
        for key in ("mlp_prediction", "cnn_prediction")
        if key in rows
    ]
    return pd.concat(
        [
            accuracies(networks),
            *(curves(pairs) for pairs in predicted),
            *(summaries(pairs) for pairs in predicted),
            published_rows(learned_pairs(rows["published"], networks)),
            slide_rows(),
        ],
        ignore_index=True,
    )
