"""What a config says of representations, and the keys of those."""

import numpy as np
import pytest
from pydantic import ValidationError

from repatlas.config.schema import schema_of
from repatlas.experiments.files.spec import Grid, Representations

NETWORK = {
    "rows": "images.csv",
    "arrays": "net/{seed}/{epoch}/{layer}.npy",
    "item": "stimulus",
    "unit": "seed",
    "variables": {"animacy": ["animal", "object"], "side": ["left", "right"]},
}


@pytest.fixture
def network(tmp_path, array):
    for seed in (0, 1):
        for epoch in (0, 10):
            folder = tmp_path / "net" / str(seed) / str(epoch)
            folder.mkdir(parents=True)
            np.save(folder / "fc.npy", array)
    return Representations.model_validate(NETWORK)


def refusal(**values):
    with pytest.raises(ValidationError) as refused:
        Representations.model_validate(values)
    return refused.value.errors()[0]["msg"]


def test_every_array_is_a_representation_with_its_columns(network):
    assert [spec.columns for spec in network.grid("network").specs()] == [
        {"seed": seed, "epoch": epoch, "layer": "fc"} for seed in (0, 1) for epoch in (0, 10)
    ]


def test_a_job_is_that_of_a_unit(network):
    assert network.grid("network").families == ["network-seed-0", "network-seed-1"]


def test_units_of_any_name_have_families_of_their_own(tmp_path, array):
    for name in ("Anna", "anna", "an na"):
        np.save(tmp_path / f"{name}.npy", array)
    values = {"arrays": "{monkey}.npy", "unit": "monkey"}
    families = Representations.model_validate(values).grid("it").families
    assert len(set(families)) == 3
    assert set("".join(families)) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")


def test_another_place_of_the_files_changes_no_key(network, tmp_path):
    before = [spec.key for spec in network.grid("network").specs()]
    (tmp_path / "net").rename(tmp_path / "moved")
    moved = NETWORK | {"arrays": "moved/{seed}/{epoch}/{layer}.npy"}
    after = [spec.key for spec in Representations.model_validate(moved).grid("network").specs()]
    assert after == before


@pytest.mark.parametrize(
    "changed",
    [{"trials": True}, {"reduction": "flat"}, {"missing": "drop_rows"}, {"join": "inner"}],
)
def test_how_rows_are_read_is_part_of_the_key(network, changed):
    before = {spec.key for spec in network.grid("network").specs()}
    other = Representations.model_validate(NETWORK | changed).grid("network")
    assert not before & {spec.key for spec in other.specs()}


def test_one_more_checkpoint_changes_what_is_wanted_of_its_unit_alone(network, tmp_path, array):
    def wanted():
        grid = network.grid("network")
        return {family: grid.data(family, 0) for family in grid.families}

    before = wanted()
    (tmp_path / "net/1/20").mkdir()
    np.save(tmp_path / "net/1/20/fc.npy", array)
    after = wanted()
    assert [family for family in before if before[family] != after[family]] == ["network-seed-1"]


def test_sessions_that_are_pooled_are_one_representation_for_each_draw(tmp_path, array, table):
    for session in ("m1", "m2"):
        np.save(tmp_path / f"{session}.npy", array)
    values = {
        "arrays": "{session}.npy",
        "rows": "{session}.csv",
        "item": "image",
        "trials": True,
        "pool": "session",
        "draws": 3,
    }
    specs = Representations.model_validate(values).grid("it").specs()
    assert [spec.columns for spec in specs] == [{"draw": 0}, {"draw": 1}, {"draw": 2}]
    assert [part.rows for part in specs[0].parts] == ["m1.csv", "m2.csv"]


def test_a_table_of_its_own_is_found_by_the_text_and_not_the_number(tmp_path, array):
    np.save(tmp_path / "007.npy", array)
    values = {"arrays": "{session}.npy", "rows": "{session}.csv", "item": "image"}
    (spec,) = Representations.model_validate(values).grid("it").specs()
    assert spec.parts[0].rows == "007.csv"


def test_a_grid_survives_the_text_of_a_job(network):
    grid = network.grid("network")
    again = Grid.model_validate(grid.model_dump(mode="json", exclude_defaults=True))
    assert [spec.key for spec in again.specs()] == [spec.key for spec in grid.specs()]


def test_the_code_of_a_representation_is_how_it_is_made_flat(network):
    (spec, *_) = network.grid("network").specs()
    assert spec.modules() == ["own.reductions.flat"]


REFUSED = {
    "unit: found 'net', allowed: seed, layer": {"arrays": "{seed}/{layer}.npy", "unit": "net"},
    "set exactly one of 'arrays' (files) and 'model'": {"rows": "a.csv"},
    "set both 'model' and 'layers', or neither": {"model": "a:b"},
    "weights: belongs to 'model'": {"arrays": "a.npy", "weights": ["w.pt"]},
    "rows: found {session}, allowed: the braces of arrays": {
        "arrays": "{seed}.npy",
        "rows": "{session}.csv",
    },
    "rows: found 'a.xlsx', allowed: a file that ends in .csv, .tsv": {
        "arrays": "a.npy",
        "rows": "a.xlsx",
    },
    "item: needs 'rows', the table that has this column": {"arrays": "a.npy", "item": "x"},
    "variables: needs 'rows'": {"arrays": "a.npy", "variables": {"x": [1, 2]}},
    "blocks: needs 'rows'": {"arrays": "a.npy", "blocks": "run"},
    "blocks: found with pool, whose rows are trials of several sessions": {
        "arrays": "{session}.npy",
        "rows": "{session}.csv",
        "item": "image",
        "pool": "session",
        "blocks": "run",
    },
    "trials: true needs 'item'": {"arrays": "a.npy", "rows": "a.csv", "trials": True},
    "draws: belongs to 'pool'": {"arrays": "a.npy", "draws": 2},
    "least_trials: belongs to 'pool'": {"arrays": "a.npy", "least_trials": 2},
    "pool: needs 'item'": {"arrays": "{session}.npy", "pool": "session"},
    "unit: found 'session', which pool combines; allowed: another brace": {
        "arrays": "{session}.npy",
        "rows": "{session}.csv",
        "item": "image",
        "pool": "session",
        "unit": "session",
    },
    "arrays: found {draw}, allowed with pool: any other name": {
        "arrays": "{draw}/{session}.npy",
        "rows": "{session}.csv",
        "item": "image",
        "pool": "session",
    },
    "pattern 'a/{x y}.npy': found {x y}, allowed in braces": {"arrays": "a/{x y}.npy"},
    "unknown key 'row', allowed: item, variables": {"arrays": "a.npy", "row": "a.csv"},
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_makes_no_sense_is_refused(sentence):
    assert refusal(**REFUSED[sentence]).startswith(sentence)


def test_every_key_is_described_in_the_schema():
    properties = schema_of(Representations)["properties"]
    assert [name for name, value in properties.items() if not value.get("description")] == []
