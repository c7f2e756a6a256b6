"""How a command or a job that fails ends: in one line, or, for a bug, with its traceback."""

import atexit
import errno
import gc
import os
import platform
import re
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from repatlas import __version__


def ending_in_words(name: str, call: Callable[[], None]) -> None:
    """Call what a command or a job does. End this process in one line if that refuses something, if
    the machine or the environment lacks something, or at Ctrl-C. A bug has its traceback, too."""
    # At its end Python would look through all objects several times: 0.3 to 0.6 s.
    atexit.register(gc.freeze)
    try:
        call()
    except KeyboardInterrupt:
        print(f"repatlas {name}: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # its reader has ended, as in `repatlas plan | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except ImportError as error:
        if (error.name or "").split(".")[0] == "repatlas":
            _end_with_traceback(name)
        remedy = 'run `make env` in a clone, or pip install "repatlas[own]"'
        if re.search("GLIBCXX|CXXABI", str(error)):
            remedy = "unload the module that loads this older library, or unset LD_LIBRARY_PATH"
        _end(name, f"{error}: {remedy}")
    except OSError as error:
        parts = [error.filename, error.strerror or str(error)]
        if error.filename2:  # a link, or another name for a file
            parts = [error.filename2, f"cannot be made from {error.filename}", *parts[1:]]
        if error.errno == errno.ENOSPC:
            parts.append("df -h and df -i show whether space or files are used up")
        _end(name, ": ".join(str(part) for part in parts if part))
    except Exception as error:
        from repatlas.record import Refused  # not above, since it needs pydantic

        if isinstance(error, Refused):
            _end(name, _words(error))
        if _lacks_memory(error):
            _end(name, "not enough memory")
        _end_with_traceback(name)


def _words(error: ValueError) -> str:
    """Return what was refused. Renames a damaged file of results."""
    if not hasattr(error, "path"):
        return str(error)
    from repatlas.workflow.store import set_aside

    return f"{error}; {set_aside(error.path)}: the same command makes it again"


def _lacks_memory(error: Exception) -> bool:
    """Return True for errors of memory. torch has a class for a GPU's memory, and none for the
    machine's."""
    is_of_torch = type(error).__name__ == "OutOfMemoryError"
    return isinstance(error, MemoryError) or is_of_torch or "can't allocate memory" in str(error)


def _end_with_traceback(name: str) -> NoReturn:
    traceback.print_exc()
    versions = f"repatlas {__version__}, Python {platform.python_version()}, {platform.platform()}"
    sys.exit(
        f"repatlas {name}: bug: this is a fault of repatlas and not of its input. To report it,"
        f" send what you started, and all lines from the traceback to this one ({versions})."
    )


def _end(name: str, sentence: str) -> NoReturn:
    sys.exit(f"repatlas {name}: error: {sentence}")
