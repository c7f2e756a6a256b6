"""`make` knows the studies."""

import subprocess

import pytest


@pytest.mark.parametrize("target", ["figures", "preview", "test"])
def test_a_misspelt_study_is_refused_with_the_names_of_all(repository, target):
    words = ["make", "--dry-run", target, "STUDY=gatin"]
    done = subprocess.run(words, cwd=repository, capture_output=True, text=True)
    assert done.returncode == 2
    assert "STUDY: found gatin, allowed: convergence gating law own " in done.stderr
