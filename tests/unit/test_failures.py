"""A refusal is one sentence, a bug says that it is one and what a report needs."""

import errno
import subprocess
import sys

import pytest

from repatlas import __version__
from repatlas.artifacts.files import Unreadable
from repatlas.record import Refused
from repatlas.workflow.failures import ending_in_words

DF = "df -h and df -i show whether space or files are used up"
OLDER = "/opt/gcc/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found"


def ending(error, capsys):
    """Return how a command ends whose work raises this."""

    def fail():
        raise error

    with pytest.raises(SystemExit) as ended:
        ending_in_words("verify", fail)
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (Refused("steps: found 0, allowed: 1 or more"), "steps: found 0, allowed: 1 or more"),
        (OSError(errno.ENOSPC, "No space left", "results/a"), f"results/a: No space left: {DF}"),
        (
            ImportError(OLDER),
            f"{OLDER}: unload the module that loads this older library, or unset LD_LIBRARY_PATH",
        ),
        (OSError(1, "No right", "to", None, "link"), "link: cannot be made from to: No right"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: 1 byte"), "not enough memory"),
    ],
)
def test_what_is_refused_or_lacking_is_one_sentence(error, sentence, capsys):
    assert ending(error, capsys) == (f"repatlas verify: error: {sentence}", "")


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'PIL'", name="PIL"),
        ImportError("cannot import name '_imaging' from 'PIL'", name="PIL"),
    ],
)
def test_what_the_environment_lacks_is_installed_by_make_env(error, capsys):
    sentence, err = ending(error, capsys)
    assert sentence.startswith(f"repatlas verify: error: {error}: run `make env`") and err == ""


def test_a_damaged_file_is_set_aside(tmp_path, capsys):
    (path := tmp_path / "a.parquet").write_bytes(b"damaged")
    sentence, _ = ending(Unreadable(path, "damaged, or no Parquet"), capsys)
    (aside,) = tmp_path.iterdir()
    again = "the same command makes it again"
    assert sentence.endswith(f"damaged, or no Parquet; set aside as {aside.name}: {again}")
    assert aside.read_bytes() == b"damaged"


@pytest.mark.parametrize("error", [KeyError("wanted"), ValueError("of a library")])
def test_a_bug_has_its_traceback_and_says_what_a_report_needs(error, capsys):
    sentence, err = ending(error, capsys)
    assert "Traceback" in err and type(error).__name__ in err
    assert sentence.startswith("repatlas verify: bug: ")
    assert f"repatlas {__version__}, Python 3." in sentence


PROGRAM = """
import sys, types

def main(arguments):
    print("what it does" * 10_000)

sys.modules["repatlas.workflow.commands.verify"] = types.SimpleNamespace(main=main)
sys.argv = ["repatlas", "verify"]
import repatlas.__main__
"""


def test_a_process_whose_reader_has_ended_fails_without_a_word():
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == (b"", 1)
