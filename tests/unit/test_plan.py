import hashlib

import pytest
from stages import product

from repatlas.artifacts.provenance import code
from repatlas.config.config import read_config
from repatlas.operations.expected import expected_files
from repatlas.plan.places import Shard
from repatlas.plan.plan import Plan
from repatlas.record import Refused

SHARD_JOBS = ("train_job", "measure_job")
FIGURE_JOBS = ("tabulate_job", "plot_job")


def plan(values):
    return Plan(read_config(values))


def jobs(plan):
    """Return every job of a plan, by its type and what it is about."""
    about = {
        (kind, shard.family, shard.seed): getattr(plan, kind)(shard)
        for kind in SHARD_JOBS
        for shard in plan.shards
    }
    about |= {
        ("prepare_job", shard.family, shard.seed): plan.data[plan.data_place(shard)]
        for shard in plan.shards
    }
    return about | {
        (kind, figure): getattr(plan, kind)(figure)
        for kind in FIGURE_JOBS
        for figure in plan.figures
    }


def changed(before, after):
    """Return the types of jobs that differ between two sets of jobs about the same things."""
    assert before.keys() == after.keys()
    return {about[0] for about in before if before[about] != after[about]}


@pytest.fixture
def values(small_values):
    return small_values


@pytest.fixture
def families(values):
    shards = plan(values).shards
    return {shard.family.split("-")[0]: shard.family for shard in shards}


def test_there_is_a_shard_for_each_family_and_seed(values, families):
    assert plan(values).shards == [
        Shard("clusters", families["separable"], 0),
        Shard("clusters", families["separable"], 1),
        Shard("clusters", families["unstructured"], 0),
        Shard("clusters", families["unstructured"], 1),
    ]


def test_a_shard_reaches_as_far_as_the_longest_of_its_sweeps(values, families):
    values["sweeps"]["noise"]["seeds"] = 4
    seeds = [s.seed for s in plan(values).shards if s.family == families["separable"]]
    assert seeds == [0, 1, 2, 3]


def test_sweeps_of_other_shapes_are_shards_of_their_own(values):
    values["sweeps"]["noise"]["network"]["width"] = 10
    for sweep in ("delta", "delta_paths"):
        values["sweeps"][sweep]["network"] = {
            "activation": ["tanh", "relu"],
            "width": 12,
            "hidden_bias": "none",
        }
    assert len(plan(values).shards) == 3 * 2


def test_a_network_of_two_sweeps_is_wanted_once_with_the_steps_and_measures_of_both(
    values, families
):
    values["sweeps"]["noise"]["steps"] = [1, 5]
    values["sweeps"]["noise"]["measures"] = ["alignment", "ccgp", "decoding", "parallelism"]
    job = plan(values).measure_job(Shard("clusters", families["separable"], 0))
    wanted = job.wanted()
    assert len(wanted) == 3 * 3 * 2  # delta, noise, activation
    for run in wanted.values():
        if run.spec.task.noise_variance == 1.0:
            assert run.steps == [0, 1, 2, 5]
            # Each measure at the steps of the sweeps that have it.
            both = {key: [0, 1, 2, 5] for key in ["alignment", "ccgp", "decoding", "parallelism"]}
            one = {key: [0, 2, 5] for key in ["accuracy", "kernel", "selectivity"]}
            assert run.measures == both | one
        else:
            assert run.steps == [1, 5]
            names = ["alignment", "ccgp", "decoding", "parallelism"]
            assert run.measures == {key: [1, 5] for key in names}


def test_more_may_be_measured_at_some_of_the_steps(values, families):
    values["figures"]["fig03"]["step"] = 2
    values["sweeps"]["noise"]["measures"] = ["alignment"]
    values["sweeps"]["noise"]["more_measures"] = {
        2: ["ccgp", "decoding", "parallelism"],
        5: ["ccgp"],
    }
    job = plan(values).measure_job(Shard("clusters", families["separable"], 0))
    [noisy, *_] = [r for r in job.wanted().values() if r.spec.task.noise_variance == 4.0]
    assert noisy.measures == {
        "alignment": [0, 2, 5],
        "ccgp": [2, 5],
        "decoding": [2],
        "parallelism": [2],
    }


def test_a_network_is_wanted_for_the_seeds_of_its_sweeps_alone(values, families):
    values["sweeps"]["noise"]["seeds"] = 3
    job = plan(values).train_job(Shard("clusters", families["separable"], 2))
    assert len(job.wanted()) == 18
    values["sweeps"]["noise"]["seeds"] = 1
    asked = plan(values)
    of_both, of_one = (
        asked.train_job(Shard("clusters", families["separable"], seed)) for seed in (0, 1)
    )
    assert len(of_both.wanted()) == 18
    assert {run.spec.task.noise_variance for run in of_one.wanted().values()} == {1.0}


def test_a_shard_wants_the_networks_of_its_family_alone(values):
    values["sweeps"]["noise"]["task"]["inputs"] = 14
    for shard in plan(values).shards:
        for run in plan(values).train_job(shard).wanted().values():
            assert run.spec.family == shard.family


