"""The link from a name to one of the versions of a file."""

import os

from repatlas.artifacts.versions import link


def test_a_name_that_leads_to_an_older_version_again_is_newer_than_what_was_made_from_it(tmp_path):
    new, old = (tmp_path / f"store/{digit * 16}.parquet" for digit in "12")
    new.parent.mkdir()
    for age, version in enumerate((new, old)):
        version.touch()
        os.utime(version, (10_000 - 3600 * age,) * 2)
    name, made = tmp_path / "fig02.parquet", tmp_path / "paper.pdf"
    link(name, new)
    made.touch()
    link(name, old)
    assert name.stat().st_mtime_ns >= made.stat().st_mtime_ns
