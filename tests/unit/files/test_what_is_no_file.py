"""Readers refuse a folder or a pipe at once, and wait for neither."""

import os

import pytest

from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.files import METRICS_SCHEMA, Arrays, Unreadable, read_header, read_table
from repatlas.artifacts.pages import read_page


@pytest.mark.parametrize("what", ["a folder", "a pipe"])
@pytest.mark.parametrize(
    "read",
    [
        lambda path: Arrays(path, "runs"),
        lambda path: read_table(path, "metrics", METRICS_SCHEMA),
        lambda path: read_header(path, "metrics"),
        read_drawing,
        read_page,
    ],
    ids=["arrays", "a table", "a header", "a drawing", "a page"],
)
def test_no_reader_waits_for_what_is_no_file(tmp_path, read, what):
    path = tmp_path / "runs"
    if what == "a folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(Unreadable, match="is no file but a folder, a pipe, a device or a link"):
        read(path)
