"""Files that are damaged or closed, disks that are full, clocks that are wrong, two at work."""

import os
import re
import shutil
import subprocess
import time

import pytest


def runs_of_seed_0(project):
    return next(project.results.glob("runs/clusters/separable-*/seed-0.safetensors"))


def test_a_damaged_input_is_named_set_aside_and_made_anew_by_the_same_command(project):
    name = runs_of_seed_0(project)
    runs, intact = name.resolve(), name.read_bytes()
    runs.write_bytes(intact[:5000])
    metrics = str(name.relative_to(project.folder))
    metrics = metrics.replace("/runs/", "/metrics/").replace(".safetensors", ".parquet")
    (project.folder / metrics).resolve().unlink()
    output = project.fail(metrics)
    assert "Traceback" not in output
    place = runs.relative_to(project.folder)
    start = f"repatlas measure: error: {place}: damaged"
    [sentence] = [line for line in output.splitlines() if line.startswith(start)]
    assert f"set aside as {runs.name}.aside-1: start the same command again" in sentence
    project.run(metrics)
    assert runs.read_bytes() == intact


def without_rights_of_root(project, *words):
    """Run a command as a user who may not read everything, which root otherwise may."""
    drop = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if not os.geteuid() else ()
    if drop and not shutil.which("setpriv"):
        pytest.skip("setpriv, which takes rights from root, is not installed")
    return project.command(*drop, *words, "--cores", "1")


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["a file", "a folder"])
def test_results_that_may_not_be_read_are_named_in_one_sentence(project, closed):
    name = next(project.results.glob("metrics/clusters/separable-*/seed-0.parquet"))
    metrics = name.resolve()
    file = metrics.relative_to(project.folder)
    path = metrics if closed == "a file" else metrics.parent
    path.chmod(0)
    ended = without_rights_of_root(project, "snakemake", "--dry-run")
    path.chmod(0o755)
    assert ended.returncode == 1
    [sentence] = [line for line in ended.stdout.splitlines() if "profile" not in line]
    assert sentence.startswith(f"{file} ")
    assert re.search(r"may not be (read|entered) \(owner \S+, mode 0000\)", sentence)


@pytest.fixture
def small_disk(fresh):
    """A project with its results on a disk of 400 kB, too small for the figures."""
    fresh.results.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(fresh.results)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"cannot mount a small disk here: {error}")
    yield fresh
    subprocess.run(["umount", str(fresh.results)], check=True)


@pytest.mark.slow
def test_a_full_disk_is_named_and_leaves_no_half_of_a_file(small_disk, done):
    output = small_disk.fail()
    assert "the disk is full" in output
    assert "Traceback" not in output
    for folder in ("data", "runs", "metrics", "structure/tables", "structure/figures"):
        whole = done.contents(folder)
        assert small_disk.contents(folder).items() <= whole.items()

    larger = ["mount", "-o", "remount,size=100m", str(small_disk.results)]
    subprocess.run(larger, check=True)
    small_disk.run()
    assert small_disk.contents("structure/figures") == done.contents("structure/figures")
    assert small_disk.verify()[0] == 0


@pytest.mark.slow
def test_files_from_the_future_fail_no_job(project):
    """The clock of another machine has set their times."""
    later = time.time() + 3600
    for path in project.results.rglob("*"):
        os.utime(path, (later, later))
    project.edit_config(lambda config: config["figures"]["fig02"].update(step=10))
    assert project.plan() == {"tabulate": 1, "plot": 1, "judge": 1, "plot_claims": 2}
    project.run()
    assert project.plan() == {}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_a_second_workflow_in_the_same_results_is_refused(fresh):
    workflow = fresh.start("snakemake", "--cores", "1")
    lock = fresh.results / "workflow.lock"
    while not lock.exists():
        assert workflow.poll() is None, workflow.stdout.read()
        time.sleep(0.05)
    refused = fresh.fail()
    assert f"another workflow (process {workflow.pid}) is at work in results" in refused
    assert "Traceback" not in refused
    assert fresh.plan() != {}, "a dry run is welcome"
    workflow.terminate()
    workflow.communicate(timeout=600)


@pytest.mark.slow
def test_a_seed_that_fails_takes_no_other_seed_of_its_job_with_it(fresh):
    fresh.run("--until", "prepare")
    [data] = fresh.results.glob("data/clusters/separable-*/seed-1.*")
    good = data.read_bytes()
    half = len(good) // 2
    data.write_bytes(good[:half] + bytes(byte ^ 1 for byte in good[half:]))
    fresh.fail()
    made = fresh.results.glob("store/runs/clusters/separable-*/seed-*/*.safetensors")
    assert [path.parent.name for path in made] == ["seed-0"]
    [log] = [log for log in fresh.train_logs() if "separable" in str(log)]
    assert "/seed-1/" in log.read_text()
    assert ".safetensors: damaged" in log.read_text()
    assert "0 to train" not in log.read_text()
    fresh.run()
    assert fresh.plan() == {}
    assert fresh.verify()[0] == 0
