"""A file is what its place says, or it is set aside: the plain command, given once, puts right what
a backup, an interrupted copy or a wrong one left in the results."""

import shutil

import pytest

ALL_FRESH = "27 fresh, 0 stale, 0 damaged, 0 missing, {} orphan"


def file_of(project, kind, task, seed):
    return next(project.results.glob(f"{kind}/clusters/{task}-*/seed-{seed}.*[!k]"))


def put_right(project, done, aside):
    """What the plain command says; afterwards all is as if it had never been otherwise."""
    said = project.run()
    assert "Traceback" not in said
    assert project.plan() == {}
    assert project.verify() == (0, ALL_FRESH.format(aside))
    for folder in ("data", "metrics", "structure/tables", "structure/figures", "structure/claims"):
        assert project.contents(folder).items() >= done.contents(folder).items()
    return said


@pytest.mark.slow
def test_copies_of_another_seed_are_set_aside_and_made_anew(project, done):
    """Of each kind one, and no two of one shard."""
    copied = [
        [file_of(project, kind, task, seed) for seed in seeds]
        for kind, task, seeds in (
            ("data", "separable", (0, 1)),
            ("runs", "separable", (1, 0)),
            ("metrics", "unstructured", (0, 1)),
        )
    ]
    foreign = [other.read_bytes() for _, other in copied]
    for (one, _), content in zip(copied, foreign, strict=True):
        one.write_bytes(content)
    said = put_right(project, done, aside=3)
    for (one, other), content in zip(copied, foreign, strict=True):
        found, expected = (path.stem.removeprefix("seed-") for path in (other, one))
        assert f"is of seed {found}, not {expected}; set aside as {one.name}.aside-1" in said
        assert one.with_name(f"{one.name}.aside-1").read_bytes() == content


def test_a_dry_run_tells_it_and_renames_nothing(project, done):
    one, other = (file_of(project, "runs", "separable", seed) for seed in (0, 1))
    shutil.copy(other, one)
    before = project.contents(".")
    said = project.snakemake("--dry-run").stdout
    assert f"{one.relative_to(project.folder)}: is of seed 1, not 0; to be set aside" in said
    assert project.plan()["train"] == 1
    assert project.contents(".") == before


@pytest.mark.slow
def test_complete_notices_it_too(project, done):
    one, other = (file_of(project, "runs", "separable", seed) for seed in (0, 1))
    before = one.read_bytes()
    shutil.copy(other, one)
    said = project.snakemake("complete").stdout
    assert f"is of seed 1, not 0; set aside as {one.name}.aside-1" in said
    assert one.read_bytes() == before


@pytest.mark.slow
def test_what_is_of_another_figure_or_no_file_is_set_aside_and_made_anew(project, done):
    figures, tables = (project.results / name for name in ("structure/figures", "structure/tables"))
    shutil.copy(tables / "fig03.parquet", tables / "fig02.parquet")
    shutil.copy(figures / "fig02.png", figures / "fig03.png")
    (tables / "fig01.parquet").unlink()
    (tables / "fig01.parquet").mkdir()
    (figures / "fig01.pdf").unlink()
    (figures / "fig01.pdf").symlink_to("/nowhere/fig01.pdf")
    claims = project.results / "structure/claims/claims.md"
    claims.write_text(claims.read_text()[:400])
    said = put_right(project, done, aside=2)  # a folder and a link to nothing are no files
    assert "fig02.parquet: is of figure fig03, not fig02; set aside" in said
    assert "fig03.png: is of figure fig02, not fig03; set aside" in said
    assert said.count("a device or a link to nothing; set aside as ") == 2


@pytest.mark.slow
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
