"""A file is what its place says, or it is set aside: the plain command, given once, puts right what
a backup, an interrupted copy or a wrong one left in the results."""

import shutil

import pytest

ALL_FRESH = "23 fresh, 0 stale, 0 damaged, 0 missing, {} orphan"


def file_of(project, kind, seed):
    return next(project.results.glob(f"{kind}/clusters/separable-*/seed-{seed}.*[!k]"))


def put_right(project, done, aside):
    """What the plain command says; afterwards all is as if it had never been otherwise."""
    said = project.run()
    assert "Traceback" not in said
    assert project.plan() == {}
    assert project.verify() == (0, ALL_FRESH.format(aside))
    for folder in ("data", "metrics", "structure/tables", "structure/figures", "structure/claims"):
        assert project.contents(folder).items() >= done.contents(folder).items()
    return said


@pytest.mark.parametrize("kind", ["data", "runs", "metrics"])
def test_a_copy_of_another_seed_is_set_aside_and_made_anew(project, done, kind):
    one, other = (file_of(project, kind, seed) for seed in (0, 1))
    shutil.copy(other, one)
    said = put_right(project, done, aside=1)
    assert f"is of seed 1, not 0; set aside as {one.name}.aside-1" in said
    assert one.with_name(f"{one.name}.aside-1").read_bytes() == other.read_bytes()


def test_a_dry_run_tells_it_and_renames_nothing(project, done):
    one, other = (file_of(project, "runs", seed) for seed in (0, 1))
    shutil.copy(other, one)
    before = project.contents(".")
    said = project.snakemake("--dry-run").stdout
    assert f"{one.relative_to(project.folder)}: is of seed 1, not 0; to be set aside" in said
    assert project.plan()["train"] == 1
    assert project.contents(".") == before


@pytest.mark.parametrize("place", ["structure/tables/{}.parquet", "structure/figures/{}.png"])
def test_what_belongs_to_another_figure_is_set_aside_and_made_anew(project, done, place):
    one, other = (project.results / place.format(figure) for figure in ("fig02", "fig03"))
    shutil.copy(other, one)
    assert "is of figure fig03, not fig02; set aside" in put_right(project, done, aside=1)


def test_files_of_an_older_config_are_brought_up_to_date(project, done):
    """As from a backup: of each stage one, each under its own name."""
    older = project.clone(project.folder.parent / "older")

    def change(config):
        for sweep in config["sweeps"].values():
            sweep["steps"] = [step for step in sweep["steps"] if step != 10]

    older.edit_config(change)
    older.run()
    for path in sorted(older.results.rglob("*")):
        if path.suffix in (".safetensors", ".parquet", ".png"):
            shutil.copy(path, project.results / path.relative_to(older.results))
    older.remove()
    said = put_right(project, done, aside=0)
    assert "Not what the config and the code imply, and made again: " in said


def test_what_is_no_file_is_set_aside_and_made_anew(project, done):
    table = project.results / "structure/tables/fig02.parquet"
    figure = project.results / "structure/figures/fig03.pdf"
    claims = project.results / "structure/claims/claims.md"
    table.unlink()
    table.mkdir()
    figure.unlink()
    figure.symlink_to("/nowhere/fig03.pdf")
    claims.write_text(claims.read_text()[:400])
    said = put_right(project, done, aside=0)  # a folder and a link to nothing are no files
    assert said.count("is a folder, or a link to nothing; set aside as ") == 2
