"""Imports go one way: a part imports from floors below it, and never from a neighbour."""

import ast
import re
from pathlib import Path

import repatlas

ROOT = Path(repatlas.__file__).parent
WORKFLOW = ROOT.parents[1] / "workflow"
RULES = [*WORKFLOW.rglob("*.smk"), WORKFLOW.with_name("Snakefile")]
CHANGE = {"unlink", "rename", "symlink_to", "touch", "utime", "mkdir", "write_text", "write_bytes"}
"""What changes a file, by the names of functions of Python."""
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


def test_at_most_eight_modules_lie_loose():
    loose = {path.stem for path in ROOT.glob("*.py")} - {"__init__"}
    assert len(loose) <= 8, sorted(loose)


def test_nothing_asks_snakemake_for_its_graph_or_records():
    """Whether a file is right, its name says. Snakemake is asked nothing, and told nothing."""
    for path in [*RULES, *ROOT.rglob("*.py")]:
        assert not re.findall(r"workflow\.(?:dag|persistence)\b", path.read_text()), path


def test_a_function_that_snakemake_calls_for_its_graph_changes_no_file():
    """Links are set while the Snakefile is read, before the graph. The functions of rules, which
    Snakemake calls as often as it likes, look at files and leave them as they are."""
    changing = functions_that_change_files()
    assert {"set_link", "set_links", "set_aside", "run"} <= changing
    for path in RULES:
        text = path.read_text(encoding="utf-8")
        functions = re.findall(r"^def .*?(?=^\S)", text, re.M | re.S)
        assert functions or path.name != "common.smk"
        lambdas = re.findall(r"=?lambda .*?:(.*)", text)
        called = {name for part in functions + lambdas for name in re.findall(r"(\w+)\(", part)}
        assert called & (changing | CHANGE) == set(), path


def functions_that_change_files():
    """Return the names of functions below `workflow` and `artifacts` that change a file, or call
    a function that does."""
    calls = {}
    for part in ("workflow", "artifacts"):
        for path in (ROOT / part).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef):
                    inner = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
                    names = {getattr(f, "attr", getattr(f, "id", "")) for f in inner}
                    calls.setdefault(node.name, set()).update(names)
    changing = set()
    while more := {f for f, names in calls.items() if names & (CHANGE | changing)} - changing:
        changing |= more
    return changing
