"""python -m repgeom STAGE ...: run one stage of the workflow.

Whatever goes wrong ends in one sentence on standard error and a non-zero exit code.
"""

import argparse
import errno
import importlib
import sys

STAGES = (
    "make_tasks",
    "train",
    "measure",
    "prepare_images",
    "train_images",
    "measure_images",
    "tabulate",
    "plot",
    "judge",
    "publish",
    "write_report",
    "verify",
    "why",
    "plan",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m repgeom", description=__doc__)
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="see STAGE --help")
    chosen = parser.parse_args()
    try:
        stage = importlib.import_module(f"repgeom.stages.{chosen.stage}")
        stage.main(chosen.arguments)
    except ModuleNotFoundError as error:
        _fail(chosen.stage, f"the package {error.name!r} is missing: run `make env`")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or error
        _fail(chosen.stage, f"{where}{reason}")
    except (ValueError, RuntimeError, MemoryError) as error:
        if damaged := getattr(error, "path", None):
            _fail(chosen.stage, f"{error}; {_set_aside(damaged)}")
        # The first line: CUDA's errors go on for many.
        _fail(chosen.stage, (str(error) or "not enough memory").splitlines()[0])


def _set_aside(path) -> str:
    from repgeom.files import set_aside

    return f"set aside as {set_aside(path).name}: start the same command again to make it anew"


def _fail(stage: str, sentence: str) -> None:
    sys.exit(f"repgeom {stage}: error: {sentence}")


if __name__ == "__main__":
    main()
