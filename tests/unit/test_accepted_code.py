"""The shipped configs keep networks of earlier code, if the code of now trains the same."""

from pathlib import Path

import pytest

from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import job_of
from repatlas.plan.plan import Plan

ROOT = Path(__file__).parents[2]
CONFIGS = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("config*/*.yaml"), *ROOT.glob("docs/**/*.yaml"), ROOT / "config.yaml")
    if "\naccept_code:" in path.read_text(encoding="utf-8")
)
QUICK = ("docs/example.yaml", "docs/demo/demo.yaml")


def codes_of_training(values):
    """Return the fingerprints of the code of all training jobs, and of each of their networks."""
    for preview in (False, True):
        plan = Plan(read_config(values | {"accept_code": {}, "preview": preview}))
        seen = set()
        for wanted in expected_files(plan).values():
            if wanted.stage == "train":
                job = job_of(wanted)
                if (grids := f"{job.family} {job.grids}") in seen:
                    continue
                seen.add(grids)
                yield job.code
                for modules in {(*job.modules_of(run.spec),) for run in job.wanted().values()}:
                    yield job.fingerprint([*modules], {})


@pytest.mark.parametrize(
    "config",
    [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in CONFIGS],
)
def test_no_entry_is_of_code_that_is_gone(config):
    """Such an entry keeps nothing: `make why` prints another one."""
    is_over = "snakemake --configfile config.yaml config" in (ROOT / config).read_text()
    values = load([*[ROOT / "config.yaml"] * is_over, ROOT / config]).values
    assert values["accept_code"]["train"].keys() <= {*codes_of_training(values)}
