"""A user's own arrays through the workflow: what is made, and what is made again."""

from html.parser import HTMLParser
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
import yaml

from repatlas.own import compare, measure, over_time

pytestmark = pytest.mark.slow

ITEMS = 24
CODES = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], ITEMS // 4, axis=0)
CONFIG = {
    "study": "own",
    "representations": {
        "network": {
            "arrays": "data/{seed}/{layer}.npy",
            "rows": "data/items.csv",
            "item": "item",
            "unit": "seed",
            "variables": {"side": ["left", "right"], "colour": ["blue", "red"]},
            "null_draws": 19,
        }
    },
    "measures": ["alignment", "geometry", "parallelism"],
    "compare": [
        {"between": ["network", "network"], "measures": ["alignment", "svcca"], "permutations": 19}
    ],
    "figures": {
        "over_layers": {"of": ["network"]},
        "nulls": {"of": ["network"]},
        "geometry": {"of": ["network"]},
        "pairs": {"of": "network-network"},
    },
}


def write_seed(project, seed, layers=("conv", "fc")):
    rng = np.random.default_rng(seed)
    folder = project.folder / "data" / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for layer in layers:
        values = CODES @ rng.standard_normal((2, 8)) + rng.standard_normal((ITEMS, 8))
        np.save(folder / f"{layer}.npy", values)


@pytest.fixture(scope="module")
def finished(make_project, tmp_path_factory):
    """Write a config of two seeds, and return a project with all results. For reading only."""
    project = make_project(tmp_path_factory.mktemp("own") / "project")
    for seed in (0, 1):
        write_seed(project, seed)
    labels = [[f"i{n}", ["left", "right"][a], ["blue", "red"][b]] for n, (a, b) in enumerate(CODES)]
    table = pd.DataFrame(labels, columns=["item", "side", "colour"])
    table.to_csv(project.folder / "data/items.csv", index=False)
    project.config.write_text(yaml.safe_dump(CONFIG))
    # Nothing in the folder of the data is imported by accident.
    for name in ("random", "numpy"):
        (project.folder / f"{name}.py").write_text("raise SystemExit(__file__)")
    project.run()
    yield project
    project.remove()


@pytest.fixture
def user_project(finished, tmp_path):
    """A copy of the finished project, to change."""
    project = finished.clone(tmp_path / "project")
    yield project
    project.remove()


def test_figures_tables_and_pairs_are_made_and_fresh(finished):
    assert finished.plan() == {}
    assert finished.verify()[0] == 0
    figures = {path.stem for path in (finished.results / "own/figures").glob("*.png")}
    assert figures == {"over_layers", "nulls", "geometry", "pairs"}


def test_numbers_are_those_of_a_notebook(finished):
    table = pd.read_parquet(finished.results / "own/tables/over_layers.parquet")
    x, y = (np.load(finished.folder / f"data/1/{layer}.npy") for layer in ("conv", "fc"))
    labels = pd.read_csv(finished.folder / "data/items.csv")
    rows = measure(x, labels, "items", ["side", "colour"], ["alignment", "parallelism"], draws=19)
    mine = table[(table["unit"] == "1") & (table["layer"] == "conv")]
    for row in rows.itertuples():
        [same] = mine[(mine["measure"] == row.measure) & (mine["about"] == row.about)].itertuples()
        assert (same.value, same.low, same.high, same.p) == (row.value, row.low, row.high, row.p)
    pairs = pd.read_parquet(finished.results / "own/tables/pairs.parquet")
    within = pairs[(pairs["unit"] == "1") & (pairs["other_unit"] == "1")]
    found = compare(x, y, ["alignment", "svcca"], draws=19).set_index("measure")
    for row in within.itertuples():
        assert row.value == pytest.approx(found.value[row.measure], rel=1e-12)
        assert row.low == pytest.approx(found.low[row.measure], rel=1e-12, nan_ok=True)


def test_one_more_seed_adds_its_own_measures_and_pairs_alone(user_project):
    write_seed(user_project, 2)
    planned = {"prepare": 1, "measure": 1, "compare": 1, "plot": 4}
    assert user_project.plan() == planned


def test_sets_may_have_names_with_capitals_spaces_accents_and_one_letter(finished, tmp_path):
    project = finished.clone(tmp_path / "names")
    write_seed(project, 2, ["conv"])
    network = CONFIG["representations"]["network"] | {"arrays": "data/2/{layer}.npy"}
    network |= {"unit": "layer", "measures": ["dimensionality"], "variables": {}}
    names = ["V4", "IT", "a", "my net", "aB", "ab", "a_b", "a-b", "été", "$x$ {y}", "y" * 100]
    compare = {"between": ["V4", "my net"], "measures": ["alignment"], "permutations": 19}
    values = {"study": "own", "representations": dict.fromkeys(names, network)}
    figures = {"multiverse_V4": {"draw": "pairs", "of": "V4-my net"}}
    values |= {"compare": [compare], "figures": figures}
    project.config.write_text(yaml.safe_dump(values, allow_unicode=True))
    project.run()
    assert project.plan() == {}
    pairs = pd.read_parquet(project.results / "own/tables/multiverse_V4.parquet")
    assert {*pairs["representation"]} == {"V4"} and {*pairs["other_representation"]} == {"my net"}
    assert (project.results / "own/figures/multiverse_V4.png").stat().st_size
    assert len([*project.results.glob("metrics/own/*/*.parquet")]) == len(names)
    project.remove()


