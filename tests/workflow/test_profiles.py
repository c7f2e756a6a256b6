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


def test_what_would_be_sent_to_a_cluster_is_told_without_one(fresh):
    profiles = ("--profile", "profiles/slurm", "--profile", "profiles/gpu")
    output = fresh.snakemake(*profiles, "--workflow-profile", "none", "--dry-run")
    assert output.returncode == 0, output.stdout
    assert re.search(r"^train +2$", output.stdout, re.MULTILINE), "of two seeds each"


def test_make_takes_profiles_by_name_and_that_of_the_site_last(fresh):
    (fresh.folder / "Makefile").write_text((ROOT / "Makefile").read_text())

    def recipe(*words):
        quiet = ("--no-print-directory", "--dry-run", "--old-file", "env")
        return fresh.command("make", *quiet, "figures", "ARGS=", *words).stdout.split()

    start = ["python", "src/repatlas/command/start_snakemake.py"]
    assert recipe() == start
    slurm = [*start, "--profile", "profiles/slurm"]
    end = ["--workflow-profile", "none"]
    assert recipe("PROFILE=slurm") == [*slurm, *end]
    (fresh.folder / "profiles/site").mkdir()
    words = [*slurm, "--profile", "profiles/gpu", "--profile", "profiles/site", *end]
    assert recipe("PROFILE=slurm gpu") == words
    assert recipe() == start, "on this machine nothing of the site's"


def show_resources(project):
    """Remove the messages of jobs: Snakemake tells no resources of a job that has one."""
    for rules in (project.folder / "workflow/rules").glob("*.smk"):
        rules.write_text(re.sub(r"    message:\n.*\n", "", rules.read_text()))


def requests_of(output, experiment):
    """Return what the jobs of a dry run ask for, by rule, networks and first seed."""
    text = r"rule (train|measure):\n(?:    .*\n)*?"
    text += rf"    wildcards: experiment={experiment}, family=(.*), seed=(\d+)\n"
    text += r"(?:    .*\n)*?    resources: (.*)\n"
    return {
        (rule, networks, int(seed)): dict(re.findall(r"(\w+)=([^,]*)", resources))
        for rule, networks, seed, resources in re.findall(text, output)
    }


def test_on_a_cluster_with_gpus_a_job_trains_many_seeds_on_one_gpu_with_memory(fresh):
    show_resources(fresh)
    fresh.edit_config(lambda config: config["sweeps"]["separability"].update(seeds=30))
    profiles = ("--profile", "profiles/slurm", "--profile", "profiles/gpu")
    words = ("--workflow-profile", "none", "--dry-run", "--printshellcmds", "--until", "measure")
    output = fresh.snakemake(*profiles, *words).stdout
    jobs = requests_of(output, "clusters")
    assert sorted((rule, seed) for rule, _, seed in jobs) == [
        *(("measure", seed) for seed in (0, 0, 4, 8, 16)),
        *(("train", seed) for seed in (0, 0, 4, 8, 16)),
    ], output
    for (rule, *_), resources in jobs.items():
        wanted = {"train": ("1", "cuda"), "measure": (None, "cpu")}[rule]
        assert (resources.get("gpu"), resources["device"]) == wanted
        assert int(resources["mem_mb"]) >= {"train": 8000, "measure": 100}[rule]
    shells = [line for line in output.splitlines() if "repatlas train -" in line]
    assert sorted(shell.count("--device cuda") for shell in shells) == [2, 4, 4, 8, 14], "seeds"


def test_on_one_machine_jobs_take_turns_on_its_gpu(fresh):
    show_resources(fresh)
    words = ("--profile", "profiles/default", "--profile", "profiles/gpu")
    output = fresh.snakemake(*words, "--workflow-profile", "none", "--dry-run").stdout
    jobs = requests_of(output, "clusters")
    asked = [resources["gpu"] for (rule, *_), resources in jobs.items() if rule == "train"]
    assert asked == ["1"] * 2, output
    assert yaml.safe_load((ROOT / "profiles/default/profile.yaml").read_text())["resources"] == {
        "gpu": 1
    }


@pytest.fixture
def asked(fresh):
    """What the jobs on the paper's images would ask of a cluster, by rule and networks."""
    shutil.copy2(ROOT / "config.yaml", fresh.config)
    shutil.copytree(ROOT / "config", fresh.folder / "config")
    shutil.copytree(ROOT / "profiles/site-example", fresh.folder / "profiles/site")
    for names in ("cifar10/cifar-10-batches-bin", "stl10/stl10_binary"):  # unpacked, by their names
        (fresh.folder / "data" / names).mkdir(parents=True)
    show_resources(fresh)

    def run(*names):
        profiles = [word for name in names for word in ("--profile", f"profiles/{name}")]
        files = ("--configfile", "config.yaml", "config/paper-images.yaml")
        dry = ("--dry-run", *files, "--config", "only=structure/figS6", "--until", "measure")
        output = fresh.snakemake(*profiles, "--workflow-profile", "none", *dry).stdout
        found = {
            (rule, of): asked for (rule, of, _), asked in requests_of(output, "images").items()
        }
        assert len(found) == 8, output  # two data sets, two networks, two rules
        return found

    return run


@pytest.mark.slow
def test_the_papers_images_are_trained_on_gpus_for_hours_and_not_days(asked):
    found = asked("slurm", "gpu", "site")
    for (rule, _), resources in found.items():
        if rule == "train":
            assert (resources["gpu"], resources["device"]) == ("1", "cuda")
            assert int(resources["runtime"]) <= 24 * 60 / 3  # there may be three attempts


@pytest.mark.slow
def test_the_papers_images_are_measured_without_a_gpu(asked):
    for (rule, _), resources in asked("slurm", "gpu", "site").items():
        if rule == "measure":
            assert "gpu" not in resources
            assert resources["device"] == "cpu"
            assert int(resources["runtime"]) <= 8 * 60


@pytest.mark.slow
def test_without_gpus_jobs_on_images_ask_for_what_a_core_takes(asked):
    found = asked("slurm", "site")
    large, small = (
        found["train", f"stl10-{networks}"] for networks in ("resnet18-w64-d2", "small-cnn-w32-d2")
    )
    assert "gpu" not in large
    assert int(large["runtime"]) > 100 * int(small["runtime"])
    assert int(large["mem_mb"]) > 2 * int(small["mem_mb"])


@pytest.mark.slow
def test_jobs_on_images_go_to_the_sites_partition_or_to_that_of_gpus(asked, fresh):
    path = fresh.folder / "profiles/gpu/profile.yaml"
    lines = path.read_text().replace("    gpu: 1\n", "    gpu: 1\n    slurm_partition: gpus\n")
    path.write_text(lines)
    for (rule, _), resources in asked("slurm", "gpu", "site").items():
        expected = {"train": "gpus", "measure": "my_partition"}[rule]
        assert resources["slurm_partition"] == expected
