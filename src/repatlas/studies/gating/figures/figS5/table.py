"""Figure S5: the geometry of representations in contexts."""

import pandas as pd

from repatlas.dynamics.solutions import (
    input_target_alignment,
    parallelism_of_all_but_one,
    parallelism_of_single,
)
from repatlas.studies.gating.rows.geometry import at_levels, diverged, not_reached
from repatlas.studies.gating.rows.tasks import number_row

FIRST = "halves"
"""The split of the tree that the closed forms are compared with: animals and plants."""
FORMS = {"all_but_one": parallelism_of_all_but_one, "single": parallelism_of_single}


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    matched = pd.concat([rows["small"], rows["large"]])
    parts = [at_levels(matched), not_reached(matched), diverged(matched)]
    gated = rows["gated"][rows["gated"]["gradient"] == "detached"]
    for each in (gated, rows["small"]):
        of_end = each[each["measure"] == "context_parallelism"]
        of_end = of_end[of_end["layer"].notna()]
        parts.append(of_end[of_end["step"] == of_end["step"].max()])
    parts += closed_forms(rows["theory"])
    return pd.concat(parts, ignore_index=True)


def closed_forms(theory: pd.DataFrame) -> list[pd.DataFrame]:
    """Return parallelism and alignment in closed form, and how far the mean field is from them at
    its end."""
    found = []
    end = theory[theory["step"] == theory["step"].max()]
    for contexts in sorted(theory["contexts"].dropna().astype(int).unique()):
        about = {"contexts": contexts, "task": "contexts", "blocks": "homogeneous"}
        for pathways, form in FORMS.items():
            value = form(contexts)
            found.append(
                number_row("closed_form", value, "parallelism", pathways=pathways, **about)
            )
        value = input_target_alignment(contexts)
        found.append(number_row("closed_form", value, "input_target_alignment", **about))
        of_task = end[(end["contexts"] == contexts) & (end["measure"] == "context_parallelism")]
        flow = of_task.loc[of_task["variant"] == FIRST, "value"]
        if len(flow):
            error = abs(float(flow.iloc[0]) - parallelism_of_all_but_one(contexts))
            found.append(number_row("flow_error", error, "parallelism", **about))
    return found
