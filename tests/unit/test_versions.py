"""The versions of a file, and the link to one of them."""

import os

import pytest

from repatlas.artifacts.versions import link, versions

ONE, OTHER = ("1" * 16, "2" * 16)


@pytest.fixture
def place(tmp_path):
    """Write two versions of a table, with times one hour apart."""
    folder = tmp_path / "store/fig02"
    folder.mkdir(parents=True)
    for age, name in enumerate((ONE, OTHER)):
        path = folder / f"{name}.parquet"
        path.write_text(name)
        os.utime(path, (10_000 - 3600 * age,) * 2)
    return folder


def test_versions_are_the_files_named_by_an_identity_the_newest_first(place):
    for name in ("table.parquet", f".{ONE}.host.1.parquet", f"{ONE}.parquet.aside-1", f"{ONE}.pdf"):
        (place / name).touch()
    found = versions(place / f"{'3' * 16}.parquet")
    assert [path.stem for path in found] == [ONE, OTHER]


def test_a_name_leads_to_one_of_them_and_then_to_another(place, tmp_path):
    name = tmp_path / "tables/fig02.parquet"
    for version in (ONE, OTHER):
        link(name, place / f"{version}.parquet")
        assert name.read_text() == version
    assert not os.path.isabs(os.readlink(name)), "the folder can be moved"
    assert [path.name for path in name.parent.iterdir()] == ["fig02.parquet"]


def test_a_name_that_leads_to_an_older_version_again_is_newer_than_what_was_made_from_it(
    place, tmp_path
):
    name, made = tmp_path / "fig02.parquet", tmp_path / "paper.pdf"
    link(name, place / f"{ONE}.parquet")
    made.touch()
    link(name, place / f"{OTHER}.parquet")
    assert name.stat().st_mtime_ns >= made.stat().st_mtime_ns
