"""What runs again after a change, and what doesn't: only what the change touches."""

import os
import re
import shutil
import time

import pandas as pd
import pytest
import yaml

EVERYTHING_TRAINED = {
    "train": 2,
    "measure": 2,
    "tabulate": 3,
    "plot": 3,
    "judge": 1,
    "plot_claims": 2,
}
# A job makes both seeds of a family.
SEPARABLE = {
    "prepare": 1,
    "train": 1,
    "measure": 1,
    "tabulate": 2,
    "plot": 2,
    "judge": 1,
    "plot_claims": 2,
}


def test_after_a_checkout_that_touches_every_file_nothing_runs(project):
    later = time.time() + 60
    package, links = project.folder / "src", project.folder / "links"
    package.rename(links)
    shutil.copytree(links, package)
    for part in ("Snakefile", "config.yaml", "workflow", "profiles", "src", "envs"):
        top = project.folder / part
        for path in [top, *top.rglob("*")]:
            os.utime(path, (later, later))
    assert project.plan() == {}


def test_one_more_seed_trains_its_networks_alone(project):
    def change(config):
        config["sweeps"]["separability"]["seeds"] = 3

    before = project.table("fig02")
    project.edit_config(change)
    one_each = {
        "prepare": 1,
        "train": 1,
        "measure": 1,
        "tabulate": 1,
        "plot": 1,
        "judge": 1,
        "plot_claims": 2,
    }
    assert project.plan() == one_each
    project.run()
    trained = project.trained()
    assert set(trained["seed"]) == {2}
    assert set(trained["hidden_bias"]) == {"trained"}
    assert sorted(trained["delta"]) == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    after = project.table("fig02")
    panels = after[(after["measure"] == "ccgp") & after["contrast"].isna()]
    assert set(panels["seed"]) == {0, 1, 2}
    pooled = after[(after["seed"] < 2) & after["contrast"].isna()].reset_index(drop=True)
    assert pooled.equals(before[before["contrast"].isna()].reset_index(drop=True))
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_one_more_delta_trains_its_networks_alone(project):
    def change(config):
        config["sweeps"]["separability"]["task"]["delta"] = [0.0, 0.25, 0.5, 1.0]

    fig03 = project.table("fig03")
    project.edit_config(change)
    # fig03 draws other networks of the same file, so it stays.
    assert project.plan() == SEPARABLE | {"tabulate": 1, "plot": 1}
    project.run("--until", "tabulate")
    trained = project.trained()
    assert set(trained["delta"]) == {0.25}
    assert len(trained) == 4, "2 activations, 2 seeds"
    assert set(project.networks("fig02")["delta"]) == {0.0, 0.25, 0.5, 1.0}
    assert project.table("fig03").equals(fig03)


@pytest.mark.slow
def test_one_more_noise_variance_trains_its_networks_alone(project):
    def change(config):
        config["sweeps"]["noise"]["task"]["noise_variance"] = [4.0, 0.0, 1.0]

    project.edit_config(change)
    # The centres of a task don't depend on its noise.
    assert project.plan() == {
        "train": 1,
        "measure": 1,
        "tabulate": 1,
        "plot": 1,
        "judge": 1,
        "plot_claims": 2,
    }
    project.run("--until", "tabulate")
    trained = project.trained()
    assert set(trained["noise_variance"]) == {4.0}
    assert set(trained["seed"]) == {0}
    assert len(trained) == 4, "2 deltas, 2 activations"
    assert set(project.table("fig03")["noise_variance"]) == {0.0, 1.0, 4.0}


@pytest.mark.slow
def test_one_more_activation_trains_its_networks_alone(fresh, done):
    def activations(names):
        def change(config):
            config["figures"] = {"fig03": config["figures"]["fig03"]}
            config["sweeps"] = {"noise": config["sweeps"]["noise"]}
            config["sweeps"]["noise"]["network"]["activation"] = names

        return change

    fresh.edit_config(activations("tanh"))
    fresh.run("--until", "tabulate")
    assert set(fresh.trained()["activation"]) == {"tanh"}
    assert set(fresh.table("fig03")["activation"]) == {"tanh"}

    fresh.edit_config(activations(["tanh", "relu"]))
    fresh.run("--until", "tabulate")
    assert set(fresh.trained()["activation"]) == {"relu"}
    assert fresh.table("fig03").equals(done.table("fig03"))


