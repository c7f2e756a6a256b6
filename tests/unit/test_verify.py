"""verify compares files with what the config and the code imply, file by file."""

import ctypes
import errno
import os
import re
import shutil

import pytest
from asked import config_of
from matplotlib.figure import Figure
from selections import some

from repatlas.artifacts import files
from repatlas.artifacts.drawings import read_drawing, write_drawing
from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.operations import verify


@pytest.fixture
def values(one_figure_values):
    return one_figure_values


def verified(values, capsys):
    """Return what verify prints, and its exit code."""
    capsys.readouterr()
    code = 0
    try:
        verify.main([config_of(values)])
    except SystemExit as ended:
        code = ended.code
    *files, counts = capsys.readouterr().out.splitlines()
    if files and files[-1].startswith("`make figures` makes"):
        assert " 0 missing" not in counts
        files.pop()
    return sorted(tuple(line.split(maxsplit=1)) for line in files), counts, code


def aside_of(name):
    """Return where the file of a name will be when it is set aside."""
    path = name.resolve()
    return path.with_name(f"{path.name}.aside-1")


def test_results_that_were_just_made_are_fresh(results, values, capsys):
    assert verified(values, capsys) == ([], "10 fresh, 0 damaged, 0 missing, 0 orphan", 0)


def test_before_the_first_run_it_says_so_in_a_line_and_fails(values, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = "nothing has been made yet: 10 files are missing in results"
    assert verified(values, capsys) == ([], line, 1)


def test_a_file_that_is_not_there_is_missing(results, values, capsys):
    (results / "structure/tables/fig03.parquet").resolve().unlink()
    assert verified(values, capsys) == (
        [("missing", "results/structure/tables/fig03.parquet")],
        "9 fresh, 0 damaged, 1 missing, 0 orphan",
        1,
    )


def test_a_file_that_nothing_asks_for_is_an_orphan_and_no_failure(results, values, capsys):
    (results / "structure/figures/fig09.png").write_bytes(b"")
    assert verified(values, capsys) == (
        [("orphan", "results/structure/figures/fig09.png")],
        "10 fresh, 0 damaged, 0 missing, 1 orphan",
        0,
    )


def test_damaged_files_are_set_aside_each_of_them(results, values, make_all, capsys):
    damaged = [path for path in sorted(results.rglob("*")) if path.is_symlink()]
    for path in damaged:
        path.write_bytes(b"\0" * 500)
    aside = {str(path): aside_of(path) for path in damaged}
    files, counts, code = verified(values, capsys)
    assert {(state, text.split(": ")[0], text.split("; ")[1]) for state, text in files} == {
        ("damaged", path, f"now {kept.name}") for path, kept in aside.items()
    }
    assert counts == "0 fresh, 10 damaged, 0 missing, 0 orphan"
    assert code == 1
    assert all(kept.read_bytes() == b"\0" * 500 for kept in some(aside.values()))
    # What is not there can be made again.
    line = "nothing has been made yet: 10 files are missing in results"
    assert verified(values, capsys)[1:] == (line, 1)
    make_all(values)
    assert verified(values, capsys)[1:] == ("10 fresh, 0 damaged, 0 missing, 0 orphan", 0)


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        ("data", -1),
        ("runs", -1),
        ("metrics", 60),
        ("structure/tables", 40),
        ("structure/figures", 2000),
    ],
)
def test_a_bit_that_flipped_is_found(results, values, capsys, folder, place):
    """The bit is in the data. The header has only their digest."""
    path = next(path for path in sorted((results / folder).rglob("*")) if path.is_file())
    whole = bytearray(path.read_bytes())
    whole[place] ^= 4
    path.write_bytes(whole)
    files, counts, _ = verified(values, capsys)
    assert files[0][0] == "damaged"
    assert files[0][1].startswith(f"{path}: damaged, ")
    assert counts == "9 fresh, 1 damaged, 0 missing, 0 orphan"


KINDS = ["data", "runs", "metrics"]
KINDS += [f"structure/{kind}" for kind in ("tables", "figures", "claims")]


def effective_capabilities(change):
    """Change the set of privileges that Linux gives to this thread (capset of capability.h)."""
    libc = ctypes.CDLL(None)
    version_3_of_this_thread = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    assert libc.capget(version_3_of_this_thread, sets) == 0
    sets[0] = change(sets[0], permitted=sets[1])
    assert libc.capset(version_3_of_this_thread, sets) == 0


@pytest.fixture
def obey_modes(tmp_path):
    """Make the modes of files count for root, too, as they do for everybody else; call it when the
    results are as they should be found. Only root has the privileges (CAP_DAC_OVERRIDE and
    CAP_DAC_READ_SEARCH) that are given up here."""

    def become():
        effective_capabilities(lambda effective, permitted: effective & ~0b110)

    yield become
    effective_capabilities(lambda effective, permitted: permitted)
    for folder, _, _ in os.walk(tmp_path):
        os.chmod(folder, 0o755)  # or pytest could not remove it


