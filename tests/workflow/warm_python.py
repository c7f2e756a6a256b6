"""What a job of a warm Snakemake finds as `python`. It asks the process at a socket, its first
argument, to be the job, gives it its streams, and ends as the job does. All other programs are for
the real Python."""

import json
import os
import socket
import sys

address, *words = sys.argv[1:]
if words[:2] != ["-m", "repatlas"]:
    os.execv(sys.executable, [sys.executable, *words])
umask = os.umask(0)
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(address)
    socket.send_fds(connection, [b"."], [0, 1, 2])
    request = (words[1:], os.getcwd(), dict(os.environ), umask)
    connection.sendall(json.dumps(request).encode() + b"\n")
    code = int(connection.recv(8))
if code < 0:  # a signal ended it
    os.kill(os.getpid(), -code)
sys.exit(code)
