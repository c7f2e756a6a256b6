"""The multiverse: a config with choices becomes settings, and claims are judged in each of them."""

import re
import shutil
from functools import cache
from itertools import islice

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from stages import make

from repatlas.artifacts.drawings import write_drawing
from repatlas.artifacts.files import read_table, write_table
from repatlas.claims import multiverse
from repatlas.claims.claims_file import read_claims
from repatlas.claims.multiverse import (
    FAILS,
    HOLDS,
    MULTIVERSE_SCHEMA,
    NOT_APPLICABLE,
    NOT_JUDGED,
    effects,
    summaries,
)
from repatlas.claims.multiverse_page import multiverse_page
from repatlas.command.publish import publish, publish_multiverse
from repatlas.config.config import ConfigError, read_config
from repatlas.config.multiverse import design
from repatlas.config.sweeps import merged
from repatlas.inference.shares import difference_interval, share_interval
from repatlas.workflow.plan import Plan
from repatlas.workflow.stages.plot import Inputs

SIZES = [4, 3, 2, 2, 3, 2, 3, 2]
"""The numbers of values of the choices of `structure`."""


# The design.


@pytest.mark.parametrize("number", [32, 200])
def test_every_value_and_every_pair_of_values_is_in_the_first_settings(number):
    settings = np.array(list(islice(design(SIZES), number)))
    for choice, size in enumerate(SIZES):
        counts = np.bincount(settings[:, choice], minlength=size)
        assert counts.min() >= 0.85 * number / size
        for other, others in enumerate(SIZES[:choice]):
            pairs = {*zip(settings[:, choice].tolist(), settings[:, other].tolist(), strict=True)}
            assert len(pairs) == size * others


# A config with choices.


@pytest.fixture
def values(make_small_values):
    """Figure 2 of tiny networks, in settings of width and learning rate."""
    return in_settings(make_small_values())


def in_settings(values):
    values["figures"] = {"fig02": values["figures"]["fig02"]}
    values["sweeps"] = {n: values["sweeps"][n] for n in ("delta", "delta_paths")}
    values["multiverse"] = {
        "settings": 3,
        "choices": {"network.width": [8, 10], "training.learning_rate": [0.1, 0.5]},
    }
    return values


MULTIVERSE = "structure/figures/multiverse.parquet"


def plan_of(values, folder="results"):
    return Plan(read_config(values), str(folder))


def test_more_settings_change_none_of_the_earlier_ones(values):
    few = plan_of(values).results[MULTIVERSE].recipe
    values["multiverse"]["settings"] = 4
    more = plan_of(values).results[MULTIVERSE].recipe
    assert few["settings"] == more["settings"][:3]
    assert few["tables"].items() < more["tables"].items()
    assert [*more["tables"]] == [f"fig02_setting00{number}" for number in range(4)]


def test_a_config_without_choices_has_those_of_the_claims_file(values):
    del values["multiverse"]["choices"]
    # The names of these sweeps differ from those in the claims file.
    with pytest.raises(ConfigError, match=r"choices.network.hidden_bias.sweeps: found 'noise'"):
        read_config(values)
    values["study"] = "own"
    with pytest.raises(ConfigError, match="choices: found none, here and in the claims file"):
        read_config(values)


def test_a_choice_of_steps_ends_training_there_and_moves_the_figure_with_it(values):
    values["multiverse"]["choices"] = {"steps": [5, 7]}
    study = plan_of(values).studies["structure"]
    assert study.sweeps["delta_setting001"][0].steps == [0, 2, 7]
    assert study.tabulated["fig02_setting001"].step == 7