def test_recordings_with_runs_and_times_have_the_numbers_of_a_notebook(finished, tmp_path):
    project = finished.clone(tmp_path / "runs")
    rng = np.random.default_rng(0)
    side = np.concatenate([rng.permutation(["left", "right"] * 4) for _ in range(6)])
    run, times = np.repeat([f"run {number}" for number in range(6)], 8), ["before", "cue", "delay"]
    table = pd.DataFrame({"image": side, "side": side, "run": run})
    table.to_csv(project.folder / "data/trials.csv", index=False)
    rates = rng.standard_normal((48, 6, 3))  # trials x neurons x times
    rates[:, :, 1:] += np.outer(side == "left", rng.standard_normal(6))[:, :, None]
    np.save(project.folder / "data/it.npy", rates)
    recording = {"arrays": "data/it.npy", "rows": "data/trials.csv", "item": "image"}
    recording |= {"trials": True, "blocks": "run", "times": times, "null_draws": 19}
    recording |= {"variables": {"side": ["left", "right"]}, "measures": ["over_time"]}
    values = {"study": "own", "representations": {"IT": recording}}
    project.config.write_text(yaml.safe_dump(values | {"figures": {"over_time": {"of": ["IT"]}}}))
    project.run()
    assert project.plan() == {}
    found = pd.read_parquet(project.results / "own/tables/over_time.parquet")
    found = found[found["value"].notna()].set_index(["line", "place"])
    expected = over_time(rates, {"side": side}, times=times, draws=19, blocks=run)
    assert len(expected) == 9
    for row in expected.itertuples():
        same = found.loc[(row.train, row.test)]
        assert (same["value"], same["p_family"]) == (row.value, row.p_family)
    without = over_time(rates, {"side": side}, times=times, draws=19)
    assert not without["value"].equals(expected["value"])
    assert (project.results / "own/figures/over_time.png").stat().st_size
    project.remove()


class Scripts(HTMLParser):
    """What a browser would run of a page: its scripts, and attributes such as onerror."""

    def __init__(self, page):
        super().__init__()
        self.scripts, self.handlers, self._within = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self._within = tag == "script"
        self.scripts += [""] if self._within else []
        self.handlers += [value for name, value in attributes if name.startswith("on")]

    def handle_endtag(self, tag):
        self._within = False

    def handle_data(self, data):
        if self._within:
            self.scripts[-1] += data


EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
RAW = "\n\n.. raw:: html\n\n   <script>alert(3)</script>"


def test_no_text_of_a_config_is_a_script_of_a_report(finished, tmp_path):
    project = finished.clone(tmp_path / "scripts")
    labels = pd.read_csv(project.folder / "data/items.csv")
    labels = labels.rename(columns={"item": f"item {EVIL}", "side": EVIL, "colour": f"raw {RAW}"})
    labels = labels.replace({"left": f"left {EVIL}", "red": f"red {RAW}"})
    labels.to_csv(project.folder / "data/evil.csv", index=False)
    network = CONFIG["representations"]["network"] | {"arrays": "data/0/{layer}.npy", "unit": None}
    variables = {EVIL: [f"left {EVIL}", "right"], f"raw {RAW}": ["blue", f"red {RAW}"]}
    network |= {"rows": "data/evil.csv", "item": f"item {EVIL}", "variables": variables}
    compare = {"between": [EVIL] * 2, "measures": ["alignment"], "permutations": 19}
    figures = {name: {"of": [EVIL]} for name in ("over_layers", "geometry", "nulls")}
    figures["pairs"] = {"of": f"{EVIL}-{EVIL}"}
    values = CONFIG | {"representations": {EVIL: network}, "compare": [compare]}
    values |= {"figures": figures, "accept_code": {"train": {EVIL: EVIL}, "plot": {RAW: RAW}}}
    project.config.write_text(yaml.safe_dump(values))
    project.run("reports")
    project.run("reports", "--report", "results/report.zip")
    with ZipFile(project.results / "report.zip") as file:
        pages = {n: file.read(n).decode() for n in file.namelist() if n.endswith(".html")}
    assert len(pages) == 2, "Snakemake's own page, and that of the study in it"
    for name, page in pages.items():
        found = Scripts(page)
        own = [text for text in found.scripts if text.strip().startswith("alert")]
        assert own == found.handlers == [], name
    project.remove()
