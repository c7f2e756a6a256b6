"""What a newcomer meets: clean rules, a profile that is found, a quick start."""

import re

import pytest
from rule_texts import RULES


def test_there_is_a_rule_for_each_stage():
    from repatlas.__main__ import BY_HAND, COMMANDS

    of_compare = {"compare_networks", "compare_files"}  # one rule starts both
    assert set(RULES) - {"compare"} == set(COMMANDS) - BY_HAND - of_compare


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_a_log_and_a_message_and_runs_a_command(rule):
    keywords = re.findall(r"^    (\w+):", RULES[rule], re.MULTILINE)
    assert {"log", "message", "conda", "shell"} <= set(keywords)
    assert not {"run", "script"} & set(keywords)


def test_the_default_profile_is_found_on_its_own(done):
    output = done.snakemake("--dry-run").stdout
    assert "Using workflow specific profile profiles/default" in output


def test_reading_the_config_loads_no_heavy_package(done):
    folder = done.folder / "workflow/rules"
    rules = "".join((folder / name).read_text() for name in ("common.smk", "plan.smk"))
    imports = re.findall(r"^(?:from|import) [^(\n]*(?:\([^)]*\))?", rules, re.MULTILINE)
    assert any("repatlas" in line for line in imports)
    imports = "\n".join(line for line in imports if "snakemake" not in line)
    program = f"""
import sys, json, pathlib, yaml
{imports}
Plan(read_config(yaml.safe_load(pathlib.Path("config.yaml").read_text()))).shards
print([name for name in {HEAVY} if name in sys.modules])
"""
    assert done.command("python", "-c", program).stdout.strip() == "[]"


@pytest.mark.slow
def test_the_project_may_lie_in_any_folder(done, tmp_path):
    project = done.clone(tmp_path / "a b quo'te dollar$HOME a$(touch injected)b")
    project.run("write_reports", "--quiet", "all")
    assert (project.results / "structure/report.html").exists()
    assert not list(tmp_path.rglob("injected"))
    project.remove()


def test_a_brace_in_its_folder_is_refused(make_project, tmp_path):
    output = make_project(tmp_path / "br{a}ce").fail("--quiet", "all")
    assert "br{a}ce: found a brace, which Snakemake takes for a wildcard" in output


HEAVY = ("torch", "scipy", "pandas", "sklearn", "matplotlib", "pyarrow", "safetensors")
