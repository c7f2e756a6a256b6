"""How the units of two networks match, in the rows of Figures C1 and C10."""

import pandas as pd

from repatlas.studies.convergence.rows.similarities import (
    both_directions,
    is_floor,
    learned_pairs,
    minus_floor,
    minus_natural,
    minus_untrained,
    seed_rows,
    typical,
    with_settings_of,
)

MATCHED = ["matching", "natural"]


def unit_rows(pairs: pd.DataFrame, networks: pd.DataFrame) -> pd.DataFrame:
    """Return the values of two typical networks and of each seed, measured unit by unit.

    Matched units also have the value minus the floor, minus the same pairs untrained, and minus
    units in natural order.
    """
    kept = learned_pairs(pairs, networks)
    if kept.empty:
        return kept
    one_way = kept[~kept["variant"].str.contains("a to b|b to a")]
    rows = pd.concat([one_way, both_directions(kept)], ignore_index=True)
    matched = rows[rows["measure"].isin(MATCHED)]
    values = matched[~is_floor(matched)]
    compared = [
        minus_floor(matched[matched["measure"] == "matching"]),
        minus_untrained(values[values["measure"] == "matching"]),
        minus_natural(values),
    ]
    rows = pd.concat([rows, *compared], ignore_index=True)
    found = pd.concat([typical(rows), seed_rows(rows[~is_floor(rows)])], ignore_index=True)
    return with_settings_of(kept, found)