OWNER = "owner \\S+, mode"


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_may_not_be_read_is_told_with_its_owner_and_the_others_are_checked(
    results, values, capsys, kind, obey_modes
):
    closed = next(path for path in sorted((results / kind).rglob("*")) if path.is_file())
    closed.chmod(0)
    obey_modes()
    [(name, text)], counts, code = verified(values, capsys)
    assert name == "unreadable"
    assert re.fullmatch(rf"{closed}: may not be read \({OWNER} 0000\)", text)
    assert counts == "9 fresh, 0 damaged, 0 missing, 0 orphan, 1 unreadable"
    assert code == 1


def test_files_in_a_folder_that_may_not_be_entered_are_unreadable_and_not_missing(
    results, values, capsys, obey_modes
):
    folder = results / "store/structure/figures"
    folder.chmod(0)
    obey_modes()
    files, counts, _ = verified(values, capsys)
    assert counts == "6 fresh, 0 damaged, 0 missing, 0 orphan, 4 unreadable"
    sentence = rf"\S+: is in {folder}, which may not be entered \({OWNER} 0000\)"
    assert all(re.fullmatch(sentence, text) for _, text in files)


def test_a_disk_that_fails_is_told_and_the_other_files_are_checked(
    results, values, capsys, monkeypatch
):
    table = results / "structure/tables/fig03.parquet"
    opened = files.open_file

    def failing(path):
        if path.resolve() == table.resolve():
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return opened(path)

    monkeypatch.setattr(files, "open_file", failing)
    found, counts, code = verified(values, capsys)
    assert found == [("unreadable", f"{table}: Input/output error")]
    assert counts == "9 fresh, 0 damaged, 0 missing, 0 orphan, 1 unreadable"
    assert code == 1


def test_a_damaged_file_in_a_folder_that_may_not_be_written_is_told_all_the_same(
    results, values, capsys, monkeypatch
):
    def refused(path):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    table = results / "structure/tables/fig03.parquet"
    table.write_bytes(b"")
    monkeypatch.setattr(verify, "set_aside", refused)
    files, counts, _ = verified(values, capsys)
    assert files[0][1].endswith("; not renamed: Read-only file system")
    assert counts == "9 fresh, 1 damaged, 0 missing, 0 orphan"


def test_a_file_of_another_job_under_the_right_identity_is_set_aside(results, values, capsys):
    """A program that edits headers may make this mistake: the digests are right."""
    [data] = (results / "data").rglob("*.safetensors")
    stored = Arrays(data, "data")
    header = stored.header | {"job": stored.header["job"] | {"wanted": []}}
    arrays = {name: stored[name] for name in header["digests"]}
    aside = aside_of(data)
    write_arrays(data.resolve(), "data", header, arrays)
    files, counts, _ = verified(values, capsys)
    reason = "has the identity of the file that is wanted and the job of another"
    assert files == [("damaged", f"{data}: {reason}; now {aside.name}")]
    assert counts == "9 fresh, 1 damaged, 0 missing, 0 orphan"


def test_a_figure_under_the_name_of_another_is_set_aside(results, values, capsys):
    other = results / "structure/figures/fig03.png"
    header = read_drawing(other)
    header["job"]["figure"] = "fig02"
    header = {k: v for k, v in header.items() if k != "digest"}
    write_drawing(Figure(), other.resolve(), header)
    aside = aside_of(other)
    files, _, _ = verified(values, capsys)
    assert files == [("damaged", f"{other}: is of figure fig02, not fig03; now {aside.name}")]


def test_the_parts_of_a_shard_that_is_being_trained_are_no_orphans(results, values, capsys):
    (runs,) = (results / "runs").rglob("*.safetensors")
    parts = runs.resolve().parent / "parts"
    parts.mkdir()
    shutil.copy(runs, parts / "000001.safetensors")
    assert verified(values, capsys)[1] == "10 fresh, 0 damaged, 0 missing, 0 orphan"


def test_logs_and_benchmarks_are_no_orphans(results, values, capsys):
    for place in ("logs/verify.log", "benchmarks/train/x/seed-0.tsv", "workflow.lock"):
        (results / place).parent.mkdir(parents=True, exist_ok=True)
        (results / place).write_text("")
    assert verified(values, capsys)[1] == "10 fresh, 0 damaged, 0 missing, 0 orphan"


def test_a_missing_file_comes_with_what_differs_from_the_nearest_version(results, values, capsys):
    values["decoders"]["regularisation"] = 2
    files, _, _ = verified(values, capsys)
    (metrics,) = (results / "metrics").rglob("*.parquet")
    changed = "no more decoders.regularisation=1.0; now decoders.regularisation=2.0"
    assert files == [
        ("missing", f"{metrics}: {changed}"),
        ("missing", f"{results}/structure/claims/claims.md: made from other inputs"),
        ("missing", f"{results}/structure/claims/claims.parquet: made from other inputs"),
        ("missing", f"{results}/structure/figures/fig00.pdf: made from other inputs"),
        ("missing", f"{results}/structure/figures/fig00.png: made from other inputs"),
        ("missing", f"{results}/structure/figures/fig03.pdf: made from other inputs"),
        ("missing", f"{results}/structure/figures/fig03.png: made from other inputs"),
        ("missing", f"{results}/structure/tables/fig03.parquet: made from other inputs"),
    ]
