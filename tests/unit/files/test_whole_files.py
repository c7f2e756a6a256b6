"""Writing leaves the old file or the whole new one, and nothing else."""

import errno
import os
import stat

import numpy as np
import pytest

from repatlas.artifacts.files import whole_file, write_arrays


def contents(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "result.txt"
    path.write_text("old")
    with pytest.raises(error), whole_file(path) as temporary:
        temporary.write_text("half of the n")
        raise error
    assert path.read_text() == "old"
    assert contents(tmp_path) == ["result.txt"]


def test_until_all_is_written_the_old_file_stands(tmp_path):
    path = tmp_path / "result.txt"
    path.write_text("old")
    with whole_file(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
        assert temporary.parent == path.parent  # a rename between disks isn't one step
        assert temporary.suffix == path.suffix  # matplotlib goes by it
    assert path.read_text() == "new"
    assert contents(tmp_path) == ["result.txt"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(arrays_file, monkeypatch, call):
    before = arrays_file.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(f"repatlas.artifacts.files.os.{call}", full)
    with pytest.raises(OSError, match="No space left"):
        write_arrays(arrays_file, "runs", {}, {"a/weights": np.ones(3)})
    assert arrays_file.read_bytes() == before
    assert contents(arrays_file.parent) == [arrays_file.name]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_result_has_the_permissions_that_the_umask_leaves(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_arrays(tmp_path / "a.safetensors", "runs", {}, {"a": np.zeros(1)})
        assert os.umask(umask) == umask  # and it is left as it was
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.safetensors").stat().st_mode) == mode


def test_folders_on_the_way_are_made(tmp_path):
    path = tmp_path / "runs/family/seed-0.safetensors"
    write_arrays(path, "runs", {}, {"a": np.zeros(1)})
    assert path.exists()
