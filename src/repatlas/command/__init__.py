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
from importlib import import_module
from pathlib import Path
from typing import Any

from repatlas import __version__
from repatlas.named import names
from repatlas.workflow.failures import ending_in_words

COMMANDS = {
    "plan": ("workflow.commands.plan", "what a run would cost: networks, jobs, core-minutes"),
    "why": ("workflow.commands.why", "what would be made again for a figure, and why"),
    "verify": (
        "workflow.commands.verify",
        "whether every file is what the config and the code imply",
    ),
    "clean": ("workflow.commands.clean", "delete stored results that no config uses any more"),
    "partial": ("workflow.commands.partial", "draw the figures as far as a run has come"),
    "publish": (
        "command.publish",
        "write the claims of a run, and small figures, into the documentation",
    ),
    "record": ("command.record", "record the layers of the torch models that a config names"),
}
"""The module of each command that reads its arguments itself, in this package, and what it does."""


def main(words: Sequence[str] | None = None) -> None:
    """Run the command that a shell names."""
    given = list(sys.argv[1:] if words is None else words)
    if given and given[0] in COMMANDS:
        ending_in_words(given[0], lambda: _run(*given))
    else:
        chosen = _parser().parse_args(given)
        ending_in_words(chosen.command, lambda: _run_on_arrays(chosen))


def _run(name: str, *words: str) -> None:
    from repatlas.artifacts.imports import import_by_text

    import_by_text()
    import_module(f"repatlas.{COMMANDS[name][0]}").main([*words])


def _run_on_arrays(chosen: argparse.Namespace) -> None:
    getattr(import_module("repatlas.command.arrays"), chosen.call)(chosen)


def _parser() -> argparse.ArgumentParser:
    start = {"prog": "repatlas", "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(description=__doc__, **start)  # type: ignore[arg-type]
    parser.add_argument("--version", action="version", version=f"repatlas {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_measure(commands)
    _add_compare(commands)
    for name, (_, text) in COMMANDS.items():
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
        "--labels", type=Path, required=True, help="a table with a line for each row"
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
    parser.set_defaults(call="measure_file")


def _add_compare(commands: Any) -> None:
    text = "compare representations of the same items, all pairs"
    parser = commands.add_parser("compare", help=text, description=text)
    parser.add_argument(
        "files", nargs="+", help="two arrays or more, whose rows are the same items"
    )
    _add_common(parser, "own.similarities")
    parser.set_defaults(call="compare_files")


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
