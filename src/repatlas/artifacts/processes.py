"""Whether a process of this machine is alive."""

import os
from pathlib import Path


def is_alive(process: int) -> bool:
    """Return True if a process runs. A zombie, which has ended and was not waited for, does not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is, and somebody else's
    try:
        stat = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:  # not Linux
        return True
    return stat.rpartition(")")[2].split()[0] != "Z"
