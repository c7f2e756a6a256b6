"""Networks on images, from a tiny config: what a kill, a change or a damaged file costs."""

import os
import re
import shutil
import signal
import socket

import pytest
import yaml

from repatlas.artifacts.files import read_header
from repatlas.artifacts.runs import Parts
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan
from repatlas.report.origins import origins

pytestmark = pytest.mark.slow

FAMILY = "digits-small-cnn-w4-d2"
PLACE = f"images/{FAMILY}"
DATA = "data/images/digits.safetensors"
FOLDERS = (f"runs/{PLACE}", f"metrics/{PLACE}", "structure/tables", "structure/figures")
DRAWING = {"tabulate": 2, "plot": 2, "judge": 1, "plot_claims": 1}
"""Jobs, by rule: Figures 4C and S6, and the claims."""
LONG = 40
"""Epochs that keep a job busy for seconds, over many flushes: long enough to kill it."""


@pytest.fixture(scope="module")
def drawn(results_of):
    return results_of("images")


@pytest.fixture
def project(drawn, tmp_path):
    """A project with all results, to change."""
    project = drawn.clone(tmp_path / "project")
    yield project
    project.remove()


def test_the_report_counts_networks_on_images(drawn, monkeypatch):
    monkeypatch.chdir(drawn.folder)
    plan = Plan(read_config(yaml.safe_load(drawn.config.read_text())))
    found = origins(plan, "structure")
    assert found.networks == found.devices["cpu"] == 3 + 2 * 2


def change(project, **values):
    """Change values in the sweep of networks on images."""
    project.edit_config(lambda config: config["sweeps"]["digits"].update(values))


def runs_of_seed(project, seed):
    return project.results / f"runs/{PLACE}/seed-{seed}.safetensors"


def rows_of_networks(table):
    """Return the rows of single networks on images."""
    return table[table["architecture"].notna() & table["contrast"].isna()]


def metrics_of_seed(seed):
    return f"results/metrics/{PLACE}/seed-{seed}.parquet"


def last_epochs(file):
    """Return the last epoch of each run in a file, by activation."""
    runs = read_header(file, "runs")["runs"].values()
    return {about["spec"]["network"]["activation"]: about["steps"][-1] for about in runs}


def trained(project):
    """Return the epochs that the last run trained by its logs, for each seed and activation."""
    epochs = {}
    for log in sorted(project.results.glob(f"logs/train/{PLACE}/seed-*.log")):
        seed = int(log.stem.removeprefix("seed-"))
        for name, epoch in re.findall(r"^(\w+), .*: epoch (\d+) of", log.read_text(), re.MULTILINE):
            epochs.setdefault((seed, name), []).append(int(epoch))
    return epochs


def first_line_of_log(project, seed):
    """Return the log's line on what the job that trained a seed found on the disk."""
    log = project.results / f"logs/train/{PLACE}/seed-{seed}.log"
    return log.read_text().splitlines()[0]


def longer_from_the_start(project):
    change(project, epochs=[0, LONG], seeds=1)
    shutil.rmtree(project.results / "store/runs/images")


@pytest.fixture(scope="module")
def undisturbed(shared, drawn):
    """The longer training, without an accident. For reading only."""

    def make(folder):
        project = drawn.clone(folder)
        longer_from_the_start(project)
        project.run()

    return shared("longer on images", make)


def kill_the_job(workflow, job):
    job.kill()


def kill_everything(workflow, job):
    os.killpg(workflow.pid, signal.SIGKILL)