def test_settings_in_which_a_figure_has_the_same_networks_count_once(values):
    own, mine = ["delta", "delta_paths"], ["mine", "mine_paths"]
    values["sweeps"] |= {new: values["sweeps"][old] for new, old in zip(mine, own, strict=True)}
    others = {"draw": "fig02", "sweep": "mine", "trajectories": "mine_paths"}
    values["figures"]["another"] = values["figures"]["fig02"] | others
    widths = {"network.width": {"values": [8, 10], "sweeps": own}}
    noises = {"task.noise_variance": {"values": [0.5, 1.0], "sweeps": mine}}
    values["multiverse"] = {"settings": 4, "choices": widths | noises}
    study = plan_of(values).studies["structure"]
    of_settings = [name for name in study.tabulated if "_setting" in name]
    assert len(study.multiverse.chosen()) == 4
    assert sum(name.startswith("fig02_") for name in of_settings) == 2
    assert sum(name.startswith("another_") for name in of_settings) == 2


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (
            {"network.widht": [8, 10]},
            r"multiverse.choices.network.widht: no sweep has it, allowed: task.noise_variance, .*",
        ),
        (
            {"network.width": [8, 9]},
            r"multiverse.choices: network.width = 9, in sweep delta: network.width.0: .*multiple.*",
        ),
        (
            {"network.width": {"values": [8, 10], "sweeps": ["mine"]}},
            r"multiverse.choices.network.width.sweeps: found 'mine', allowed: delta, delta_paths",
        ),
        (
            {"steps": [5, "many"]},
            r"multiverse.choices.steps: found 'many', allowed: a step of at least 1",
        ),
        ({"network.width": [8]}, r".*network.width.*allowed: a list of at least 2.*"),
        ({"network.width": [8, 8]}, r".*choices.network.width: should name each value once"),
    ],
)
def test_a_wrong_key_or_value_gets_one_sentence(values, choices, sentence):
    values["multiverse"]["choices"] = choices
    with pytest.raises(ConfigError) as refused:
        read_config(values)
    assert "\n" not in str(refused.value)
    assert re.search(sentence, str(refused.value))


# Controls and training lengths.


def test_untrained_networks_are_one_setting_in_which_every_step_is_0(values):
    values["multiverse"] = {"varies": "untrained", "figures": ["fig02"]}
    plan = plan_of(values)
    study = plan.studies["structure"]
    assert [name for name in study.tabulated if "_setting" in name] == ["fig02_setting000"]
    assert study.tabulated["fig02_setting000"].step == 0
    [paths] = study.sweeps["delta_paths_setting000"]
    assert paths.steps == [0] and set(paths.more_measures) <= {0}
    claims = {claim["id"] for claim in plan.results[MULTIVERSE].recipe["claims"]}
    assert {"16", "17"} <= claims
    assert "20" not in claims, "the table of its figure has its control"


def test_lengths_are_those_of_the_claims_file_and_networks_may_be_fewer(values):
    values["multiverse"] = {"varies": "length", "seeds": 1, "figures": ["fig02"]}
    study = plan_of(values).studies["structure"]
    [length] = [of for of in read_claims("structure").lengths if "fig02" in of.figures]
    assert study.multiverse.lengths == {"fig02": length.multiples}
    for number, setting in enumerate(study.multiverse.chosen()):
        [grid] = study.sweeps[f"delta_setting{number:03d}"]
        assert (grid.steps[-1], grid.seeds) == (round(5 * setting["steps"]), 1)


# Verdicts.


SETTINGS = [
    {"bias": bias, "width": width, "rate": rate}
    for bias in ("trained", "none")
    for width in (60, 120)
    for rate in range(8)
]
VALUES = {"bias": ["trained", "none"], "width": [60, 120], "rate": [*range(8)]}


def rows_of(outcome_of):
    rows = [
        {"claim": "1", "says": "It rises.", "setting": number, "outcome": outcome_of(setting)}
        for number, setting in enumerate(SETTINGS)
    ]
    return pd.DataFrame(rows).reindex(columns=MULTIVERSE_SCHEMA.names)


def test_a_claim_that_turns_on_one_choice_by_construction_names_that_choice():
    rows = rows_of(lambda setting: HOLDS if setting["bias"] == "trained" else FAILS)
    [found] = summaries(rows, SETTINGS, VALUES)
    assert found.share.value == 0.5
    assert found.decisive.choice == "bias"
    assert {effect.choice for effect in found.effects if effect.decides} == {"bias"}


def test_settings_that_are_not_applicable_are_not_counted():
    rows = rows_of(lambda setting: HOLDS if setting["width"] == 120 else NOT_APPLICABLE)
    [found] = summaries(rows, SETTINGS, VALUES)
    assert found.applicable == found.counts[HOLDS] == found.counts[NOT_APPLICABLE] == 16
    assert found.share == share_interval(16, 16)
    assert found.decisive is None


def test_the_page_says_in_how_many_settings_a_claim_holds_and_what_decides():
    rows = rows_of(lambda setting: HOLDS if setting["bias"] == "trained" else FAILS)
    page = multiverse_page(summaries(rows, SETTINGS, VALUES), SETTINGS, VALUES, preview=False)
    assert "| 1. It rises. | 16 of 32 | 0.50 (0.34, 0.66) | 0 | bias = trained: 1.00 (" in page


