"""Lets a Snakemake start its scripts with the program that forks them with their imports."""

import os
import sys

sys.executable = os.environ.get("PYTHON_OF_STAGES", sys.executable)
