"""How the workflow runs, here and on a cluster: each setting with its reason."""

import re
import shutil
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROFILES = sorted(ROOT.glob("profiles/*/profile.yaml"))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: path.parent.name)
def test_each_setting_of_a_profile_has_a_reason(profile):
    paragraphs = profile.read_text().split("\n\n")
    settings = [p for p in paragraphs if re.search(r"^[\w-]+:", p, re.MULTILINE)]
    assert settings
    assert [p for p in settings if "#" not in p] in ([], ["executor: slurm"])


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


def requests(project, *profiles):
    """Write rules without messages, and return what jobs of a dry run ask for, by rule."""
    for rules in (project.folder / "workflow/rules").glob("*.smk"):
        # Snakemake tells no resources of a job that has a message.
        rules.write_text(re.sub(r"    message:\n.*\n", "", rules.read_text()))
    words = [word for name in profiles for word in ("--profile", f"profiles/{name}")]
    output = project.snakemake(*words, "--workflow-profile", "none", "--dry-run").stdout
    text = r"rule (\w+):\n(?:    .*\n)*?    resources: (.*)\n"
    found = {}
    for rule, resources in re.findall(text, output):
        found.setdefault(rule, []).append(dict(re.findall(r"(\w+)=([^,]*)", resources)))
    assert {"train", "measure"} <= found.keys(), output
    return found


@pytest.mark.parametrize("machine", ["default", "slurm"])
def test_with_the_profile_of_gpus_a_job_trains_on_one_and_measures_on_none(fresh, machine):
    shutil.copytree(ROOT / "profiles/site-example", fresh.folder / "profiles/site")
    found = requests(fresh, machine, "gpu", "site")
    assert {(job["gpu"], job["device"]) for job in found["train"]} == {("1", "cuda")}
    assert {(job.get("gpu"), job["device"]) for job in found["measure"]} == {(None, "cpu")}
    # There may be three attempts, and a day is what many partitions allow.
    assert all(int(job["runtime"]) <= 24 * 60 / 3 for job in found["train"])


def test_no_job_asks_for_more_than_the_partition_of_the_site_gives(fresh):
    shutil.copytree(ROOT / "profiles/site-example", site := fresh.folder / "profiles/site")
    settings = yaml.safe_load((site / "profile.yaml").read_text())
    settings["resources"] = {"runtime": 7, "mem_mb": 900}
    (site / "profile.yaml").write_text(yaml.safe_dump(settings))
    found = requests(fresh, "slurm", "site")
    asked = {
        (job["runtime"], job["mem_mb"]) for rule in ("train", "measure") for job in found[rule]
    }
    assert asked == {("7", "900")}
