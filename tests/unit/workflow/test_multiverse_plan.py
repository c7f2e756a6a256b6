"""Settings of a multiverse, and sweeps that share networks, in the plan."""

import pytest

from repatlas.workflow.config import plan_of, read
from repatlas.workflow.stages import Job

CONFIG = """\
study: structure
multiverse: {{settings: 3, choices: {{{choices}}}}}
sweeps:
  some: &sweep
    task: {{kind: separable, delta: 0.5, noise_variance: [1.0, 4.0]}}
    network: {{activation: tanh}}
    training: {{learning_rate: 0.1, samples: 1000}}
    steps: [10]
    seeds: 6
    measures: [accuracy, alignment, ccgp, decoding, parallelism]
  all: {{<<: *sweep, task: {{kind: separable, delta: [0.2, 0.5], noise_variance: [1.0, 4.0]}}}}
  others: {{<<: *sweep, task: {{kind: separable, delta: 0.7, noise_variance: [1.0, 4.0]}}}}
figures: {{fig03: {{sweep: all, step: 10}}}}
"""
WIDTH, RATE = "network.width: [10, 20]", "training.learning_rate: [0.1, 0.2]"


@pytest.fixture
def plan(tmp_path):
    def plan(*choices):
        file = tmp_path / "own.yaml"
        file.write_text(CONFIG.format(choices=", ".join(choices)), encoding="utf-8")
        return plan_of(read([file], {}))

    return plan


def test_a_sweep_comes_after_a_smaller_one_that_trains_networks_of_it(plan):
    results = plan(WIDTH).results
    for seeds in ("seeds-0", "seeds-4"):
        after = results[f"metrics/structure/all/{seeds}.parquet"].after
        assert [of.names[0] for of in after] == [f"metrics/structure/some/{seeds}.parquet"]
        assert not results[f"metrics/structure/others/{seeds}.parquet"].after


def test_a_multiverse_is_the_same_with_its_choices_in_another_order(plan):
    pages = [
        Job(found, found.results["structure/figures/multiverse.md"], {}).recipe["values"]
        for found in (plan(WIDTH, RATE), plan(RATE, WIDTH))
    ]
    assert [*pages[0].items()] == [*pages[1].items()]
