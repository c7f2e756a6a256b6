"""How the workflow runs, here and on a cluster: each setting with its reason."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROFILES = sorted(ROOT.glob("profiles/*/profile.yaml"))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: path.parent.name)
def test_each_setting_of_a_profile_has_a_reason(profile):
    paragraphs = profile.read_text().split("\n\n")
    settings = [p for p in paragraphs if re.search(r"^[\w-]+:", p, re.MULTILINE)]
    assert settings
    assert [p for p in settings if "#" not in p] in ([], ["executor: slurm"])


def test_what_would_be_sent_to_a_cluster_is_told_without_one(fresh):
    profiles = ("--profile", "profiles/slurm", "--profile", "profiles/gpu")
    words = ("snakemake", *profiles, "--workflow-profile", "none", "--dry-run")
    output = fresh.command(*words)
    assert output.returncode == 0, output.stdout
    assert re.search(r"^train +4$", output.stdout, re.MULTILINE)


def test_make_takes_profiles_by_name_and_that_of_the_site_last(fresh):
    (fresh.folder / "Makefile").write_text((ROOT / "Makefile").read_text())

    def recipe(*words):
        quiet = ("--no-print-directory", "--dry-run", "--old-file", "env")
        return fresh.command("make", *quiet, "figures", "ARGS=", *words).stdout.split()

    assert recipe() == ["snakemake"]
    slurm = ["snakemake", "--profile", "profiles/slurm"]
    end = ["--workflow-profile", "none"]
    assert recipe("PROFILE=slurm") == [*slurm, *end]
    (fresh.folder / "profiles/site").mkdir()
    words = [*slurm, "--profile", "profiles/gpu", "--profile", "profiles/site", *end]
    assert recipe("PROFILE=slurm gpu") == words
    assert recipe() == ["snakemake"], "on this machine nothing of the site's"