def seeds_of_figure_2(number):
    def change(config):
        for name in ("separability", "separability_trajectories"):
            config["sweeps"][name] |= {"seeds": number, "preview": {"seeds": 1}}

    return change


@pytest.mark.slow
def test_fewer_seeds_train_nothing_and_shrink_the_table(project, done):
    project.edit_config(seeds_of_figure_2(1))
    assert project.plan() == {"tabulate": 1, "plot": 1, "judge": 1, "plot_claims": 2}
    project.run("--until", "tabulate")
    assert project.trained().empty
    assert set(project.networks("fig02")["seed"]) == {0}

    project.edit_config(seeds_of_figure_2(2))
    assert project.plan() == {}, "all is still there"
    project.run()
    assert project.contents("structure/tables") == done.contents("structure/tables")


@pytest.mark.slow
def test_a_narrower_grid_trains_nothing(project):
    def change(config):
        config["sweeps"]["separability"]["task"]["delta"] = [0.0, 1.0]

    project.edit_config(change)
    project.run("--until", "tabulate")
    assert project.trained().empty
    assert set(project.networks("fig02")["delta"]) == {0.0, 1.0}


def test_a_colour_draws_the_figures_again_and_no_more(project):
    def change(config):
        config["style"]["colours"]["relu"] = "#009E73"

    project.edit_config(change)
    assert project.plan() == {"plot": 3}


@pytest.mark.slow
def test_the_step_of_a_figure_collects_and_draws_that_figure_again(project):
    def change(config):
        config["figures"]["fig02"]["step"] = 10

    project.edit_config(change)
    assert project.plan() == {"tabulate": 1, "plot": 1, "judge": 1, "plot_claims": 2}


def test_a_setting_of_the_decoders_measures_again_and_trains_nothing(project):
    def change(config):
        config["decoders"]["regularisation"] = 0.5

    project.edit_config(change)
    assert project.plan() == {"measure": 2, "tabulate": 3, "plot": 3, "judge": 1, "plot_claims": 2}


@pytest.mark.slow
def test_a_learning_rate_trains_that_sweep_again(project):
    def change(config):
        config["sweeps"]["separability_trajectories"]["training"]["learning_rate"] = 0.2

    project.edit_config(change)
    project.run("--until", "train")
    trained = project.trained()
    assert set(trained["kind"]) == {"separable"}
    assert set(trained["hidden_bias"]) == {"none"}
    assert len(trained) == 8, "2 deltas, 2 activations, 2 seeds"


def test_the_order_of_sweeps_keys_and_values_means_nothing(project):
    def change(config):
        for sweep in config["sweeps"].values():
            sweep["network"]["activation"].reverse()
            sweep["measures"].reverse()
            for value in sweep["task"].values():
                if isinstance(value, list):
                    value.reverse()
        for part in (config, config["sweeps"], *config["sweeps"].values()):
            reordered = dict(reversed(part.items()))
            part.clear()
            part.update(reordered)

    project.edit_config(change)
    assert project.plan() == {}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_another_name_for_a_sweep_means_nothing(project):
    def change(config):
        config["sweeps"]["random"] = config["sweeps"].pop("unstructured")
        config["figures"]["fig01"]["sweep"] = "random"

    project.edit_config(change)
    assert project.plan() == {}


