"""Code that was edited after Python had imported it, and before the job looked at it."""

import os
import sys

SCRIPT = """
from pathlib import Path
from repatlas.artifacts.imports import import_by_text
import_by_text()
from repatlas.measures import parallelism
file = Path(parallelism.__file__)
text = file.read_text()
file.unlink()
file.write_text(text.replace("np.mean(scores)", "sum(scores)"))
from repatlas.workflow import code
code.Declared("measures.parallelism")
"""


def test_code_edited_before_its_job_looks_at_it_is_refused(fresh):
    done = fresh.command(sys.executable, "-c", SCRIPT)
    assert "measures.parallelism: the code changed while this job was running" in done.stdout


def test_code_that_nobody_edits_is_declared(fresh):
    done = fresh.command(sys.executable, "-c", SCRIPT.replace("sum(scores)", "np.mean(scores)"))
    assert done.returncode == 0, done.stdout


def test_a_helper_next_to_the_package_runs_as_it_is_after_an_edit_that_keeps_size_and_time(fresh):
    script = SCRIPT.partition("from repatlas.measures")[0] + "import my_helper as helper\n"
    words = sys.executable, "-c", script + "print('FACTOR', helper.FACTOR)"
    (path := fresh.folder / "src/my_helper.py").write_text("FACTOR = 1\n")
    assert "FACTOR 1" in fresh.command(*words).stdout
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_text("FACTOR = 2\n")
    os.utime(path, ns=times)
    assert "FACTOR 2" in fresh.command(*words).stdout