@pytest.mark.parametrize("kill", [kill_the_job, kill_everything])
def test_training_that_is_killed_goes_on_from_its_last_epoch_and_ends_the_same(
    project, undisturbed, kill
):
    longer_from_the_start(project)
    parts = Parts(project.results / f"store/runs/{PLACE}/seed-0/next.safetensors")
    command = ("--cores", "1", "--set-resources", "train:flush_seconds=0")
    workflow = project.start("snakemake", *command)
    job = project.job_at_work(workflow, "train", lambda words: len(parts.files()) > 1)
    kill(workflow, job)
    workflow.communicate(timeout=600)
    job.wait(timeout=600)
    assert workflow.returncode != 0
    assert not runs_of_seed(project, 0).exists()
    reached = {}
    for part in parts.files():
        reached |= last_epochs(part)
    assert [epoch < LONG for epoch in reached.values()].count(True) == 1, "it was at work"

    project.run()
    assert first_line_of_log(project, 0).endswith("(1 of them begun)")
    to_train = {
        (0, name): list(range(reached.get(name, 0) + 1, LONG + 1)) for name in ("relu", "tanh")
    }
    assert trained(project) == {network: epochs for network, epochs in to_train.items() if epochs}
    for folder in FOLDERS:
        assert project.contents(folder) == undisturbed.contents(folder), folder
    assert project.plan() == {}
    assert project.verify()[0] == 0


def test_more_epochs_continue_the_networks(project):
    change(project, epochs=[0, 5])
    assert project.plan() == {"train": 2, "measure": 2} | DRAWING
    project.run()
    assert first_line_of_log(project, 0).endswith("0 kept, 2 to train (2 of them begun)")
    networks = [(seed, name) for seed in (0, 1) for name in ("relu", "tanh")]
    assert trained(project) == {network: [4, 5] for network in networks}
    assert set(rows_of_networks(project.table("fig04C"))["step"]) == {0, 5}
    assert project.plan() == {}


def test_everything_is_made_and_a_second_call_makes_nothing(drawn):
    assert drawn.plan() == {}
    code, counts = drawn.verify()
    assert code == 0
    assert "0 damaged, 0 missing, 0 orphan" in counts


def test_an_edit_of_a_data_set_makes_nothing_of_networks_on_clusters_again(project):
    file = "images/data_sets/digits.py"
    project.edit_source(file, "digits.target.astype", "digits['target'].astype")
    assert project.plan() == {"prepare": 1, "train": 2, "measure": 2} | DRAWING


def cut_short(file):
    """Write half of a file back to the disk, and return what it held."""
    intact = file.read_bytes()
    file.write_bytes(intact[: len(intact) // 2])
    return intact


def test_what_verify_finds_damaged_is_made_again_by_its_name(project, drawn):
    places = (DATA, f"runs/{PLACE}/seed-0.safetensors", f"metrics/{PLACE}/seed-1.parquet")
    intact = {place: cut_short(project.results / place) for place in places}
    code, counts = project.verify()
    assert code == 1
    assert "3 damaged, 0 missing, 0 orphan" in counts
    project.run(*(f"results/{place}" for place in places))
    for place, content in intact.items():
        assert (project.results / place).read_bytes() == content, place
    for folder in FOLDERS:
        assert project.contents(folder).items() >= drawn.contents(folder).items(), folder
    assert project.plan() == {}
    code, counts = project.verify()
    assert code == 0
    assert "0 damaged, 0 missing, 0 orphan" in counts


def test_damaged_images_are_named_and_read_again_by_the_same_command(project):
    images = project.results / DATA
    intact, stored = cut_short(images), images.resolve()
    change(project, seeds=3)
    output = project.fail(metrics_of_seed(2))
    assert "Traceback" not in output
    assert f"repatlas train: error: {stored.relative_to(project.folder)}: " in output
    assert f"set aside as {stored.name}.aside-1: start the same command again" in output
    project.run(metrics_of_seed(2))
    assert images.read_bytes() == intact
    assert set(trained(project)) == {(2, "relu"), (2, "tanh")}


def test_images_to_be_fetched_without_a_network_end_in_one_sentence(fresh):
    fresh.use("images")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        source = {"folder": "data", "download": True, "url": url}
        change(fresh, data_set="fashion_mnist")
        fresh.edit_config(lambda config: config.update(image_sets={"fashion_mnist": source}))
        output = fresh.fail("results/data/images/fashion_mnist.safetensors")
    assert "Traceback" not in output
    [sentence] = set(re.findall(r"^ *(repatlas .*: error: .*)$", output, re.MULTILINE))
    place = f"{url}/train-images-idx3-ubyte.gz"
    assert sentence.startswith(f"repatlas prepare: error: {place}: can't be fetched (")
    assert not list((fresh.folder / "data").iterdir())
    assert not list(fresh.results.glob("data/images/*"))
