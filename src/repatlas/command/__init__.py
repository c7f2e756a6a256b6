"""repatlas COMMAND ...: measure your own files, and plan and check a run, from a shell.

`make figures`, in a clone, runs the workflow. Completion, in bash or zsh:
eval "$(register-python-argcomplete repatlas)"
"""

# argparse, since it starts in milliseconds and is there; argcomplete is its completion, as pip's
# neighbours (pipx, nox, conda) have it. What a command needs is imported when it runs.
import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from repatlas.interrupts import end_in_a_line
from repatlas.named import names

PASSED_ON = {
    "plan": "what a run would cost: networks, jobs, core-minutes",
    "why": "what would be made again for a figure, and why",
    "verify": "whether every file is what the config and the code imply",
    "partial": "draw the figures as far as a run has come",
    "publish": "write the claims of a run, and small figures, into the documentation",
    "record": "record the layers of the torch models that a config names",
    "convert": "make files of the results of another tool",
}


def main(words: Sequence[str] | None = None) -> None:
    """Run the command that a shell names."""
    end_in_a_line()
    given = list(sys.argv[1:] if words is None else words)
    if given and given[0] in PASSED_ON:
        return _stage(given[0], given[1:])
    _in_words(_parser().parse_args(given))


def _stage(name: str, words: list[str]) -> None:
    try:
        from repatlas.__main__ import run
    except ModuleNotFoundError as error:
        _end_without(error.name, name)
    run(name, words)


def _end_without(package: str | None, command: str) -> NoReturn:
    sentence = f'the package {package!r} is missing: pip install "repatlas[own]"'
    sys.exit(f"repatlas {command}: error: {sentence}")


def _in_words(chosen: argparse.Namespace) -> None:
    """Run a command, so that what is refused is one sentence."""
    try:
        from repatlas.__main__ import in_words
    except ModuleNotFoundError as error:
        _end_without(error.name, chosen.command)

    in_words(chosen.command, lambda: chosen.run(chosen), sys.argv)


def _measure(chosen: argparse.Namespace) -> None:
    from repatlas.command.arrays import measure_file

    measure_file(chosen)


def _compare(chosen: argparse.Namespace) -> None:
    from repatlas.command.arrays import compare_files

    compare_files(chosen)


def _parser() -> argparse.ArgumentParser:
    start = {"prog": "repatlas", "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(description=__doc__, **start)  # type: ignore[arg-type]
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_measure(commands)
    _add_compare(commands)
    for name, text in PASSED_ON.items():
        commands.add_parser(name, help=text, add_help=False)
    with suppress(ModuleNotFoundError):
        import argcomplete

        argcomplete.autocomplete(parser)
    return parser


def _add_measure(commands: Any) -> None:
    text = "measure one representation, by the labels of its rows"
    parser = commands.add_parser("measure", help=text, description=text)
    parser.add_argument(
        "file", help="an array, items or trials x units; FILE/NAME in a file of several"
    )
    parser.add_argument(
        "--labels", type=Path, required=True, help="a table (csv, parquet) with a line for each row"
    )
    parser.add_argument(
        "--rows",
        choices=("items", "trials"),
        required=True,
        help="items: each row is another item; trials: rows of a condition are noisy repeats",
    )
    parser.add_argument(
        "--variables", nargs="+", help="the columns that count; all of them if not given"
    )
    _add_common(parser, "own.measures")
    parser.set_defaults(run=_measure)


def _add_compare(commands: Any) -> None:
    text = "compare representations of the same items, all pairs"
    parser = commands.add_parser("compare", help=text, description=text)
    parser.add_argument(
        "files", nargs="+", help="two arrays or more, whose rows are the same items"
    )
    _add_common(parser, "own.similarities")
    parser.set_defaults(run=_compare)


def _add_common(parser: argparse.ArgumentParser, measures: str) -> None:
    """Add the options of both commands; measures: the folder that has theirs."""
    every = names(measures)
    text = f"of {', '.join(every)}"
    parser.add_argument("--measures", nargs="+", choices=every, metavar="MEASURE", help=text)
    parser.add_argument("--draws", type=int, default=199, help="of each null; 199 if not given")
    parser.add_argument("--seed", type=int, default=0, help="of all that is random")
    parser.add_argument("--reduction", choices=("flat", "pooled"), help="of arrays with more axes")
    parser.add_argument("--channels", choices=("first", "last"), help="for --reduction pooled")
    parser.add_argument("--output", type=Path, help="write the table to a .csv or .parquet, too")
