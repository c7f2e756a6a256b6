"""python -m repatlas COMMAND ...: the command `repatlas`."""

import os
import sys

# Python looks for modules in the current folder first, which may have a random.py.
sys.path[:] = [path for path in sys.path if path not in ("", os.getcwd())]

from repatlas.command import main  # noqa: E402

main()
