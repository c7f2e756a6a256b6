"""What the commands share that look at a whole config: they plan it as the workflow does."""

import argparse
import json

from repatlas.config.config import read_config
from repatlas.plan.plan import Plan


def add_plan(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser, with the arguments that `read_plan` wants."""
    parser.add_argument("--config", required=True, help="the values of the config, as JSON")
    parser.add_argument("--results", default="results", help="their folder, with a preview's in it")
    return parser


def read_plan(options: argparse.Namespace, reads_again: bool = False) -> Plan:
    """The plan of these options. reads_again: as `Plan` has it."""
    return Plan(read_config(json.loads(options.config)), options.results, reads_again)
