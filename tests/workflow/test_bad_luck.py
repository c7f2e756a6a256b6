"""Networks that diverge, files that are damaged, disks that are full."""

import os
import re
import shutil
import subprocess
import sys
import time

import pytest
import yaml
from matplotlib.axes import Axes

from repatlas.artifacts.files import read_header
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan
from repatlas.plots.style import Style
from repatlas.studies.structure.figures.fig01 import drawing as fig01

STYLE = Style({"tanh": "#D55E00", "relu": "#0072B2"}, 5.5, 7.0, preview=False)


@pytest.fixture(scope="module")
def diverged(shared, done):
    """Figure 1 with steps so large that the weights of ReLU networks overflow. To read only."""

    def change(config):
        config["sweeps"]["unstructured"]["network"]["readout"] = "trained"
        config["sweeps"]["unstructured"]["training"]["learning_rate"] = 1.0e18

    def make(folder):
        project = done.clone(folder)
        project.edit_config(change)
        project.run()

    return shared("diverged", make)


def diverged_runs(project):
    return [
        (about["spec"]["network"]["activation"], about["diverged_step"])
        for path in project.results.glob("runs/*/*/*.safetensors")
        for about in read_header(path, "runs")["runs"].values()
        if about["diverged_step"] is not None
    ]


@pytest.mark.slow
def test_a_network_that_diverges_is_recorded_with_its_step(diverged, done):
    assert diverged_runs(done) == []
    found = diverged_runs(diverged)
    assert [activation for activation, _ in found] == ["relu", "relu"], "of two seeds"
    assert all(0 < step < 10 for _, step in found)


@pytest.mark.slow
def test_it_has_no_values_from_that_step_on(diverged):
    table = diverged.networks("fig01")
    lost = table[table["diverged_step"].notna()]
    assert set(lost["activation"]) == {"relu"}
    from_then_on = lost["step"] >= lost["diverged_step"]
    assert lost.loc[from_then_on, "value"].isna().all()
    assert set(lost.loc[from_then_on, "step"]) == {10, 20}
    assert lost.loc[~from_then_on, "value"].notna().all()
    assert set(lost.loc[~from_then_on, "step"]) == {0}
    of_others = table[table["diverged_step"].isna() & (table["variant"] != "place")]
    assert of_others["value"].notna().all()


@pytest.mark.slow
def test_it_is_left_out_of_the_means_and_counted_under_the_figure(diverged, done):
    table = diverged.table("fig01")
    figure = fig01.draw(table, STYLE)
    note = figure.get_supxlabel().replace("\n", " ")
    assert note.endswith("Diverged and left out: 2 networks.")
    whole = fig01.draw(done.table("fig01"), STYLE).get_supxlabel().replace("\n", " ")
    assert whole.endswith("No network diverged.")
    alignment = panel(figure, "Target alignment")
    drawn = [line for line in alignment.lines if len(line.get_xdata())]
    assert {line.get_color() for line in drawn} == {STYLE.colours["tanh"]}
    rows = table[(table["measure"] == "target_alignment") & (table["activation"] == "tanh")]
    means = rows[rows["contrast"].isna()].groupby("step")["value"].mean()
    assert pytest.approx(list(means)) in [list(line.get_ydata()) for line in drawn]


def panel(figure, title):
    [ax] = [ax for ax in figure.findobj(Axes) if ax.get_title() == title]
    return ax


@pytest.mark.slow
def test_networks_that_diverged_are_results_too(diverged):
    assert diverged.plan() == {}
    assert diverged.verify()[0] == 0


def runs_of_seed_0(project):
    return next(project.results.glob("runs/clusters/separable-*/seed-0.safetensors"))


def one_more_delta(config):
    config["sweeps"]["separability"]["task"]["delta"] = [0.0, 0.25, 0.5, 1.0]


