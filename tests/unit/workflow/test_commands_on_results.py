"""What the commands say about a small finished run, and what they change."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from PIL import Image

ROOT = Path(__file__).parents[3]
NETWORKS = yaml.safe_load("""
experiment: items
task: {kind: xor, delta: [0.25, 1.75]}
network: {kind: relu, width: 10, sigma: 0.01}
training: {rate: 0.02}
steps: [0, 300]
seeds: 5
measures: [units]
""")
NARROW = NETWORKS | {"network": {"kind": "relu", "width": 8}, "seeds": 1, "measures": ["loss"]}
SWEEPS = {"transition": NETWORKS, "losses": NARROW}
FIGURES = {"fig02": {"transition": "transition", "losses": "losses"}}
RUN = "snakemake --cores 1"
CALL = "import sys, repatlas.workflow.commands.{} as c; c.main(sys.argv[1:])"


class Project:
    def __init__(self, folder: Path):
        self.folder, self.results = folder, folder / "results"
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = os.environ | {"PATH": path, "PYTHONPATH": str(folder / "src")}
        self.environment["NUMBA_DISABLE_JIT"] = "1"

    def ask(self, *words: str) -> tuple[str, int]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        ended = subprocess.run(words, cwd=self.folder, env=self.environment, **options)
        return ended.stdout, ended.returncode

    def command(self, name: str, *words: str) -> tuple[str, int]:
        return self.ask(sys.executable, "-c", CALL.format(name), *words)

    def run(self) -> str:
        said, code = self.ask(*RUN.split())
        assert code == 0, said
        return said

    def configure(self, **values) -> None:
        values = {"study": "gating", "sweeps": SWEEPS, "figures": FIGURES} | values
        (self.folder / "config.yaml").write_text(yaml.safe_dump(values))

    def stored(self, *patterns: str) -> list[Path]:
        return [path for each in patterns for path in (self.results / "store").glob(each)]


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("commands") / "project")
    for part in ("src", "workflow", "profiles", "envs"):
        shutil.copytree(ROOT / part, project.folder / part, ignore=lambda *_: ["__pycache__"])
    shutil.copy(ROOT / "Snakefile", project.folder)
    project.configure()
    project.before = {name: project.command(name) for name in ("plan", "verify", "why")}
    project.run()
    return project


@pytest.fixture
def project(finished, tmp_path):
    shutil.copytree(finished.folder, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 20] ^= 1
    path.write_bytes(content)


def test_before_the_run_all_is_missing_and_after_it_all_is_fresh(finished):
    said, code = finished.before["verify"]
    assert said.startswith("nothing has been made yet: ") and said.count("\n") == code == 1
    assert "gating        train                  3        12" in finished.before["plan"][0]
    assert "train: no version of it yet" in finished.before["why"][0]
    assert finished.command("verify") == ("13 fresh\n", 0)
    assert finished.command("why") == ("nothing is missing\n", 0)
    assert finished.command("plan")[0].splitlines()[1].split() == ["in", "all", "0", "0", "0.0"]


def test_what_is_damaged_is_found_and_the_same_run_makes_it_again(project):
    damaged = project.stored("gating/claims/claims/*.md", "gating/figures/fig02/*.png")
    for path in damaged + project.stored("networks/items/*-h8-*/seed-0/*"):
        flip(path)
    first, other = project.stored(*(f"metrics/gating/transition/seeds-{n}/*" for n in (0, 4)))
    before = other.read_bytes()
    shutil.copy(first, other)
    shutil.copy(*(project.stored(f"networks/items/*-h10-*/seed-{n}/*")[0] for n in (3, 4)))
    said, code = project.command("verify")
    assert "8 fresh" in said and "5 damaged" in said and code == 1
    assert "damaged results/gating/claims/claims.md: damaged" in said
    assert "seeds-4.parquet: is not what its name says" in said
    for group in ("losses/seeds-0", "transition/seeds-4"):
        assert f"runs/gating/{group}.json: networks/items/" in said
    project.run()
    assert project.command("verify") == ("13 fresh\n", 0)
    assert other.read_bytes() == before


def test_a_look_renames_nothing_that_is_damaged(project):
    [data] = project.stored("tasks/gating/transition/all/*")
    [first, second] = project.stored("runs/gating/transition/*/*")
    flip(data)
    first.unlink()
    second.write_text("damaged")
    before = sorted(project.results.rglob("*"))
    assert "gating        train                  2" in project.command("plan")[0]
    assert "0.0 MB would be deleted" in project.command("clean", "-n")[0]
    assert sorted(project.results.rglob("*")) == before


def test_no_table_is_made_from_rows_of_other_seeds(project):
    first, other = project.stored(*(f"metrics/gating/transition/seeds-{n}/*" for n in (0, 4)))
    [table] = project.stored("gating/tables/fig02/*")
    before = table.read_bytes()
    table.unlink()
    shutil.rmtree(project.results / "store/made/gating")
    shutil.copy(first, other)
    assert project.ask(*RUN.split())[1] == 1
    project.run()
    assert table.read_bytes() == before
    assert project.command("verify") == ("13 fresh\n", 0)


def test_networks_that_the_user_has_deleted_are_not_trained_again_unasked(project):
    project.stored("networks/items/*-h8-*/seed-0/*")[0].unlink()
    said, code = project.command("verify")
    assert "missing results/runs/gating/losses/seeds-0.json: results/store/net" in said
    assert "12 fresh" in said and code == 1
    assert "Nothing to be done" in project.run()


def test_a_name_that_leads_elsewhere_is_found_and_a_file_of_the_user_stays(project):
    figures, table = (project.results / f"gating/{n}" for n in ("figures", "tables/fig02.parquet"))
    table.unlink()
    table.symlink_to("/etc/passwd")
    (figures / "fig09.pdf").symlink_to("../../store/gating/figures/fig09/0123456789abcdef.pdf")
    for name in ("fig02.pdf", "fig02.png"):
        shutil.copy(figures / name, figures / "copy")
        (figures / "copy").replace(figures / name)
    flip(figures / "fig02.png")
    said, _ = project.command("verify")
    assert "astray  results/gating/tables/fig02.parquet: leads to /etc/passwd" in said
    assert "yours   results/gating/figures/fig02.png" in said
    assert "orphan  results/gating/figures/fig09.pdf" in said and "11 fresh" in said
    (figures / "fig09.pdf").unlink()
    project.run()
    said, _ = project.command("verify")
    assert "12 fresh" in said and "1 yours" in said and "astray" not in said


def test_an_edit_is_named_and_its_entry_in_the_config_keeps_results_and_networks(project):
    for name in ("experiments/items/train", "measures/units"):
        with (project.folder / f"src/repatlas/{name}.py").open("a") as file:
            file.write("\nTWO = 2\n")
    said, _ = project.command("why")
    assert "train: edited: repatlas.experiments.items.train\n" in said
    assert "plot: its inputs are others\n" in said
    entry = yaml.safe_load(said[said.index("accept_code:") :])
    assert len(entry["accept_code"]["measure"]) == 2  # of the file, and of its rows
    project.configure(**entry)
    assert project.command("verify")[1] == 0
    project.configure(**entry, sweeps=SWEEPS | {"transition": NETWORKS | {"seeds": 6}})
    assert "measure: now it has grids.seeds=5\n" in project.command("why")[0]
    assert "gating        train                  1         2" in project.command("plan")[0]


def test_clean_deletes_what_nothing_needs_and_keeps_what_was_begun(project):
    [unfinished] = project.stored("networks/items/*-h8-*/seed-0/*")
    for path in project.stored("*/gating/losses/*/*"):
        path.unlink()  # as if the job had been killed
    [metrics] = project.stored("metrics/gating/transition/seeds-4/*")
    young, old, notes = (metrics.with_stem(stem) for stem in ("0" * 16, "1" * 16, "notes"))
    for path in (young, old, notes):
        path.write_text("x")
    for path in {*filter(Path.is_file, project.stored("**/*"))} - {young}:
        os.utime(path, (0, time.time() - 10**6))
    for words in (["-n"], []):
        said, _ = project.command("clean", *words)
        assert said.splitlines()[:-1] == [str(old.relative_to(project.folder))]
    assert not old.exists() and young.exists() and notes.exists() and unfinished.exists()
    project.configure(sweeps={"transition": NETWORKS}, figures={})
    assert str(unfinished.relative_to(project.folder)) in project.command("clean")[0]
    (project.results / "own/mine/logs").mkdir(parents=True)
    assert "own/mine: its config is not named" in project.command("clean")[0]


def test_a_figure_is_drawn_from_the_seeds_that_are_measured(project):
    first, last = project.stored(*(f"metrics/gating/transition/seeds-{n}/*" for n in (0, 4)))
    aside = last.rename(last.with_suffix(".aside"))
    picture = "results/partial/gating/figures/fig02.png"
    assert project.command("partial") == (f"gating/fig02: 1 to 4 of 1 to 5 seeds: {picture}\n", 0)
    assert (project.folder / picture).exists()
    aside.rename(last)
    assert project.command("partial") == (f"gating/fig02: whole: {picture}\n", 0)
    figures = (project.folder / picture, project.results / "gating/figures/fig02.png")
    partial, usual = (Image.open(figure).tobytes() for figure in figures)
    assert partial == usual
    first.unlink()
    assert project.command("partial") == ("gating/fig02: nothing to draw yet\n", 1)


def test_a_damaged_picture_of_a_page_is_made_again(project):
    flip(project.stored("gating/figures/fig02/*.png")[0])
    codes = [project.ask(*RUN.split(), "reports")[1] for _ in range(2)]
    assert codes == [1, 0]


def test_one_run_finds_all_that_is_damaged_and_the_next_makes_it_again(project):
    damaged = ("networks/items/*-h8-*/seed-0/*", "metrics/gating/*/*/*", "gating/tables/fig02/*")
    for path in project.stored(*damaged):
        path.write_bytes(path.read_bytes()[:-1])
    shutil.rmtree(project.results / "store/gating/figures")
    ended = [project.ask(*RUN.split()) for _ in range(2)]
    assert [code for _, code in ended] == [1, 0], ended[1][0]
    assert project.command("verify") == ("13 fresh\n", 0)
