"""Figure C1: units of two networks, one to one."""

import pandas as pd

from repatlas.studies.convergence.rows.matching import unit_rows
from repatlas.studies.convergence.rows.networks import accuracies
from repatlas.studies.convergence.rows.similarities import (
    ONE_PAIR,
    learned_pairs,
    over_pairs,
    with_settings_of,
)

SHOWN = "relu"
"""The activation of heat maps, images and sorted units, or else the first of the pairs."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = pd.concat([rows[role] for role in ("mlp", "cnn", "widths") if role in rows])
    compared = [rows[key] for key in ("mlp_units", "cnn_units", "widths_units") if key in rows]
    one_pair = [
        _shown(learned_pairs(rows[key], networks))
        for key in ("one_pair", "one_cnn_pair")
        if key in rows
    ]
    in_order = _shown(learned_pairs(rows["sorted_units"], networks))
    signed = in_order["variant"].isin(["signed", "signed floor"])
    return pd.concat(
        [
            accuracies(networks),
            *(unit_rows(pairs, networks) for pairs in compared),
            with_settings_of(in_order, over_pairs(in_order[signed], ("unit",))),
            *(pair[pair["reason"].isna()].assign(contrast=ONE_PAIR) for pair in one_pair),
        ],
        ignore_index=True,
    )


def _shown(pairs: pd.DataFrame) -> pd.DataFrame:
    if SHOWN in set(pairs["activation"]) or pairs.empty:
        return pairs[pairs["activation"] == SHOWN]
    return pairs[pairs["activation"] == pairs["activation"].iloc[0]]
