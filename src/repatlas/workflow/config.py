"""The config of a run, as its files and the command line say it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.workflow.plan import Plan


def read(files: Sequence[Path], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the config files, overridden by the command line, and the
    folder of the results. Raises Refused."""
    from snakemake.utils import update_config  # not above, since jobs need no more than `plan_of`

    loaded = load([Path(file).absolute() for file in files])
    update_config(loaded.values, dict(over))
    return loaded._asdict()


def plan_of(config: dict[str, Any]) -> Plan:
    """Return the plan of a config. Raises Refused."""
    return Plan(read_config(config["values"], config["file"], config["files"]), config["folder"])


def unknown(target: str, plan: Plan, file: str) -> str:
    """Return a sentence about a target that a plan lacks. file: the names of its config's files."""
    study, known = target.split("/")[0], [n for n in plan.targets() if not Path(n).suffix]
    close = [n for n in known if n.startswith(f"{study}/") or n.endswith(f"/{target}")]
    shown = close or [name for name in known if "/" not in name]
    said = f"{target}: is not in {file}, which has {', '.join(shown)}"
    if study not in plan.studies and (own := Path(f"config/{study}.yaml")).exists():
        said += f"; another config: make ... CONFIG={own}, or snakemake ... --configfile {own}"
    return said
