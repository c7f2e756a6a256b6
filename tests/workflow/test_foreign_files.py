"""A file is what its name says, or it is set aside. The plain command, given once, makes up for
what a backup, an interrupted copy or a wrong copy left in the results."""

import shutil

import pytest

ALL_FRESH = "27 fresh, 0 damaged, 0 missing, 0 orphan"


def file_of(project, kind, task, seed):
    return next(project.results.glob(f"{kind}/clusters/{task}-*/seed-{seed}.*"))


def run_again(project, done):
    """Return what the plain command prints. Afterwards every result is as it was at first."""
    said = project.run()
    assert "Traceback" not in said
    assert project.plan() == {}
    assert project.verify() == (0, ALL_FRESH)
    for folder in ("data", "metrics", "structure/tables", "structure/figures", "structure/claims"):
        assert project.contents(folder) == done.contents(folder)
    return said


@pytest.mark.slow
def test_copies_of_another_seed_are_set_aside_and_made_anew(project, done):
    """There is one copy of each file type, and no two are of one shard."""
    copied = [
        [file_of(project, kind, task, seed).resolve() for seed in seeds]
        for kind, task, seeds in (
            ("data", "separable", (0, 1)),
            ("runs", "separable", (1, 0)),
            ("metrics", "unstructured", (0, 1)),
        )
    ]
    foreign = [other.read_bytes() for _, other in copied]
    for (one, _), content in zip(copied, foreign, strict=True):
        one.write_bytes(content)
    said = run_again(project, done)
    for (one, _), content in zip(copied, foreign, strict=True):
        assert f"{one.name}: is not what its name says; set aside as {one.name}.aside-1" in said
        assert one.with_name(f"{one.name}.aside-1").read_bytes() == content


def test_a_dry_run_tells_it_and_renames_nothing(project, done):
    one, other = (file_of(project, "runs", "separable", seed) for seed in (0, 1))
    shutil.copy(other, one)  # a link leads to what is overwritten
    before = project.contents(".")
    said = project.snakemake("--dry-run").stdout
    assert f"{one.resolve().name} is not what its name says; to be set aside" in said
    assert project.plan()["train"] == 1
    assert project.contents(".") == before


@pytest.mark.parametrize("option", ["-n", "--summary", "--dag", "--lint"])
def test_a_look_changes_no_name_and_keeps_what_a_user_saved_over_one(project, option):
    """Names lead to the files of another config. Only their tables are the same."""
    project.edit_config(lambda values: values.update(style={"width": 5}))
    name = project.results / "structure/tables/fig03.parquet"
    name.unlink()
    name.write_text("mine")
    before = names_and_targets(project)
    assert project.snakemake(option).returncode == 0
    assert names_and_targets(project) == before
    assert name.read_text() == "mine"


def names_and_targets(project):
    paths = project.results.rglob("*")
    return {path: path.is_symlink() and path.readlink() for path in paths}


def test_a_dry_run_finds_the_files_of_a_config_that_has_come_back(project):
    first = project.config.read_text()
    project.edit_config(lambda values: values.update(style={"width": 5}))
    project.run("--until", "tabulate")
    assert project.plan()["plot"] == 3
    project.config.write_text(first)
    assert project.plan() == {}


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
    said = run_again(project, done)
    assert said.count("is not what its name says; set aside") == 3
    assert "fig01.parquet: is no file but a folder, a pipe" in said


@pytest.mark.slow
def test_files_of_a_release_without_a_store_are_moved_into_it(project, done):
    """Files of another config are moved, too, so that its networks are not trained again."""
    before = {path: path.read_bytes() for path in project.results.rglob("*") if path.is_symlink()}
    shutil.rmtree(project.results / "store")
    for path, content in before.items():
        path.unlink()
        path.write_bytes(content)

    def more(config):
        config["sweeps"]["separability"]["seeds"] = 3

    project.edit_config(more)
    said = project.run()
    assert "fig01.pdf: moved into the store" in said
    assert set(project.trained()["seed"]) == {2}

    def fewer(config):
        config["sweeps"]["separability"]["seeds"] = 2

    project.edit_config(fewer)
    assert project.plan() == {}
    run_again(project, done)
