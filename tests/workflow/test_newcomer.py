"""What a newcomer meets: plain rules, a profile that is found, a quick start."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_rules_use_what_snakemake_documents():
    files = [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    odd = r"(?<!\.)\b(ancient|update)\(|sys\.argv|\._\w|\bsnakemake\.(?!utils)\w+"
    assert [re.findall(odd, path.read_text()) for path in files] == [[]] * len(files)


def test_the_default_profile_is_found_on_its_own(done):
    output = done.snakemake("--dry-run").stdout
    assert "Using workflow specific profile profiles/default" in output


HEAVY = ("torch", "scipy", "sklearn", "numba", "matplotlib", "seaborn")
PLANNED = f"""
import sys
from pathlib import Path
from repatlas.config.study import figures_of, options_of
from repatlas.named import names
from repatlas.workflow.config import plan_of, read
plan = plan_of(read([Path("config.yaml").absolute()], {{}}))
plan.astray(), [each.identity for each in plan.results.values()]
for study in names("studies"):
    [options_of(study, figure) for figure in figures_of(study)]
print([name for name in {HEAVY} if name in sys.modules])
"""


def test_planning_and_the_needs_of_every_figure_load_no_heavy_package():
    said = subprocess.run([sys.executable, "-c", PLANNED], cwd=ROOT, capture_output=True, text=True)
    assert said.stdout.strip() == "[]", said.stderr


@pytest.mark.slow
def test_the_project_may_lie_in_any_folder(done, tmp_path):
    project = done.clone(tmp_path / "a b quo'te dollar$HOME a$(touch injected)b")
    project.run("reports", "--quiet", "all")
    assert (project.results / "structure/report.html").exists()
    assert not list(tmp_path.rglob("injected"))
    project.remove()


def test_a_brace_in_its_folder_is_refused(make_project, tmp_path):
    output = make_project(tmp_path / "br{a}ce").fail("--quiet", "all")
    assert "br{a}ce: found a brace, which Snakemake takes for a wildcard" in output