EDITS = [
    (
        "geometry/parallelism.py",
        "SHORTEST = 1e-9",
        "SHORTEST = 1e-8",
        {"measure": 2, "tabulate": 3, "plot": 3, "judge": 1, "plot_claims": 2},
    ),
    (
        "experiments/clusters/engine.py",
        "OUTPUTS_MULTIPLE = 8",
        "OUTPUTS_MULTIPLE = 16",
        EVERYTHING_TRAINED,
    ),
    ("experiments/clusters/tasks/separable.py", "np.sqrt(2)", "np.sqrt(2.0)", SEPARABLE),
    ("studies/structure/figures/fig02/drawing.py", "LIMIT = 0.57735", "LIMIT = 0.6", {"plot": 1}),
    ("plots/panels.py", "linewidth=0.6", "linewidth=0.7", {"plot": 3}),
    (
        "studies/structure/figures/fig01/table.py",
        "EXAMPLE_PROJECTION = 1.5",
        "EXAMPLE_PROJECTION = 1.6",
        {"tabulate": 1, "plot": 1, "judge": 1, "plot_claims": 2},
    ),
    (
        "claims/statistics.py",
        "where=norm > 0",
        "where=norm > 1e-12",
        {"plot": 3, "judge": 1, "plot_claims": 2},  # titles depend on claims
    ),
    (
        "studies/structure/claims.yaml",
        "below: 1}",
        "below: 0.9}",
        {"plot": 1, "judge": 1, "plot_claims": 2},  # one such claim carries a title
    ),
]
"""By file: an edit of its code, and the jobs that use this code."""
QUICK = ("experiments/clusters/engine.py", "studies/structure/claims.yaml")


@pytest.mark.parametrize(
    ("file", "old", "new", "jobs"),
    [
        pytest.param(*edit, id=edit[0], marks=[] if edit[0] in QUICK else pytest.mark.slow)
        for edit in EDITS
    ],
)
def test_an_edit_of_code_runs_what_uses_that_code(project, file, old, new, jobs):
    project.edit_source(file, old, new)
    assert project.plan() == jobs


def test_comments_docstrings_and_layout_are_no_change(project):
    project.edit_source(
        "experiments/clusters/engine.py", "OUTPUTS_MULTIPLE = 8", "OUTPUTS_MULTIPLE = (8)  # !"
    )
    project.edit_source("experiments/clusters/engine.py", '"""The training engine', '"""An engine')
    project.edit_source("geometry/svm.py", "\nimport numpy", "\n# As in liblinear.\nimport numpy")
    project.edit_source(
        "studies/structure/figures/fig03/drawing.py",
        "MOST_LABELS = 4\n",
        "MOST_LABELS = (\n    4\n)\n",
    )
    assert project.plan() == {}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_an_edit_of_a_task_s_code_is_that_of_its_own_networks(project):
    """There are none of a task with a chosen alignment."""
    project.edit_source("experiments/clusters/kernels.py", "TOLERANCE = 1e-12", "TOLERANCE = 2e-12")
    assert project.plan() == {"judge": 1, "plot_claims": 2}, "claims are about such tasks"


@pytest.mark.slow
def test_an_edit_of_an_activation_trains_and_measures_its_own_networks_alone(project, done):
    """The jobs of their shards run, and keep the others."""
    project.edit_source("networks/activations/tanh.py", "1 - np.tanh(u)", "1.0 - np.tanh(u)")
    assert project.plan() == EVERYTHING_TRAINED
    project.run("--until", "measure")
    trained = project.trained()
    assert set(trained["activation"]) == {"tanh"}
    assert len(trained) == len(done.trained()) / 2
    for log in project.results.glob("logs/measure/clusters/*/seed-*.log"):
        found = re.findall(r"(\d+) networks of seed \d: rows of (\d+) kept", log.read_text())
        assert len(found) == 2
        assert all(int(kept) == int(networks) / 2 for networks, kept in found)
    before, after = (each.contents("runs", "metrics") for each in (done, project))
    assert before.keys() == after.keys()


