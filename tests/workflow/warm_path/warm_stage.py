"""Runs the script that its first argument names, as Python would."""

import runpy
import sys

del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
