"""SIGTERM, which a cluster or `kill` sends, ends a workflow at whatever moment it comes."""

import subprocess
import sys

AS_SNAKEMAKE_HAS_IT = """
import os, signal, threading, time
from repatlas.operations.succession import handle_sigterm_in_thread

lock = threading.Lock()
to_end = threading.Event()

def exit_gracefully(*received):
    with lock:
        to_end.set()

signal.signal(signal.SIGTERM, exit_gracefully)
handle_sigterm_in_thread()
with lock:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.1)
to_end.wait()
print("ended")
"""


def test_a_workflow_ends_though_sigterm_comes_while_its_scheduler_holds_its_lock():
    ended = subprocess.run(
        [sys.executable, "-c", AS_SNAKEMAKE_HAS_IT], capture_output=True, text=True, timeout=120
    )
    assert ended.stdout == "ended\n"
