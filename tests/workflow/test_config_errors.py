"""A config that makes no sense is refused before anything is computed, in words that help."""

import pytest


def test_snakemake_says_the_sentence_of_a_refusal(fresh):
    fresh.edit_config(lambda config: config["sweeps"]["noise"].update(seed=3))
    output = fresh.fail("--quiet", "all")
    assert "Traceback" not in output
    assert not fresh.results.exists()
    [sentence] = [line for line in output.splitlines() if line.startswith("config.yaml: ")]
    assert all(word in sentence for word in ("sweeps.noise: ", "'seed'", "seeds", "measures"))


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("gating", "structure, all, reports"),
        ("fig03", "structure/fig03"),
        ("structure/fig9", "structure/fig01, structure/fig02, structure/fig03, structure/unstr"),
    ],
)
def test_a_study_or_figure_that_the_config_lacks_is_refused_with_what_to_type(fresh, target, says):
    said = fresh.fail(target)
    assert f"{target}: is not in config.yaml, which has {says}" in said
    assert "Traceback" not in said and "MissingRule" not in said
