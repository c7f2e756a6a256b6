"""The commands that run the workflow: the Snakefile of the clone, or the one that pip installed."""

import argparse
import os
import subprocess
import sys
from contextlib import chdir, suppress
from importlib.util import find_spec
from pathlib import Path

from repatlas.record import Refused


def run(chosen: argparse.Namespace, more: list[str]) -> None:
    """Replace this process by Snakemake, started as `make` starts it. After the figure of a claim,
    print the verdict."""
    if not find_spec("snakemake"):
        raise Refused('the package snakemake is missing: pip install "repatlas[workflow]"')
    from repatlas.config.file import USUAL, read_values
    from repatlas.operations.claim import Reproduced
    from repatlas.operations.snakefile import snakefile

    for path in chosen.configs:
        read_values(path)
    if not chosen.configs and not any(path.exists() for path in USUAL):
        raise Refused(
            "found no config.yaml here, allowed: a config of your own, as in"
            f" `repatlas {chosen.command} mine.yaml`, or the folder of a clone of repatlas"
        )
    start = Path(__file__).with_name("start_snakemake.py")
    words = [sys.executable, str(start), "--snakefile", str(snakefile())]
    if chosen.configs:
        # The option behind the files ends their list.
        words += ["--configfile", *map(str, chosen.configs), "--nolock"]
    if chosen.cores:
        words += ["--cores", chosen.cores]
    settings = ["preview=true"] * chosen.preview
    claim = Reproduced(chosen.claim, chosen.configs) if vars(chosen).get("claim") else None
    figure = claim.figure if claim else chosen.figure
    if figure:
        settings.append(f"only={figure}")
    options = [*(["--config", *settings] if settings else []), *more]
    if chosen.command == "report":
        page = ["write_reports", "--forcerun", "write_report", *options]
        code = subprocess.run([*words, *page], env=_environment(chosen)).returncode
        file = _archive([*words[2:], *options]) if code == 0 else None
        if file is None:
            sys.exit(code)
        words += ["write_reports", "--report", file, *options]
    else:
        words += [*([chosen.study] if chosen.study else []), *options]
    if claim:
        if code := subprocess.run(words, env=_environment(chosen)).returncode:
            sys.exit(code)
        return print(claim.finding())
    sys.stdout.flush()
    os.execve(sys.executable, words, _environment(chosen))


def _archive(words: list[str]) -> str | None:
    """Return the path of Snakemake's own report, in the folder of the results. Snakemake's parser
    reads the options, and the config is read as in workflow/rules/plan.smk. None for a dry run."""
    from snakemake.cli import parse_config
    from snakemake.utils import update_config

    from repatlas.config.config import read_config
    from repatlas.config.load import load
    from repatlas.operations.options import snakemake_options
    from repatlas.plan.contents import Contents

    options = snakemake_options(words)
    if options.dryrun:
        return None
    configs = [path.absolute() for path in options.configfile]
    with chdir(options.directory or "."):
        loaded = load(configs)
        update_config(loaded.values, parse_config(options.config))
        config = read_config(loaded.values, loaded.file, loaded.files)
        return f"{Contents(config, loaded.folder).results}/report.zip"


def _environment(chosen: argparse.Namespace) -> dict[str, str]:
    """Return the environment of jobs: the Python of this command, one thread for each job, and no
    setting of Python from the user's shell."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    if not (cache.is_dir() and os.access(cache, os.W_OK)):  # Snakemake wants to write there
        found["XDG_CACHE_HOME"] = os.path.abspath(".snakemake/cache")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return found | {"OMP_NUM_THREADS": "1", "PATH": path}
