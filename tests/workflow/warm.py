"""Snakemake without its start-up: a process that has imported it forks for each command.

The import takes a second, which hundreds of commands of the tests would each wait for. All after it
is as in a process of its own: arguments, folder, environment, search path, process group.
"""

import json
import os
import signal
import subprocess
import sys
import threading


class WarmSnakemake:
    """A process that forks Snakemakes, from the first command on."""

    def __init__(self):
        self.process = None

    def run(self, words, folder, environment, log, seconds) -> int:
        """The exit code of a command, killed after `seconds`; what it says is written to `log`."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        request = (list(words), str(folder), environment, str(log))
        print(json.dumps(request), file=self.process.stdin, flush=True)
        child = int(self.process.stdout.readline())
        hanging = threading.Timer(seconds, os.killpg, (child, signal.SIGKILL))
        hanging.start()
        code = int(self.process.stdout.readline())
        hanging.cancel()
        return code

    def stop(self):
        if self.process is not None:
            self.process.communicate()


def become(words, folder, environment, log):
    """What a shell and Python's start would do between fork and import."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    sys.path[0] = os.path.dirname(words[0])
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    for number, file in ((0, os.devnull), (1, log)):
        opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    os.dup2(1, 2)


def serve():
    from snakemake.cli import main

    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            become(*json.loads(line))
            return main()
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    sys.exit(serve())
