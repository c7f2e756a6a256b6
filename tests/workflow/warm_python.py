"""What a job of a warm Snakemake finds as `python`. Its first argument is the socket of a process,
and its second argument names modules. This program asks the process to run one of these modules,
gives it its streams, and ends as it does. The real Python runs all else."""

import json
import os
import socket
import sys

address, modules, *words = sys.argv[1:]
if words[:1] != ["-m"] or words[1] not in modules.split(","):
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
