"""Files that may not be read, a disk that is full, clocks that are wrong."""

import os
import re
import shutil
import subprocess
import time

import pytest

pytestmark = pytest.mark.slow
WITHOUT_RIGHTS_OF_ROOT = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


def test_a_result_that_may_not_be_read_is_named_in_a_sentence(project):
    drop = () if os.geteuid() else WITHOUT_RIGHTS_OF_ROOT
    if drop and not shutil.which("setpriv"):
        pytest.skip("setpriv, which takes rights from root, is not installed")
    (project.results / "structure/tables/fig02.parquet").resolve().unlink()
    (project.results / "metrics/structure/separability/seeds-0.parquet").chmod(0)
    table = "results/structure/tables/fig02.parquet"
    ended = project.command(*drop, "snakemake", table, "--cores", "1")
    assert ended.returncode == 1 and "Traceback" not in ended.stdout
    sentence = r"repatlas plot: error: \S*metrics/structure/separability/seeds-0\S*: Permission"
    assert re.search(sentence, ended.stdout)


@pytest.fixture
def small_disk(fresh):
    """A project with its results on a disk of 800 kB, too small for the figures."""
    fresh.results.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=800k", "tmpfs", str(fresh.results)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"cannot mount a small disk here: {error}")
    yield fresh
    subprocess.run(["umount", str(fresh.results)], check=True)


def test_a_full_disk_is_named_and_leaves_no_half_of_a_file(small_disk, done):
    output = small_disk.fail()
    assert "No space left on device" in output
    assert "Traceback" not in output
    for folder in ("tasks", "metrics", "structure/tables", "structure/figures"):
        whole = done.contents(folder)
        assert small_disk.contents(folder).items() <= whole.items()

    larger = ["mount", "-o", "remount,size=100m", str(small_disk.results)]
    subprocess.run(larger, check=True)
    small_disk.run()
    assert small_disk.contents("structure/figures") == done.contents("structure/figures")
    assert small_disk.verify()[0] == 0


def test_files_from_the_future_fail_no_job(project):
    """The clock of another machine has set their times."""
    later = time.time() + 3600
    for path in project.results.rglob("*"):
        os.utime(path, (later, later))
    project.edit_config(lambda config: config["figures"]["fig02"].update(step=10))
    assert project.plan() == {"plot": 1, "judge": 1}
    project.run()
    assert project.plan() == {}
    assert project.verify()[0] == 0
