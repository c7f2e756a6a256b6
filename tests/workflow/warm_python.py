"""What a job of a warm Snakemake finds as `python`: it asks the process at a socket, its first argument,
to be the job, gives it its streams, and ends as the job does. All else is for the real Python."""

import json
import os
import signal
import socket
import sys

address, *words = sys.argv[1:]
if words[:2] != ["-m", "repatlas"]:
    os.execv(sys.executable, [sys.executable, *words])
umask = os.umask(0)
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(address)
    socket.send_fds(connection, [b"."], [0, 1, 2])
    connection.sendall(json.dumps((words[1:], os.getcwd(), dict(os.environ), umask)).encode() + b"\n")
    code = int(connection.recv(8))
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
    os.kill(os.getpid(), -code)
sys.exit(code)