def test_order_has_no_meaning(values):
    before = jobs(plan(values))
    values["sweeps"] = dict(reversed(values["sweeps"].items()))
    values["figures"] = dict(reversed(values["figures"].items()))
    for sweep in values["sweeps"].values():
        sweep["steps"] = [5, 0, 2]
        sweep["network"] = dict(reversed(sweep["network"].items()))
        sweep["network"]["activation"] = ["relu", "tanh"]
        sweep["measures"] = list(reversed(sweep["measures"]))
    values["sweeps"]["noise"]["task"]["delta"] = [1.0, 0.0, 0.5]
    assert jobs(plan(values)) == before


def test_the_names_of_sweeps_have_no_meaning(values):
    before = jobs(plan(values))
    values["sweeps"] = {f"my_{name}": sweep for name, sweep in values["sweeps"].items()}
    for figure in values["figures"].values():
        for role in {"sweep", "trajectories"} & figure.keys():
            figure[role] = f"my_{figure[role]}"
    assert jobs(plan(values)) == before


def test_spelling_out_a_default_has_no_meaning(values):
    before = jobs(plan(values))
    values["sweeps"]["random"]["task"] |= {"clusters": 4, "noise_variance": 1}
    values["sweeps"]["noise"]["training"]["learning_rate"] = "1e-1"
    values["decoders"]["regularisation"] = 1
    values["style"] = {"width": 5.5}
    assert jobs(plan(values)) == before


@pytest.mark.parametrize(
    ("path", "value", "affected"),
    [
        (("style", "width"), 6, {"plot_job"}),
        (("style", "colours"), {"tanh": "#000000", "relu": "#0072B2"}, {"plot_job"}),
        (("decoders", "test_deviations"), [2], {"measure_job"}),
        (("decoders", "regularisation"), 0.5, {"measure_job"}),
        (("figures", "fig02", "step"), 2, {"tabulate_job", "plot_job"}),
        (("sweeps", "noise", "preview"), {"seeds": 2}, set()),
        (
            ("sweeps", "noise", "measures"),
            ["alignment", "ccgp", "decoding", "parallelism"],
            {"measure_job"},
        ),
        (("sweeps", "noise", "steps"), [0, 5], {"train_job", "measure_job", "tabulate_job"}),
        (
            ("sweeps", "noise", "task", "noise_variance"),
            [0.0, 1.0, 9.0],
            {"train_job", "measure_job", "tabulate_job"},
        ),
        (
            ("sweeps", "noise", "task", "delta"),
            [0.0, 0.7, 1.0],
            {"prepare_job", "train_job", "measure_job", "tabulate_job"},
        ),
    ],
    ids=lambda part: ".".join(part) if isinstance(part, tuple) else "",
)
def test_a_change_changes_the_jobs_that_depend_on_it_and_no_others(values, path, value, affected):
    before = jobs(plan(values))
    *folders, last = path
    place = values
    for folder in folders:
        place = place.setdefault(folder, {})
    place[last] = value
    assert changed(before, jobs(plan(values))) == affected


def test_a_change_to_one_sweep_leaves_the_jobs_of_other_families_alone(values, families):
    before = jobs(plan(values))
    values["sweeps"]["noise"]["training"] = {"batch": 20, "samples": 40, "learning_rate": 0.2}
    after = jobs(plan(values))
    touched = {about[1] for about in before if before[about] != after[about]}
    assert touched == {families["separable"], product("fig03")}


def test_a_seed_more_is_a_shard_more_and_changes_no_other_shard(values, families):
    before = jobs(plan(values))
    values["sweeps"]["random"]["seeds"] = 3
    after = jobs(plan(values))
    new = {(kind, families["unstructured"], 2) for kind in (*SHARD_JOBS, "prepare_job")}
    assert after.keys() - before.keys() == new
    assert {about for about in before if before[about] != after[about]} == {
        ("tabulate_job", product("fig01"))
    }


def test_an_activation_more_changes_no_task(values):
    before = jobs(plan(values))
    values["sweeps"]["noise"]["network"]["activation"] = "tanh"
    # The figure's, too: its style has the colours of the activations that it draws.
    shown = {"train_job", "measure_job", "tabulate_job", "plot_job"}
    assert changed(before, jobs(plan(values))) == shown


def test_a_figure_reads_the_shards_of_its_sweeps_alone(values, families):
    values["sweeps"]["delta_paths"]["seeds"] = 3
    shards = {name: plan(values).shards_of(product(name)) for name in values["figures"]}
    assert shards == {
        "fig01": [Shard("clusters", families["unstructured"], seed) for seed in (0, 1)],
        "fig02": [Shard("clusters", families["separable"], seed) for seed in (0, 1, 2)],
        "fig03": [Shard("clusters", families["separable"], seed) for seed in (0, 1)],
    }


def test_the_preview_is_marked_on_its_figures_and_kept_apart(values):
    whole, preview = plan(values), plan(values | {"preview": True})
    assert not whole.plot_job(product("fig01")).preview
    assert preview.plot_job(product("fig01")).preview
    assert (whole.results, preview.results) == ("results", "results/preview")
    assert str(whole.store) == str(preview.store) == "results/store"


