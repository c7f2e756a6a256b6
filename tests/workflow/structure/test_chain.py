"""One command makes every figure, and the same command makes the same bytes."""

import pandas as pd
import pytest

FIGURES = ("fig01", "fig02", "fig03")
RESULTS = ("tasks", "metrics", "structure/tables", "structure/figures")
DECODED = {"samples"}
PANEL_VARIANTS = {
    "target_alignment": {"centres"},
    "input_alignment": {"centres"},
    "parallelism": {"centres"},
    "ccgp": DECODED,
    "decoding_trained": DECODED,
    "decoding_untrained": DECODED,
}
TOLD = {"accuracy", "input_output_alignment"}
WEIGHTS = {"angle_spread", "inter_energy", "intra_kept", "intra_movement"}
WEIGHTS |= {"intra_fell", "inter_rose"}
TRAJECTORIES = {"weight", "centre", "inter_selective", "field", "pattern"}


def panels(table):
    """Return the rows of single networks."""
    return table[table["measure"].isin(PANEL_VARIANTS) & table["contrast"].isna()]


@pytest.mark.parametrize("figure", FIGURES)
def test_a_table_has_the_columns_that_its_readers_expect(done, figure):
    table = done.table(figure)
    assert table.notna().any().all()
    keys = ["activation", "noise_variance", "seed", "measure", "variant"]
    networks = done.networks(figure)
    assert networks[keys].notna().all(axis=None)
    is_place = (networks["measure"] == "pattern") & (networks["variant"] == "place")
    assert networks.loc[~is_place, "value"].notna().all()
    assert "diverged_step" not in table, "a column without values"


@pytest.mark.parametrize(("figure", "seeds"), [("fig01", 2), ("fig02", 2), ("fig03", 1)])
def test_every_measure_is_there_once_for_each_network_and_seed(done, figure, seeds):
    rows = panels(done.table(figure))
    assert rows.groupby("measure")["variant"].agg(set).to_dict() == PANEL_VARIANTS
    assert set(rows.loc[rows["variant"] == "samples", "deviation"]) == {1, 3}
    settings = ["activation", "delta", "noise_variance", "step", "measure", "deviation"]
    of_one_setting = rows.groupby([*rows.columns.intersection(settings)], dropna=False)["seed"]
    assert (of_one_setting.nunique() == seeds).all()
    assert (of_one_setting.size() == seeds).all()


def test_the_table_of_figure_1_holds_its_own_networks_only(done):
    table = done.table("fig01")
    assert "delta" not in table
    assert set(panels(table)["step"]) == {0, 10, 20}
    measures = {*PANEL_VARIANTS, *TRAJECTORIES, "slope", "gradient", "example weight"}
    assert set(table["measure"]) == measures | TOLD | WEIGHTS | {"field_agreement"}


def test_each_network_is_trained_once_though_two_figures_need_it(done):
    trained = done.trained()
    assert not trained.duplicated().any()
    shared = trained[(trained["kind"] == "separable") & (trained["hidden_bias"] == "trained")]
    # `separability` has 3 deltas, 2 activations, 2 seeds; in `noise` only variance 0 is new.
    assert shared.groupby("noise_variance").size().to_dict() == {0.0: 4, 1.0: 12}
    assert len(trained) == 16 + 8 + 8


def test_afterwards_there_is_nothing_to_do(done):
    assert done.plan() == {}


def test_verify_finds_every_file_fresh(done):
    assert done.verify()[0] == 0


def test_every_job_leaves_a_log_and_the_long_ones_their_cost(done):
    logs = done.results / "logs"
    for stage in ("train", "measure"):
        sweeps = {path.parent.name for path in logs.glob(f"{stage}/structure/*/seeds-0.*.log")}
        assert len(sweeps) == 5
        costs = [*(done.results / f"benchmarks/{stage}").rglob("*.tsv")]
        assert len(costs) == 5
        for cost in costs:
            assert pd.read_csv(cost, sep="\t")["s"].between(0, 300).all()
    made = {path.name.split(".")[0] for path in logs.glob("plot/structure/*.log")}
    assert made == set(FIGURES)
    assert "rror" not in "".join(path.read_text() for path in logs.rglob("*.log"))


def test_no_half_written_file_is_left(done):
    assert not [path for path in done.results.rglob(".*") if path.is_file()]


def preview_tables(project):
    folder = project.results / "preview/structure/tables"
    return {path.stem: pd.read_parquet(path) for path in folder.iterdir()}


def rows(table):
    """Return the rows of networks, since differences are means over networks."""
    table = table[table["contrast"].isna()]
    return set(table.astype(object).where(table.notna(), None).itertuples(index=False, name=None))


@pytest.mark.slow
def test_after_the_full_run_a_preview_trains_nothing(previewed):
    assert previewed.trained().empty


@pytest.mark.slow
def test_a_preview_is_a_part_of_the_full_results(done, previewed):
    tables = preview_tables(previewed)
    assert tables.keys() == set(FIGURES)
    for figure, table in tables.items():
        assert 0 < len(table) < len(done.table(figure))
        assert rows(table) <= rows(done.table(figure)), figure
        assert set(table.loc[table["contrast"].isna(), "seed"]) == {0}
    assert set(panels(tables["fig02"])["delta"]) == {0.0, 1.0}
    assert set(tables["fig03"]["noise_variance"]) == {0.0}


@pytest.mark.slow
def test_a_preview_leaves_the_full_results_as_they_are(done, previewed):
    for folder in RESULTS:
        assert previewed.contents(folder) == done.contents(folder), folder
    assert previewed.plan() == {}
    assert previewed.plan("--config", "preview=true") == {}


@pytest.mark.slow
def test_a_full_run_after_a_preview_trains_only_what_the_preview_lacks(done, fresh):
    fresh.run("--config", "preview=true")
    first = fresh.trained()
    # One place of the sweep over noise, which no other sweep has.
    assert (len(first), set(first["seed"])) == (12 + 2, {0})
    for figure, table in preview_tables(fresh).items():
        assert rows(table) <= rows(done.table(figure)), figure

    fresh.run()
    both = pd.concat([first, fresh.trained()])
    assert len(both) == len(done.trained())
    assert not both.duplicated().any()
    for folder in RESULTS:
        assert fresh.contents(folder) == done.contents(folder), folder
