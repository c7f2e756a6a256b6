"""A figure for which no network is trained, alone in the config."""

import pandas as pd
import pytest


@pytest.mark.slow
def test_a_figure_without_networks_is_made_by_the_same_command_and_is_its_own_preview(fresh):
    fresh.config.write_text("figures: {fig09: {}}\n")
    assert fresh.plan() == {"plot": 1}
    fresh.run()
    fresh.run("--config", "preview=true")
    assert fresh.plan() == {}
    assert fresh.verify()[0] == 0
    whole, preview = (
        pd.read_parquet(fresh.results / folder / "fig09.parquet")
        for folder in ("structure/tables", "preview/structure/tables")
    )
    pd.testing.assert_frame_equal(whole, preview)
    fresh.edit_source("studies/structure/fig09.py", "ANGLE = 75.0", "ANGLE = 60.0")
    assert fresh.plan() == {"plot": 1}
