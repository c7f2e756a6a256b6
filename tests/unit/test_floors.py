"""Imports go one way: a part imports from floors below it, and never from a neighbour."""

import ast
import re
from pathlib import Path

import repatlas

ROOT = Path(repatlas.__file__).parent
WORKFLOW = ROOT.parents[1] / "workflow"
RULES = [*WORKFLOW.rglob("*.smk"), WORKFLOW.with_name("Snakefile")]
BUILDS_ON = {"drawn": {"clusters"}}
"""Networks with drawn functions learn the tasks of networks on clusters, from the same samples."""


def imported(path):
    """Yield the names below the package that a module imports, each as a list of its parts."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "repatlas" and not rest.startswith("__version__"):
                yield rest.split(".")


def test_no_experiment_and_no_study_knows_another():
    for part in ("experiments", "studies"):
        for path in (ROOT / part).glob("*/**/*.py"):
            own = path.relative_to(ROOT / part).parts[0]
            others = {
                names[1]
                for names in imported(path)
                if names[0] == part and (ROOT / part / names[1]).is_dir()
            }
            assert others <= {own} | BUILDS_ON.get(own, set()), path


def test_nothing_asks_snakemake_for_its_graph_or_records():
    """Whether a file is right, its name says. Snakemake is asked nothing, and told nothing."""
    for path in [*RULES, *ROOT.rglob("*.py")]:
        assert not re.findall(r"workflow\.(?:dag|persistence)\b", path.read_text()), path
