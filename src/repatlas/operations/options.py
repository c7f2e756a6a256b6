"""What all commands share that read a whole config: its files, and how a shell names them."""

import argparse
from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

from repatlas.config.config import read_config
from repatlas.config.file import value_of
from repatlas.config.load import load
from repatlas.config.sweeps import merged
from repatlas.named import names
from repatlas.plan.plan import Plan
from repatlas.record import Refused


def parser_of(name: str, about: str) -> argparse.ArgumentParser:
    """Return the parser of a command, with the options that `read_plan` wants. `about` is the
    docstring of the command's module."""
    parser = argparse.ArgumentParser(f"repatlas {name}", description=about.splitlines()[0])
    text = "your config, and files that override its values; default: config.yaml"
    parser.add_argument("configs", nargs="*", type=Path, help=text)
    parser.add_argument("--preview", action="store_true", help="of the preview")
    text = "values that override the values of the files, as in Snakemake"
    parser.add_argument(
        "--config", nargs="+", default=[], action="extend", metavar="KEY=VALUE", help=text
    )
    parser.add_argument("--cores", help="is of no effect here, so that ARGS of a run will do")
    return parser


def with_figure_option(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser, with an option for a part of the config."""
    parser.add_argument("--figure", dest="only", help="one figure alone, as in structure/fig02")
    return parser


def read_plan(options: argparse.Namespace, reads_again: bool = False) -> Plan:
    """Return the plan of a config as the workflow makes it. reads_again: as in `Plan`. Raises
    Refused."""
    over = dict(map(_key_and_value, options.config))
    loaded = load(options.configs)
    values = merged(loaded.values, over)
    if options.preview:
        values["preview"] = True
    if only := vars(options).get("only"):
        values["only"] = only
    config = read_config(values, loaded.file, loaded.files)
    plan = Plan(config, loaded.folder, reads_again)
    for study in vars(options).get("study") or ():
        check_study(study, plan, loaded.file)
    return plan


def _key_and_value(word: str) -> tuple[str, Any]:
    key, equals, text = word.partition("=")
    if not (key and equals):
        raise Refused(f"--config: found {word!r}, allowed: KEY=VALUE")
    return key, value_of(text, f"--config {key}")


def check_study(study: str, plan: Plan, file: str) -> None:
    """Refuse a study that the config lacks, and name a config that has it. file: the names of the
    files of the config."""
    if study in plan.studies:
        return
    place = f"config/{study}.yaml"
    known = Path(place).exists()
    raise Refused(
        f"{study}: is no study of {file} ({', '.join(plan.studies)}); name"
        f" {'its config' if known else f'a config of yours with `study: {study}`'}:"
        f" make ... CONFIG={place if known else 'mine.yaml'}, or"
        f" snakemake ... --configfile {place if known else 'mine.yaml'}"
    )


def check_targets(words: Sequence[str], plan: Plan, file: str) -> None:
    """Refuse a command line of Snakemake that asks for a study which the config lacks. Snakemake
    would end in the traceback of a missing rule. file: as in `check_study`."""
    # Reading them takes a tenth of a second.
    if {*words} & {*names("studies")} - {*plan.studies}:
        for target in {*snakemake_options(words).targets} & {*names("studies")}:
            check_study(target, plan, file)


def snakemake_options(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line of Snakemake and of its profiles."""
    from snakemake.cli import parse_args

    with redirect_stderr(StringIO()):  # it prints which profiles it reads
        return parse_args(list(words))[1]