@pytest.mark.parametrize("number", [60, pytest.param(200, marks=pytest.mark.slow)])
def test_all_intervals_of_effects_hold_their_effects_at_once_in_95_of_100_designs(
    number, monkeypatch
):
    """Claims that turn on no choice: every effect is 0. The share with the lowest coverage is one
    half, where it is 96.2 % in 20,000 designs of either size."""
    monkeypatch.setattr(multiverse, "difference_interval", cache(difference_interval))
    places = list(islice(design(SIZES), number))
    settings = [dict(zip("abcdefgh", place, strict=True)) for place in places]
    values = {name: list(range(size)) for name, size in zip("abcdefgh", SIZES, strict=True)}
    rng = np.random.default_rng(0)
    clean = 0
    for _ in range(1000):
        holds = dict(enumerate((rng.random(number) < 0.5).tolist()))
        clean += not any(effect.decides for effect in effects(holds, settings, values))
    assert clean >= 950


# What is published.


def test_a_published_claim_says_in_how_many_settings_it_holds(repository, tmp_path):
    docs, table = tmp_path / "docs", tmp_path / "table.parquet"
    (docs / "structure").mkdir(parents=True)
    shutil.copy(repository / "docs/structure/claims.parquet", docs / "structure")
    rows = rows_of(lambda setting: HOLDS if setting["bias"] == "none" else FAILS)
    about = {"claim": "16", "by": "paper", "figure": "fig02", "choices": "{}"}
    schema = MULTIVERSE_SCHEMA
    job = {"study": "structure", "preview": False, "settings": SETTINGS, "values": VALUES}
    job |= {"figures": {}, "claims": [], "style": {}, "code": "0" * 12, "varies": "choices"}
    of_rows = pa.Table.from_pandas(rows.assign(**about), schema=schema, preserve_index=False)
    write_table(table, "multiverse", {"job": job}, of_rows)
    write_drawing(Figure(), table.with_suffix(".png"), {"identity": "", "job": job})
    publish_multiverse(table, docs)
    cell = "| 16 of 32 choices |"
    assert (docs / "structure/claims.md").read_text().count(cell) == 1
    published = {path.name for path in (docs / "structure").iterdir()}
    assert published >= {"multiverse.md", "multiverse.parquet", "multiverse.png"}
    # The next whole run publishes its claims, and the sentence stays.
    publish([docs / "structure/claims.parquet"], [], [], docs)
    assert (docs / "structure/claims.md").read_text().count(cell) == 1


# The whole chain, on tiny networks.


@pytest.fixture(scope="module")
def judged(tmp_path_factory, make_small_values):
    """A plan whose claims are judged in all settings. For reading only."""
    plan = plan_of(in_settings(make_small_values()), tmp_path_factory.mktemp("judged"))
    make(plan, MULTIVERSE)
    return plan


def test_tiny_networks_that_have_not_learned_are_no_evidence(judged):
    _, table = read_table(judged.folder / MULTIVERSE, "multiverse", MULTIVERSE_SCHEMA)
    found = table.to_pandas()
    assert {*found["setting"]} == {0, 1, 2}
    assert {*found.loc[found["claim"] == "16", "outcome"]} == {NOT_APPLICABLE}
    # The sweep has no networks at the separabilities of this claim.
    assert {*found.loc[found["claim"] == "22", "outcome"]} == {NOT_JUDGED}


def test_untrained_networks_are_judged_and_two_of_them_are_too_few(values, tmp_path):
    values["multiverse"] = {"varies": "untrained", "figures": ["fig02"]}
    plan = plan_of(values, tmp_path)
    rows = read_table(make(plan, MULTIVERSE), "multiverse", MULTIVERSE_SCHEMA)[1].to_pandas()
    of_claim = rows[rows["claim"] == "16"]
    assert {*of_claim["outcome"]} == {NOT_JUDGED} and {*of_claim["reason"]} == {"too few networks"}


def test_a_setting_is_the_config_written_by_hand_bit_for_bit(judged, values, tmp_path):
    study = judged.studies["structure"]
    assert study.multiverse.chosen()[2] == {"network.width": 10, "training.learning_rate": 0.1}
    changed = {"network": {"width": 10}, "training": {"learning_rate": 0.1}}
    by_hand = {n: merged(s | {}, changed) for n, s in values["sweeps"].items()}
    hand = plan_of(values | {"sweeps": by_hand, "multiverse": None}, tmp_path)
    table = read_table(make(hand, "structure/tables/fig02.parquet"), "table")[1]
    of_setting = Inputs(judged, "structure").table(study.tabulated["fig02_setting002"])
    assert table.equals(of_setting)
