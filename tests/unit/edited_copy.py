"""A copy of the package for tests to edit, and programs that import the copy in a fork of this
process. Python and other packages need not start again."""

import os
import shutil
import sys
import tempfile
import traceback
import warnings
from contextlib import contextmanager
from subprocess import CompletedProcess

from repatlas.artifacts.provenance import ROOT


def copied(folder):
    """Copy the package into a folder, with what Python has compiled. Return the copy."""
    return shutil.copytree(ROOT, folder / ROOT.name)


@contextmanager
def edited(copy, *names):
    """Write a statement to the end of these files of a copy, until the end of a with statement."""
    before = {copy / name: (copy / name).read_text(encoding="utf-8") for name in names}
    for path, text in before.items():
        path.write_text(f"{text}\nEDIT = 1\n", encoding="utf-8")
    try:
        yield
    finally:
        for path, text in before.items():
            path.write_text(text, encoding="utf-8")


def run_with(copy, program, *words, folder=".", text=""):
    """Run a program in a folder, with words as its arguments and a text as its input. The package
    that it imports is the copy."""
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as printed,
        tempfile.TemporaryFile("w+") as complaints,
    ):
        given.write(text)
        given.seek(0)
        with warnings.catch_warnings():
            # Python warns of locks that other threads hold. The copy takes no such lock.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            code = 1
            try:
                for number, file in enumerate((given, printed, complaints)):
                    os.dup2(file.fileno(), number)
                sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww")
                code = _run(copy, program, words, folder)
            finally:
                for stream in (sys.stdout, sys.stderr):
                    stream.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for file in (printed, complaints):
            file.seek(0)
        return CompletedProcess(words, code, printed.read(), complaints.read())


def _run(copy, program, words, folder):
    """Run a program in this process, and return its exit code."""
    for name in [name for name in sys.modules if name.partition(".")[0] == copy.name]:
        del sys.modules[name]
    sys.path.insert(0, str(copy.parent))
    sys.argv[1:] = words
    os.chdir(folder)
    try:
        exec(program, {"__name__": "__main__"})
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