@pytest.mark.slow
def test_a_damaged_file_is_set_aside_and_its_networks_are_trained_again(project):
    name = runs_of_seed_0(project)
    runs = name.resolve()
    damaged = runs.read_bytes()[:5000]
    runs.write_bytes(damaged)
    project.edit_config(one_more_delta)
    project.run("--until", "tabulate")

    aside = runs.with_name(f"{runs.name}.aside-1")
    assert aside.read_bytes() == damaged
    [log] = [log for log in project.train_logs() if log.parent.name == name.parent.name]
    [line] = [line for line in log.read_text().splitlines() if runs.name in line]
    assert "damaged" in line
    assert f"set aside as {aside.name}" in line

    trained = project.trained().groupby("seed").size().to_dict()
    assert trained == {0: 8 + 4 + 4, 1: 2}, "of seed 0 all: two sweeps' at variance 1, and 0"


@pytest.mark.slow
def test_verify_sets_damaged_files_aside_which_complete_makes_again(project, done):
    """There is one damaged file of each type, each of another shard. Some are no longer needed."""
    kinds = ("data", "runs", "metrics", "structure/tables")
    files = [
        sorted((project.results / kind).rglob("*.[sp]a*"))[number].resolve()
        for kind, number in zip(kinds, (0, 1, 2, 2), strict=True)
    ]
    intact = [file.read_bytes() for file in files]
    for file, content in zip(files, intact, strict=True):
        file.write_bytes(content[:-1])
    assert project.verify() == (1, "23 fresh, 4 damaged, 0 missing, 0 orphan")
    for file, content in zip(files, intact, strict=True):
        assert not file.exists()
        assert file.with_name(f"{file.name}.aside-1").read_bytes() == content[:-1]
    project.run("complete")
    for file, content in zip(files, intact, strict=True):
        assert file.read_bytes() == content, file
    assert project.plan() == {}
    assert project.verify() == (0, "27 fresh, 0 damaged, 0 missing, 0 orphan")
    for folder in ("metrics", "structure/tables", "structure/figures"):
        assert project.contents(folder).items() >= done.contents(folder).items()


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


def test_an_input_that_is_missing_is_named_in_one_sentence(fresh):
    plan = Plan(read_config(yaml.safe_load(fresh.config.read_text())))
    job = plan.train_job(plan.shards[0]).text
    words = ["--job", job, "--data", "nowhere.safetensors", "--output", "o"]
    failed = fresh.command("python", "-m", "repatlas", "train", *words)
    assert failed.returncode == 1
    [sentence] = failed.stdout.splitlines()
    assert sentence.startswith("repatlas train: error: ")
    assert "nowhere.safetensors" in sentence


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


@pytest.mark.slow
def test_verify_goes_on_after_a_file_that_may_not_be_read(project):
    metrics = next(project.results.glob("metrics/clusters/separable-*/seed-0.parquet"))
    metrics.chmod(0)
    ended = without_rights_of_root(project, sys.executable, "-m", "repatlas", "verify")
    assert ended.returncode == 1
    assert f"unreadable {metrics.relative_to(project.folder)}: may not be read" in ended.stdout
    assert "26 fresh, 0 damaged, 0 missing, 0 orphan, 1 unreadable" in ended.stdout


@pytest.fixture
def read_only(project):
    """A project whose results are on a disk that may not be written."""
    mount = ["mount", "--bind", str(project.results), str(project.results)]
    again = ["mount", "-o", "remount,bind,ro", str(project.results)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"cannot mount a disk here: {error}")
    subprocess.run(again, check=True)
    yield project
    subprocess.run(["umount", str(project.results)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [False, True])
def test_a_copy_of_the_results_on_a_read_only_disk_can_be_verified(read_only, damage):
    table = read_only.results / "structure/tables/fig03.parquet"
    if damage:
        disk = str(read_only.results)
        subprocess.run(["mount", "-o", "remount,bind,rw", disk], check=True)
        table.write_bytes(table.read_bytes()[:-1])
        subprocess.run(["mount", "-o", "remount,bind,ro", disk], check=True)
    ended = read_only.make("verify", "ARGS=--cores 1")
    assert ("; not renamed: Read-only file system" in ended.stdout) == damage
    counts = f"{27 - damage} fresh, {int(damage)} damaged, 0 missing, 0 orphan"
    assert counts in ended.stdout
    assert bool(ended.returncode) == damage


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