@pytest.mark.slow
def test_an_edit_of_a_measure_measures_it_alone(project, done):
    """No decoder is fitted again: `work` would count it."""
    project.edit_source(
        "measures/parallelism.py", "trained_dichotomies(labels)", "trained_dichotomies((labels))"
    )
    assert project.plan() == {}, "no change"
    project.edit_source("measures/parallelism.py", "np.mean(scores)", "np.mean(scores, axis=0)")
    project.run("--until", "measure")
    assert project.trained().empty
    for log in project.results.glob("logs/measure/clusters/unstructured-*/seed-*.log"):
        for seed in (0, 1):
            assert f"4 networks of seed {seed}: rows of 2 kept" in log.read_text()
        assert log.read_text().count(f"\nwork: {2 * 3 * 64}\n") == 2, "2 networks, 3 steps"
    rows, before = (
        pd.read_parquet(path)
        for each in (project, done)
        for path in sorted(each.results.glob("metrics/clusters/unstructured-*/seed-0.parquet"))
    )
    pd.testing.assert_frame_equal(rows, before)


@pytest.mark.slow
def test_code_that_the_config_accepts_as_equal_trains_nothing(project):
    project.edit_source(
        "experiments/clusters/engine.py", "OUTPUTS_MULTIPLE = 8", "OUTPUTS_MULTIPLE = 4 + 4"
    )
    assert project.plan() == EVERYTHING_TRAINED
    said = project.ask("why").stdout
    entry = yaml.safe_load(said[said.index("accept_code:") :])
    assert entry["accept_code"].keys() == {"train"}
    project.edit_config(lambda config: config.update(entry))
    assert project.plan() == {}
    assert project.verify()[0] == 0

    def one_more_seed(config):
        config["sweeps"]["noise"]["seeds"] = 2

    project.edit_config(one_more_seed)
    project.run("--until", "train")
    trained = project.trained()
    assert set(trained["seed"]) == {1}
    assert set(trained["noise_variance"]) == {0.0}, "at variance 1 they are those of another sweep"


def metrics_of_figure_1(project):
    return next(project.results.glob("metrics/clusters/unstructured-*/seed-0.parquet"))


@pytest.mark.slow
def test_metrics_that_are_lost_are_measured_again_when_they_are_needed(project, done):
    metrics_of_figure_1(project).resolve().unlink()
    assert project.plan() == {}, "the figures are made already"
    assert project.verify() == (1, "26 fresh, 0 damaged, 1 missing, 0 orphan")
    project.stored("structure/tables/fig01.parquet").unlink()
    project.stored("structure/figures/fig01.pdf").unlink()
    assert project.plan() == {"measure": 1, "tabulate": 1, "plot": 1}
    project.run()
    for folder in ("metrics", "structure/tables", "structure/figures"):
        assert project.contents(folder) == done.contents(folder)
    assert project.verify()[0] == 0


def test_a_figure_that_is_lost_is_drawn_again_from_its_table(project):
    project.stored("structure/figures/fig02.png").unlink()
    assert project.plan() == {"plot": 1}


@pytest.mark.slow
def test_a_table_that_is_lost_is_made_again_from_the_metrics(project, done):
    project.stored("structure/tables/fig02.parquet").unlink()
    assert project.plan() == {"tabulate": 1}
    project.run()
    for folder in ("structure/tables", "structure/figures"):
        assert project.contents(folder) == done.contents(folder)


@pytest.mark.slow
def test_lost_networks_that_nothing_needs_are_reported_and_not_trained(project):
    shutil.rmtree(project.results / "store/runs")
    assert project.plan() == {}
    assert project.verify() == (1, "23 fresh, 0 damaged, 4 missing, 0 orphan")


@pytest.mark.slow
def test_lost_networks_that_nothing_needs_are_made_by_the_name_of_a_seed(project, done):
    families = [*project.results.glob("runs/clusters/*")]
    shutil.rmtree(project.results / "store/runs")
    assert "and `snakemake FILE` any other file" in project.ask("verify").stdout
    project.run(*(f"results/runs/clusters/{each.name}/seed-0.safetensors" for each in families))
    assert project.verify() == (0, "27 fresh, 0 damaged, 0 missing, 0 orphan")
    assert project.contents("runs", "structure/tables") == done.contents("runs", "structure/tables")


@pytest.mark.slow
def test_an_edited_line_of_a_rule_alone_starts_nothing(project):
    """Everything that a result depends on is in its job."""
    for rules in (project.folder / "workflow/rules").glob("*.smk"):
        text = rules.read_text()
        rules.write_text(text.replace("python -m", "python  -m"))
        assert rules.name in ("common.smk", "plan.smk") or rules.read_text() != text
    assert project.plan() == {}


