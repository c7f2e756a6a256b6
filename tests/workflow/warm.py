"""Snakemake and its jobs without their start-up: they are forked from processes with the imports.

The imports take one to three seconds. The tests have hundreds of commands with ten or twenty jobs
each, which would all wait for them. Only other projects are imported: each process imports this
package again. Everything else is as in a separate process: arguments, folder, environment, search
path, streams.
"""

import atexit
import contextlib
import gc
import importlib
import inspect
import json
import os
import runpy
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

OF_SNAKEMAKE = ("filelock", "numpy", "pydantic.main", "snakemake.cli", "snakemake.report")
OF_JOBS = (
    *("contourpy", "filelock", "fontTools.subset", "matplotlib.style", "pandas", "pydantic.main"),
    *("matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf"),
    *("pyarrow.pandas_compat", "pyarrow.parquet", "safetensors.numpy", "scipy.stats", "torch"),
)
IMPORTED = {"jobs": OF_JOBS, "nodes": (*OF_SNAKEMAKE, *OF_JOBS)}
AS_SNAKEMAKE_HAS_IT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""What packages read when they are imported."""
WARM_PYTHON = Path(__file__).with_name("warm_python.py")


class WarmSnakemake:
    """Processes that fork Snakemakes and their jobs, from the first command on."""

    def __init__(self):
        self.snakemakes = None

    def _start(self):
        self.python = WarmPython("nodes", "repatlas", "warm_stage")
        self.snakemakes = server("snakemakes")
        self.python.wait()

    def run(self, words, folder, environment, log, seconds) -> int:
        """Run a command, killed after `seconds`, with output in `log`. Return its exit code."""
        if self.snakemakes is None:
            self._start()
        # Before the environment's own python, and after one that a test put before that.
        own = str(Path(sys.executable).parent)
        path = environment["PATH"].replace(own, f"{self.python.folder}{os.pathsep}{own}", 1)
        request = (list(words), str(folder), environment | {"PATH": path}, str(log))
        print(json.dumps(request), file=self.snakemakes.stdin, flush=True)
        child = int(self.snakemakes.stdout.readline())
        hanging = threading.Timer(seconds, os.killpg, (child, signal.SIGKILL))
        hanging.start()
        code = int(self.snakemakes.stdout.readline())
        hanging.cancel()
        return code

    @property
    def python_of_jobs(self) -> Path:
        """Return a program `python` that starts our commands and scripts of jobs as forks."""
        if self.snakemakes is None:
            self._start()
        return self.python.program

    def stop(self):
        if self.snakemakes is not None:
            self.snakemakes.communicate()
            self.python.stop()


class WarmPython:
    """A program `python` that has the imports of these modules before it runs one of them."""

    def __init__(self, kind: str, *modules: str):
        self._temporary = tempfile.TemporaryDirectory(prefix="warm-")
        self.folder = Path(self._temporary.name)
        self.program = self.folder / "python"
        words = (sys.executable, "-IS", WARM_PYTHON, self.folder / kind, ",".join(modules))
        here = shlex.join(map(str, words))
        scripts = f'*.stage.py) exec {here} -m warm_stage "$@" ;;'
        self.program.write_text(f'#!/bin/sh\ncase "$1" in {scripts} *) exec {here} "$@" ;; esac\n')
        self.program.chmod(0o755)
        self._server = server(kind, AS_SNAKEMAKE_HAS_IT, cwd=self.folder)

    def wait(self):
        self._server.stdout.readline()

    def stop(self):
        self._server.communicate()
        self._temporary.cleanup()


def server(of, more=None, **options):
    clean = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}
    return subprocess.Popen(
        [sys.executable, "-X", "utf8", __file__, of],
        env=clean | (more or {}),
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **options,
    )


def load(names):
    for name in names:
        importlib.import_module(name)
    # pydantic asks for the sources of classes; each process would first look up all modules' files.
    inspect.getmodule(inspect.currentframe())
    # Else the first collection of each process would copy all pages.
    gc.collect()
    gc.freeze()


def serve_snakemakes():
    load(OF_SNAKEMAKE)
    for line in iter(sys.stdin.readline, ""):
        words, folder, environment, log = json.loads(line)
        child = os.fork()
        if child == 0:
            os.setsid()
            nothing, said = os.open(os.devnull, os.O_RDWR), os.open(log, os.O_RDWR | os.O_APPEND)
            become(words, folder, environment, (nothing, said, said), os.path.dirname(words[0]))
            run_to_the_end(sys.modules["snakemake.cli"].main)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def serve_jobs(kind):
    load(IMPORTED[kind])
    jobs = {}  # by what ends with a job: its number, and who asked for it
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(kind)
        listening.listen()
        print("ready", flush=True)
        while True:
            asking = {connection: job for job, connection in jobs.values()}
            ready = select.select([sys.stdin, listening, *jobs, *asking], [], [])[0]
            if sys.stdin in ready:  # the tests have ended
                return
            if listening in ready:
                connection, _ = listening.accept()
                ended, job = start(connection)
                jobs[ended] = (job, connection)
            for ended in jobs.keys() & {*ready}:
                job, connection = jobs.pop(ended)
                code = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
                with connection, contextlib.suppress(BrokenPipeError):
                    connection.sendall(str(code).encode())
                asking.pop(connection, None)
                os.close(ended)
            for connection in asking.keys() & {*ready}:  # it was killed, so its job must end
                os.kill(asking[connection], signal.SIGKILL)


def start(connection):
    """Start a job in a fork. Return a pipe that ends with the job, and its number."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    words, folder, environment, umask = json.loads(connection.makefile().readline())
    ended, alive = os.pipe()
    if (job := os.fork()) == 0:
        os.umask(umask)
        become(words, folder, environment, streams, folder)
        run_to_the_end(lambda: runpy.run_module(words[0], run_name="__main__", alter_sys=True))
    for file in (alive, *streams):
        os.close(file)
    return ended, job


def run_to_the_end(program):
    """Run a program, and end this process with its exit code.

    As multiprocessing ends its forks, Python is not taken apart: this would copy the memory of all
    that was imported before the fork, which takes a quarter of a second."""
    code = 0
    try:
        program()
    except SystemExit as end:
        if not isinstance(end.code, int | None):  # a text, which Python prints
            raise
        code = end.code or 0
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def become(words, folder, environment, streams, first):
    """Prepare this process as a shell and Python's start would do between fork and import."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    sys.path[0] = first
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    for number, file in enumerate(streams):
        os.dup2(file, number)
    for file in {*streams}:
        os.close(file)
    sys.modules.pop("sitecustomize", None)
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("sitecustomize")


if __name__ == "__main__":
    of = sys.argv[1]
    sys.exit(serve_snakemakes() if of == "snakemakes" else serve_jobs(of))
