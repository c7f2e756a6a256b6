import os
import sys

if any(brace in workflow.basedir for brace in "{}"):
    sys.exit(
        f"{workflow.basedir}: found a brace, which Snakemake takes for a wildcard; rename the folder"
    )

# Names of files are UTF-8 in jobs, whatever the locale of a service or a node. A job, python -m
# snakemake, does not import a random.py of the folder where it runs.
os.environ.update(PYTHONUTF8="1", PYTHONSAFEPATH="1")
# The code next to the Snakefile, and not an installed package.
sys.path.insert(0, f"{workflow.basedir}/src")

from repatlas.artifacts.imports import import_by_text

import_by_text()

from repatlas.workflow.config import plan_of, read, unknown
from repatlas.record import Refused
from repatlas.workflow.seconds import request

try:
    config = read(workflow.config_settings.configfiles, workflow.config_settings.config)
    PLAN = plan_of(config)
    ASTRAY = PLAN.astray()
except (Refused, OSError) as error:
    sys.exit(str(error))

MADE = f"{PLAN.store}/made"
LOGS = f"{PLAN.folder}/logs"
BENCHMARKS = f"{PLAN.folder}/benchmarks"


def made(name, role):
    """Return a function of wildcards: the links to the inputs of this role of a result."""

    def inputs(wildcards):
        result = PLAN.results.get(name.format(**wildcards))
        # Config or code was edited while the job waited on a cluster. It starts, and says so.
        if result is None or result.identity != wildcards.identity:
            return []
        found = result.after if role == "after" else result.inputs.get(role, [])
        return [str(PLAN.made(own)) for each in found for own in each.names]

    return inputs


def asked(name, what):
    """Return a function of wildcards: what the job of a result asks of a cluster, more each time."""
    return lambda wildcards, attempt: attempt * getattr(
        request(PLAN.results.get(name.format(**wildcards))), what
    )


# Called in a run that has something to do; never in a look, and never on a node.
onstart:
    try:
        PLAN.set_links(ASTRAY)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")


onsuccess:
    print(f"Figures: {PLAN.folder}/*/figures")


wildcard_constraints:
    identity="[0-9a-f]{16}",
    group=r"[a-z0-9_-]+",
    study=r"[a-z]\w*",
    figure=r"(?!multiverse\.)[A-Za-z]\w*",