@pytest.mark.slow
def test_values_that_went_away_and_come_back_are_not_trained_again(project, done):
    def without_a_delta(config):
        config["sweeps"]["separability"]["task"]["delta"] = [0.0, 1.0]

    def with_it(config):
        config["sweeps"]["separability"]["task"]["delta"] = [0.0, 0.5, 1.0]

    project.edit_config(without_a_delta)
    project.run()
    assert project.verify()[0] == 0
    project.edit_config(with_it)
    assert project.plan() == {}
    project.run()
    for folder in ("runs", "metrics", "structure/tables", "structure/figures"):
        assert project.contents(folder) == done.contents(folder)


@pytest.mark.slow
def test_versions_that_no_config_wants_are_dropped_by_a_command(project):
    runs = project.results / "store/runs"
    project.edit_config(lambda config: config["sweeps"]["separability"].update(steps=[20]))
    project.run()
    assert len(list(runs.rglob("*.safetensors"))) == 4 + 2, "two seeds of one family"
    done = project.make("clean-unused")
    assert done.returncode == 0, done.stdout
    assert len(list(runs.rglob("*.safetensors"))) == 4
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_what_a_run_without_anything_to_do_wants_is_not_dropped(project, done):
    project.edit_config(lambda config: config["style"].update(width=7.0))
    project.run()
    project.edit_config(lambda config: config["style"].update(width=5.5))
    project.run()
    assert project.make("clean-unused").returncode == 0
    assert project.verify()[0] == 0
    assert project.contents("structure/figures") == done.contents("structure/figures")


@pytest.mark.slow
def test_a_preview_trains_nothing_that_the_whole_run_has(project):
    project.run("--config", "preview=true")
    assert project.trained().empty


@pytest.mark.slow
def test_verify_needs_none_of_snakemakes_records(project):
    def change(config):
        config["decoders"]["regularisation"] = 0.5

    shutil.rmtree(project.folder / ".snakemake")
    assert project.verify() == (0, "27 fresh, 0 damaged, 0 missing, 0 orphan")
    project.edit_config(change)
    assert project.verify() == (1, "8 fresh, 0 damaged, 19 missing, 0 orphan")


def test_verify_sees_code_that_changed(project):
    project.edit_source("studies/structure/figures/fig02/drawing.py", "LIMIT = 0.5", "LIMIT = 0.55")
    assert project.verify() == (1, "25 fresh, 0 damaged, 2 missing, 0 orphan")


@pytest.mark.slow
def test_verify_names_a_file_that_nothing_implies(project):
    stray = project.results / "structure/tables/fig09.parquet"
    shutil.copy(project.results / "structure/tables/fig01.parquet", stray)
    *_, named, counts = project.ask("verify").stdout.splitlines()
    assert counts == "27 fresh, 0 damaged, 0 missing, 1 orphan"
    assert named == f"orphan  {stray.relative_to(project.folder)}"


def test_without_snakemakes_records_nothing_is_made_again(project):
    shutil.rmtree(project.folder / ".snakemake")
    assert project.plan() == {}


def test_why_names_the_value_and_the_module_that_changed(project):
    project.edit_config(lambda config: config["style"].update(font_size=6.0))
    project.edit_source("geometry/parallelism.py", "SHORTEST = 1e-9", "SHORTEST = 2e-9")
    said = project.ask("why", "--figure", "fig03").stdout
    assert "style.font_size=6.0" in said
    assert "measure: code was " in said
    assert "edited: repatlas.geometry.parallelism\n" in said


def test_the_plan_counts_the_networks_that_are_not_there(project):
    project.edit_config(lambda config: config["sweeps"]["separability"].update(seeds=3))
    said = project.ask("plan").stdout
    networks = dict(re.findall(r"^(fig\d+|in all) +(\d+)", said, re.MULTILINE))
    assert networks == {"fig01": "0", "fig02": "6", "fig03": "0", "in all": "6"}
