"""Runs the benchmarks, prints their tables, and writes results.md.

    python benchmarks                     all but the last: half an hour
    python benchmarks training paper      those named
    python benchmarks --smoke             all of them, on the smallest of each: do they run?

results.md keeps the sections that are not run; a smoke run leaves it as it is.
"""

import argparse
import os
import platform
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

from measuring import cpu_model, report_of

SECTIONS = (
    "training",
    "batching",
    "decoders",
    "end_to_end",
    "scaling",
    "gpu",
    "own",
    "beside",
    "similarities",
    "paper",
)
LONG = "paper"
"""The section that takes an hour, and runs only when it is named."""
RESULTS = Path(__file__).parent / "results.md"
OPENING = (
    "Made by `make bench`; how is told in `benchmarks/`. [engines.md](engines.md) compares"
    " libraries that could train the networks."
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--smoke", action="store_true", help="do they run? Writes nothing")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"found {', '.join(unknown)}, allowed: {', '.join(SECTIONS)}")
    os.environ["OMP_NUM_THREADS"] = "1"
    text = RESULTS.read_text() if RESULTS.exists() else ""
    sections = dict(re.findall(r"<!-- (\w+) -->\n\n(.*?)(?=\n\n<!-- |\Z)", text, re.DOTALL))
    for name in options.sections or [s for s in SECTIONS if options.smoke or s != LONG]:
        # In a separate process: the memory that one section took, and its settings of the C library
        # would affect the numbers of the next section.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            section = process.submit(report_of, name, options.smoke).result()
        if options.smoke:
            print(section, end="\n\n", flush=True)
            continue
        title, _, rest = section.partition("\n\n")
        sections[name] = f"{title}\n\n{_machine()}\n\n{rest.strip()}"
        print(sections[name], end="\n\n", flush=True)
        _write(sections)


def _write(sections: dict[str, str]) -> None:
    parts = ["# Benchmarks", OPENING]
    parts += [f"<!-- {name} -->\n\n{sections[name]}" for name in SECTIONS if name in sections]
    RESULTS.write_text("\n\n".join(parts) + "\n")


def _machine() -> str:
    import numpy
    import torch

    return (
        f"*{date.today()}, {cpu_model()}, {os.cpu_count()} cores,"
        f" Python {platform.python_version()}, torch {torch.__version__},"
        f" numpy {numpy.__version__}; command `python benchmarks"
        f" {' '.join(sys.argv[1:])}`.*".replace(" `.", "`.")
    )


if __name__ == "__main__":
    main()