def test_a_config_of_ones_own_has_its_preview_in_its_own_folder(values):
    whole, preview = (Plan(read_config(values | {"preview": p}), "results/own/x") for p in (0, 1))
    assert (whole.results, preview.results) == ("results/own/x", "results/own/x/preview")
    assert str(whole.store) == str(preview.store) == "results/store"


def test_a_sweep_that_no_figure_draws_is_trained_and_measured(values):
    drawn = plan(values)
    assert drawn.data_sweeps == []
    del values["figures"]["fig01"]
    rest = plan(values)
    assert rest.data_sweeps == list(map(product, ["random", "random_paths"]))
    names = ["fig02", "fig03", "random", "random_paths"]
    assert rest.products == list(map(product, names))
    assert rest.shards == drawn.shards
    files = expected_files(rest)
    assert {files[path].stage for path in rest.files(product("random"))} == {"measure"}
    both = rest.networks(product("random")) | rest.networks(product("random_paths"))
    assert both == drawn.networks(product("fig01"))


def test_what_one_file_should_be_is_found_without_the_jobs_of_others(values, monkeypatch):
    """A job on a cluster does this, and there may be thousands of jobs."""
    asked = plan(values)
    made, train_job = [], asked.train_job
    monkeypatch.setattr(asked, "train_job", lambda shard: made.append(shard) or train_job(shard))
    files = expected_files(asked)
    assert made == []
    metrics = next(path for path in files if path.match("metrics/*/*/seed-1.parquet"))
    assert files[metrics] == files[metrics] == expected_files(plan(values))[metrics]
    [shard] = made
    assert shard.seed == 1


def test_a_config_may_draw_no_figure(values):
    del values["figures"]
    assert [product.name for product in plan(values).products] == list(values["sweeps"])
    assert "plot" not in {wanted.stage for wanted in expected_files(plan(values)).values()}


def test_claims_are_judged_if_the_config_draws_a_figure_that_they_are_about(values):
    assert plan(values).judged == ["structure"]
    values["figures"] = {"mine": values["figures"]["fig03"] | {"draw": "fig03"}}
    assert plan(values).judged == [], "no claim is about a figure of this name"


def test_without_preview_a_sweep_previews_its_first_seed(values):
    del values["sweeps"]["noise"]["preview"]
    whole, preview = plan(values), plan(values | {"preview": True})
    [sweep], [of_whole] = (each.studies["structure"].sweeps["noise"] for each in (preview, whole))
    assert sweep.seeds == 1
    assert sweep.task == of_whole.task


def test_the_jobs_of_a_sweep_that_the_preview_does_not_coarsen_are_those_of_the_whole(values):
    whole, preview = plan(values), plan(values | {"preview": True})
    for kind in SHARD_JOBS:
        for shard in preview.shards:
            assert getattr(preview, kind)(shard) == getattr(whole, kind)(shard)


def test_each_job_holds_the_code_of_its_stage_and_of_what_it_names(values):
    for job in jobs(plan(values)).values():
        modules = job.modules()
        assert modules[0] == f"stages.{job.stage}"
        assert job.code == code(*sorted({*modules}))


def test_accepted_code_stands_for_the_code_that_it_replaces(values):
    before = jobs(plan(values))
    codes = {job.code for about, job in before.items() if about[0] == "train_job"}
    values["accept_code"] = {"train": dict.fromkeys(codes, "0123456789ab")}
    after = jobs(plan(values))
    assert changed(before, after) == {"train_job"}
    for about, job in after.items():
        if about[0] == "train_job":
            assert job.code == "0123456789ab"


def test_an_acceptance_of_code_that_is_not_there_changes_nothing(values):
    before = jobs(plan(values))
    values["accept_code"] = {"train": {"000000000000": "0123456789ab"}}
    assert jobs(plan(values)) == before


def test_the_networks_of_the_figures_keep_the_keys_of_the_first_release(config_values):
    """Frozen: under another key no stored network would be found, and all be trained again."""
    specs = [
        spec
        for _, _, sweep in read_config(config_values).sweeps()
        if sweep.experiment == "clusters"
        for spec in sweep.specs()
    ]
    keys = sorted({spec.key for spec in specs})
    assert len(keys) == 1513
    assert hashlib.sha256(" ".join(keys).encode()).hexdigest()[:16] == "c8e80264f45bb36b"


def test_a_product_that_the_config_does_not_have_is_refused_with_those_it_has(values):
    of = plan(values)
    allowed = ", ".join(product.name for product in of.products)
    with pytest.raises(Refused) as refused:
        of.product("fig99", "FIGURE")
    assert str(refused.value) == f"FIGURE: found 'fig99', allowed: {allowed}"
    with pytest.raises(Refused, match=r"^FIGURE: missing, allowed: "):
        of.product("", "FIGURE")
    assert {of.product(product.name, "FIGURE") for product in of.products} == {*of.products}
