"""Every figure, from tiny configs: it is made, stays as it is, and has a preview."""

import json
from collections import Counter

import pytest
import yaml

# These networks are trained, and these figures drawn, in one process by
# tests/unit/structure/test_drawn_texts.py.
pytestmark = pytest.mark.slow

every_config = pytest.mark.parametrize("name", ["aligned", "supplements"])


def figures_of(project):
    return yaml.safe_load(project.config.read_text())["figures"]


@every_config
def test_every_figure_is_made_and_fresh(results_of, name):
    project = results_of(name)
    for figure in figures_of(project):
        for suffix in ("pdf", "png"):
            assert (project.results / f"structure/figures/{figure}.{suffix}").exists()
    assert project.plan() == {}
    assert project.verify()[0] == 0


def number_of_networks(project):
    """Return how many networks were trained, none of them twice."""
    specs = Counter(json.dumps(each, sort_keys=True) for each in project.trained_specs())
    assert {*specs.values()} == {2}, "two seeds"
    return len(specs)


def test_figures_share_their_networks(results_of):
    # Dots; activations with the lines among them; to convergence, at two depths.
    assert number_of_networks(results_of("aligned")) == 4 + 26 + 2 * (4 + 2)
    # Readouts with the usual and the standard ones among them, inputs, simplified; deep ones;
    # with noise, the separable ones among them; lines.
    assert number_of_networks(results_of("supplements")) == 2 * (3 + 5 + 1) + 4 + 18 + 4
