"""Reading a config file: YAML without its traps."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from repatlas.record import Refused

AMBIGUOUS = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")
"""What YAML 1.1 reads as a number to the base of 8 (010) or 60 (1:30)."""
USUAL = Path("config.yaml")
"""The default config, in the folder where Snakemake runs."""


class _Loader(Composer, yaml.CSafeLoader):
    """Reads the safe part of YAML. A key may occur only once, a number is written as people read
    it, and nothing contains itself. libyaml reads the text three times as fast as Python."""

    def __init__(self, stream: str):
        Composer.__init__(self)
        yaml.CSafeLoader.__init__(self, stream)
        self.around: list[str | None] = []
        """The anchors of the nodes that hold the one being read"""

    def compose_node(self, parent: yaml.Node, index: Any) -> yaml.Node:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) and event.anchor in self.around:
            problem = f"found the alias {event.anchor!r} within what it stands for"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        self.around.append(event.anchor)
        node = super().compose_node(parent, index)
        self.around.pop()
        return node

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in lines:
                first = lines[key.value]
                problem = f"found the key {key.value!r}, which stands in line {first} already"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                lines[key.value] = key.start_mark.line + 1
        return node

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        if AMBIGUOUS.fullmatch(node.value):
            raise yaml.MarkedYAMLError(
                problem=f"found {node.value}, allowed: a decimal number",
                problem_mark=node.start_mark,
            )
        if node.tag.endswith(":int"):
            return self.construct_yaml_int(node)
        return self.construct_yaml_float(node)


for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _Loader.construct_number)


def results_of(chosen: Sequence[Path]) -> tuple[str, Path]:
    """Return the folder for the results of config files, and the first of these files. `chosen` are
    the absolute paths from the command line; without one it is the default config, here. Raises
    Refused."""
    if not chosen or os.path.abspath(chosen[0]) == os.path.abspath(USUAL):
        return "results", USUAL
    if not re.fullmatch(r"\w[\w.-]*", chosen[0].stem, re.ASCII):
        allowed = "letters, digits, and _ . - after the first of them: it names a folder of results"
        raise Refused(f"--configfile: found the name {chosen[0].name!r}, allowed: {allowed}")
    return f"results/own/{chosen[0].stem}", chosen[0]


def read_values(path: Path) -> dict[str, Any]:
    """Return the values of a config file. Raises Refused, with the line, for text that is not YAML,
    for a key that occurs twice in one mapping, and for numbers to the base of 8 or 60."""
    try:
        # In UTF-8 alone: Snakemake, which reads the file too, knows no other.
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: is not YAML in UTF-8: {error}") from None
    values = value_of(text, path)
    if not isinstance(values, dict):
        raise Refused(f"{path}: has no keys; add sweeps or figures")
    return values


def value_of(text: str, where: object) -> Any:
    """Return the value of a text in YAML. `where` names the text where it is refused. Raises
    Refused."""
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        has_tab = [*text.split("\n"), ""][mark.line][mark.column :].startswith("\t")
        problem = "found a tab, allowed: spaces" if has_tab else error.problem
        raise Refused(f"{where}, line {mark.line + 1}: {problem}") from None
    except yaml.YAMLError as error:
        raise Refused(f"{where}: is not YAML in UTF-8: {' '.join(str(error).split())}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:  # a date, or a tag
        raise Refused(f"{where}: has a value that YAML cannot read: {error}") from None
    except RecursionError:
        raise Refused(f"{where}: is nested too deeply") from None
