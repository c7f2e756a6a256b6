"""Whatever small config a user may write: it is refused in a sentence, or its figures are drawn and
no panel of them is empty."""

import contextlib
import re
import warnings
from collections import Counter
from functools import cache

import numpy as np
import pytest
from figure_tables import read_figure_table
from hypothesis import HealthCheck, given, settings
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from plausible import FITTING, configs
from said_and_shown import empty_panels

from repatlas.config.config import ConfigError, read_config
from repatlas.named import named
from repatlas.plots.style import Style, applied
from repatlas.workflow.plan import Plan

FEW, MANY = 150, 300
"""Configs that are generated for quick tests, and for slow ones."""
RUN = 14
SENTENCE = re.compile(r"config\.yaml: [\w.\[\], ]+: \S.*", re.DOTALL)


@cache
def sorted_configs(generated):
    """Return the accepted configs, and the numbers of generated and refused configs.

    The configs are sorted, so that the first ones have every figure."""
    accepted, refused = [], Counter()

    @settings(max_examples=generated, derandomize=True, database=None, deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(configs())
    def planned(values):
        try:
            for more in ({}, {"preview": True}):
                for result in Plan(read_config(values | more)).results.values():
                    assert result.recipe
        except ConfigError as refusal:
            for line in str(refusal).splitlines():
                assert SENTENCE.fullmatch(line), line
            refused[str(refusal)] += 1
        else:
            if values not in accepted:
                accepted.append(values)

    planned()
    return _most_different_first(accepted), refused


def _most_different_first(accepted):
    # The last ones were changed most.
    left, chosen, times = accepted[::-1], [], Counter()
    while left:
        best = min(left, key=lambda values: np.mean([times[name] for name in values["figures"]]))
        left.remove(best)
        chosen.append(best)
        times.update(list(best["figures"]))
    return chosen


@pytest.mark.parametrize("generated", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_each_config_is_planned_or_refused_in_a_sentence(generated):
    accepted, refused = sorted_configs(generated)
    print(f"{refused.total()} refused in {len(refused)} sentences, {len(accepted)} accepted")
    assert len(accepted) > generated / 10
    assert refused.total() > generated / 10
    drawn = {figure for values in accepted for figure in values["figures"]}
    assert drawn == FITTING.keys()


@pytest.mark.slow
@pytest.mark.parametrize("number", range(RUN))
def test_an_accepted_config_ends_in_figures_without_an_empty_panel(number, tmp_path, make_tables):
    accepted, _ = sorted_configs(MANY)
    run(accepted[number], tmp_path, make_tables)


def run(values, folder, make_tables):
    with contextlib.chdir(folder):
        plan = make_tables(values)
        for name, options in plan.studies["structure"].figures.items():
            _, table = read_figure_table(plan.folder / f"structure/tables/{name}.parquet")
            figure = drawn(options, table.to_pandas(), plan)
            assert not (empty := empty_panels(figure)), f"{name}: {empty} empty in {values}"
            texts = " ".join(text.get_text() for text in figure.findobj(Text))
            assert not re.search(r"\bnan\b", texts), f"{name}: {texts}"


def drawn(options, table, plan):
    step = getattr(options, "step", None)
    style = Style(**plan.config.style.model_dump(), preview=False, step=step)
    module = named("studies.structure", options.draw)
    with applied(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = module.draw(table, style)
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
    return figure
