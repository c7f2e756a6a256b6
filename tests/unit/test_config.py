"""config.yaml: what it may say, and how it reads when it is refused."""

import json
import re
from typing import get_args

import jsonschema
import pytest
import yaml
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from selections import some

from repatlas.artifacts.recipes.networks import trains
from repatlas.config import schema
from repatlas.config.config import ConfigError, StyleSettings, read_config
from repatlas.config.schema import page, page_of, study_schema
from repatlas.config.study import figures_of
from repatlas.config.sweeps import MeasureName
from repatlas.named import named, names
from repatlas.networks.activation import activation as activation_of
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan

ACTIVATIONS = {name: activation_of(name) for name in names("networks.activations")}

REMOVED = object()


def grid(values, sweep):
    """Return the one grid of a sweep."""
    [found] = read_config(values).studies["structure"].sweeps[sweep]
    return found


def change(values, path, value):
    *folders, last = path.split(".")
    for folder in folders:
        values = values.setdefault(folder, {})
    if value is REMOVED:
        del values[last]
    else:
        values[last] = value


def test_the_config_of_the_repository_is_valid(config_values):
    figures = {f"fig{number:02}" for number in range(1, 11)}
    figures |= {"fig04C", "fig07C", *(f"figS{number}" for number in range(1, 9))}
    assert set(read_config(config_values).studies["structure"].figures) == figures


def test_the_config_of_the_repository_passes_the_schema(config_values):
    jsonschema.validate(config_values, study_schema("structure"))


def test_the_schema_refuses_an_unknown_key_too(config_values):
    config_values["sweeps"]["noise"]["colour"] = "red"
    with pytest.raises(jsonschema.ValidationError, match="colour"):
        jsonschema.validate(config_values, study_schema("structure"))


@pytest.mark.parametrize("file", ["config", "records", *names("studies")])
def test_a_schema_in_the_repository_is_that_of_the_code(repository, file):
    path = repository / f"workflow/schemas/{file}.schema.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored == schema.written(file), f"{path.name} is out of date: run `make format`"


@pytest.mark.parametrize("study", names("studies"))
def test_a_record_of_a_study_that_others_share_is_the_shared_one(study):
    shared, own = schema.written("records")["$defs"], study_schema(study)["$defs"]
    assert shared.keys() & own.keys()
    assert all(own[name] == shared[name] for name in shared.keys() & own.keys())


@pytest.mark.parametrize("study", sorted({*names("studies")} - {"own"}))
def test_the_files_of_schemas_together_accept_the_config_of_a_study_and_refuse_another(
    repository, study
):
    files = (repository / "workflow/schemas").glob("*.json")
    contents = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in files}
    resources = {name: DRAFT202012.create_resource(each) for name, each in contents.items()}
    registry = Registry().with_resources(resources.items())
    check = jsonschema.Draft202012Validator(contents[f"{study}.schema.json"], registry=registry)
    values = yaml.safe_load((repository / f"config/{study}.yaml").read_text(encoding="utf-8"))
    check.validate(values)
    first = next(iter(values["sweeps"]))
    values["sweeps"][first]["network"] = {"wide": 3}
    with pytest.raises(jsonschema.ValidationError, match="wide"):
        check.validate(values)


def test_the_page_of_all_keys_is_that_of_the_code(repository):
    stored = (repository / "docs/reference/config.md").read_text(encoding="utf-8")
    assert stored == page(), "docs/reference/config.md is out of date: run `make format`"


@pytest.mark.parametrize("study", names("studies"))
def test_the_page_of_a_study_has_its_keys_and_links_to_the_others(repository, study):
    path = repository / f"docs/reference/config-{study}.md"
    text = path.read_text(encoding="utf-8")
    assert text == page_of(study), f"{path.name} is out of date: run `make format`"
    shared = (repository / "docs/reference/config.md").read_text(encoding="utf-8")
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert not {*headings} & {*re.findall(r"^### (.+)$", shared, re.MULTILINE)}
    for page_text, anchors in (
        (text, re.findall(r"\]\(#([^)]+)\)", text)),
        (shared, re.findall(r"\]\(\.\./config\.md#([^)]+)\)", text)),
    ):
        titles = re.findall(r"^### (.+)$", page_text, re.MULTILINE)
        assert {*anchors} <= {title.lower().replace(" ", "-") for title in titles}
    assert all(
        f"figure {figure} of {study}" in headings for figure in names(f"studies.{study}.figures")
    )


def test_every_key_of_the_schema_is_described():
    whole = study_schema("structure")
    for record in [whole, *whole["$defs"].values()]:
        for key, entry in record.get("properties", {}).items():
            is_record = "$ref" in json.dumps(entry)  # which describes itself
            assert key in ("kind", "experiment") or is_record or entry.get("description"), (
                f"{record['title']}.{key}"
            )


def test_every_measure_can_be_named_and_every_name_is_a_measure():
    measures = set(names("measures"))
    assert set(get_args(MeasureName)) == measures
    figures = [
        named(f"studies.structure.figures.{name}", "figure").FIGURE
        for name in figures_of("structure")
    ]
    wanted = [role.measures for figure in figures for role in figure.roles.values()]
    assert measures >= set().union(*wanted)


def test_every_activation_has_a_colour_of_its_own_by_default():
    colours = StyleSettings().colours
    assert colours.keys() == ACTIVATIONS.keys()
    assert len(set(colours.values())) == len(colours)


def test_a_colour_that_is_chosen_leaves_the_others_as_they_are(config_values):
    change(config_values, "style.colours.relu", "#123456")
    found = read_config(config_values).style.colours
    assert found == StyleSettings().colours | {"relu": "#123456"}
    assert StyleSettings().colours["relu"] != "#123456"


@pytest.mark.parametrize("text", ["true", "True", True, "1"])
def test_preview_may_come_as_text_from_the_command_line(config_values, text):
    assert read_config(config_values | {"preview": text}).preview is True


@pytest.mark.parametrize("text", ["false", False])
def test_preview_may_be_turned_off_from_the_command_line(config_values, text):
    assert read_config(config_values | {"preview": text}).preview is False


def test_a_number_may_be_written_in_a_way_that_yaml_reads_as_text(config_values):
    change(config_values, "sweeps.noise.training.learning_rate", "1e-3")
    assert grid(config_values, "noise").training.learning_rate == [0.001]


def test_a_batch_need_not_divide_the_samples(config_values):
    change(config_values, "sweeps.noise.training.batch", 300)
    assert grid(config_values, "noise").training.batch == [300]


def test_a_whole_number_may_stand_for_a_real_one(config_values):
    for sweep in ("unstructured", "unstructured_trajectories", "inputs"):
        change(config_values, f"sweeps.{sweep}.task.noise_variance", 2)
    assert grid(config_values, "unstructured").task.noise_variance == [2.0]


# Where the refusal should point, the value to put there, and what the sentence should say.
REFUSALS = [
    # keys
    ("nonsense", 1, "unknown key 'nonsense', allowed: study, sweeps, representations"),
    ("sweeps.noise.colour", 1, "sweeps.noise: unknown key 'colour', allowed: experiment, task"),
    ("sweeps.noise.task.clusters", 4, "sweeps.noise.task: unknown key 'clusters', allowed: noise_"),
    ("figures.fig99", {}, "figures.fig99.draw: found 'fig99', allowed: fig01, fig02, fig03, fig04"),
    (
        "figures.fig01.step",
        0,
        "figures.fig01: unknown key 'step', allowed: draw, sweep, trajectories",
    ),
    ("sweeps.noise.seeds", REMOVED, "sweeps.noise.seeds: missing, and it has no default"),
    ("figures.fig02.step", REMOVED, "figures.fig02.step: missing, and it has no default"),
    (
        "sweeps.noise.network.activation",
        REMOVED,
        "sweeps.noise.network.activation: missing, and it has no default",
    ),
    # types
    (
        "sweeps.noise.seeds",
        "ten",
        "sweeps.noise.seeds: found 'ten', allowed: a whole number, n: the seeds",
    ),
    (
        "sweeps.noise.seeds",
        2.5,
        "sweeps.noise.seeds: found 2.5, allowed: a whole number, n: the seeds are 0",
    ),
    (
        "sweeps.noise.seeds",
        True,
        "sweeps.noise.seeds: found True, allowed: a whole number, n: the seeds are",
    ),
    ("sweeps.noise.steps", 2000, "sweeps.noise.steps: found 2000, allowed: a list"),
    ("sweeps.noise.task.delta", "XOR", "sweeps.noise.task.delta: found 'XOR', allowed: a number"),
    ("sweeps.noise.task.delta", True, "sweeps.noise.task.delta: found True, allowed: a number"),
    ("sweeps.noise.training", 5, "sweeps.noise.training: found 5, allowed: keys with values"),
    ("preview", "maybe", "preview: found 'maybe', allowed: true or false"),
    # limits
    (
        "sweeps.unstructured.task.noise_variance",
        -1,
        "sweeps.unstructured.task.noise_variance: found -1, allowed: at least 0",
    ),
    (
        "sweeps.noise.task.noise_variance",
        [1.0, -0.5],
        "sweeps.noise.task.noise_variance[1]: found -0.5, allowed: at least 0",
    ),
    (
        "sweeps.noise.task.noise_variance",
        float("nan"),
        "sweeps.noise.task.noise_variance: found nan, allowed: a finite number",
    ),
    (
        "sweeps.noise.task.noise_variance",
        float("inf"),
        "sweeps.noise.task.noise_variance: found inf, allowed: a finite number",
    ),
    (
        "sweeps.unstructured.task.clusters",
        5,
        "sweeps.unstructured.task.clusters: found 5, allowed: multiples of 2",
    ),
    (
        "sweeps.noise.task.delta",
        [0.0, 1.5],
        "sweeps.noise.task.delta[1]: found 1.5, allowed: at most 1",
    ),
    (
        "sweeps.noise.task.delta",
        float("nan"),
        "sweeps.noise.task.delta: found nan, allowed: at most 1",
    ),
    ("sweeps.noise.seeds", 0, "sweeps.noise.seeds: found 0, allowed: at least 1"),
    (
        "sweeps.noise.steps",
        [-1, 2000],
        "sweeps.noise.steps[0]: found -1, allowed: at least 0",
    ),
    ("sweeps.noise.network.width", 121, "sweeps.noise.network.width: found 121, allowed: multi"),
    (
        "sweeps.noise.training.learning_rate",
        0,
        "sweeps.noise.training.learning_rate: found 0, allowed: at least 1e-37",
    ),
    (
        "sweeps.noise.training.batch",
        5001,
        "sweeps.noise: training.batch: found 5001, should be at most samples, 5000",
    ),
    (
        "decoders.test_deviations",
        [0.0, 1.0],
        "decoders.test_deviations[0]: found 0.0, allowed: at least 1e-18",
    ),
    ("decoders.train_samples", 4, "decoders.train_samples: found 4, allowed: at least 16"),
    ("style.width", 100, "style.width: found 100, allowed: at most 12"),
    (
        "sweeps.noise.seeds",
        [0, 1],
        "sweeps.noise.seeds: found [0, 1], allowed: a whole number, n: the seeds are 0 to n - 1",
    ),
    # names
    ("sweeps.noise.network.activation", "Tanh", "; did you mean 'tanh'?"),
    ("style.colours.tnah", "#000000", "; did you mean 'tanh'?"),
    (
        "sweeps.noise.network.activation",
        "no_such",
        "sweeps.noise.network.activation: found 'no_such', allowed: 'clipped_relu', 'elu', ",
    ),
    (
        "sweeps.noise.training.optimiser",
        "rmsprop",
        "sweeps.noise.training.optimiser: found 'rmsprop', allowed: 'sgd' or 'adam'",
    ),
    ("sweeps.noise.measures", ["speed"], "sweeps.noise.measures[0]: found 'speed', allowed: 'acc"),
    (
        "sweeps.noise.task.kind",
        "blob",
        "sweeps.noise.task.kind: found 'blob', allowed: aligned, common_separable, separable",
    ),
    (
        "sweeps.noise.task.kind",
        REMOVED,
        "sweeps.noise.task.kind: missing, allowed: aligned, common_separable, separable",
    ),
    ("accept_code", {"trian": {"a": "b"}}, "accept_code.trian"),
    # colours
    (
        "style.colours.tanh",
        "bluish",
        "style.colours.tanh: found 'bluish', allowed: a colour such as",
    ),
    (
        "style.colours.tanh",
        "#D55E0",
        "style.colours.tanh: found '#D55E0', allowed: a colour such as",
    ),
    (
        "style.colours.tanh",
        "#D55E00\n",
        "style.colours.tanh: found '#D55E00\\n', allowed: a colour",
    ),
    (
        "style.colours.tnah",
        "#000000",
        "style.colours.tnah: found 'tnah', allowed: 'clipped_relu', 'elu', 'gelu', ",
    ),
    ("style.colours", ["#000000"], "style.colours: found ['#000000'], allowed: keys with"),
    (
        "figures.fig02.sweep",
        "nothing",
        "figures.fig02.sweep: found 'nothing', allowed: unstructured, unstructured_trajectories,",
    ),
    # lists
    ("sweeps.noise.steps", [], "sweeps.noise.steps: found [], allowed: a list of at least 1"),
    ("sweeps.noise.measures", [], "sweeps.noise.measures: found [], allowed: a list of at least 1"),
    (
        "sweeps.noise.task.delta",
        [],
        "sweeps.noise.task.delta: found [], allowed: a list of at least 1",
    ),
    ("sweeps", {}, "fig01.sweep: found 'unstructured', allowed: a sweep, and there is none"),
    (
        "sweeps.noise.task.delta",
        [0.5, 0.5],
        "sweeps.noise.task.delta: found [0.5, 0.5], should name each value once",
    ),
    (
        "sweeps.noise.steps",
        [5, 5, 2000],
        "sweeps.noise.steps: found [5, 5, 2000], should name each value once",
    ),
    ("sweeps.noise.preview.values", 0, "sweeps.noise.preview.values: found 0, allowed: at least 1"),
    (
        "sweeps.noise.task.delta",
        [0.0, -0.0],
        "sweeps.noise.task.delta: found [0.0, -0.0], should name each value once",
    ),
    (
        "decoders.test_deviations",
        [1, 1.0],
        "decoders.test_deviations: found [1, 1.0], should name each value once",
    ),
    # values that don't go together
    ("sweeps.noise.preview.seeds", 13, "sweeps.noise: preview.seeds should be at most seeds"),
    (
        "figures.fig02.step",
        77,
        "figures.fig02.step: found 77, allowed: the steps of sweep 'separability': [2000]",
    ),
    (
        "figures.fig02.sweep",
        "unstructured",
        "figures.fig02.sweep: found task.kind unstructured in sweep 'unstructured', allowed: sep",
    ),
    (
        "figures.fig02.sweep",
        "noise",
        "figures.fig02.sweep: found task.noise_variance 0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, ",
    ),
    (
        "sweeps.unstructured.training.learning_rate",
        [0.1, 0.2],
        "figures.fig01.sweep: found training.learning_rate 0.1, 0.2, allowed: one value",
    ),
    (
        "sweeps.noise.network.width",
        [100, 120],
        "figures.fig03.sweep: found network.width 100, 120, allowed: one value",
    ),
    (
        "sweeps.noise.measures",
        ["accuracy", "alignment"],
        "figures.fig03.sweep: the sweep should measure ccgp, decoding, parallelism",
    ),
    (
        "sweeps.unstructured_trajectories.measures",
        ["alignment"],
        "figures.fig01.trajectories: the sweep should measure selectivity",
    ),
    (
        "sweeps.dots.task.kernel",
        "maximal",
        "figures.fig04.dots: found task.kernel maximal in sweep 'dots.each[0]', allowed: random",
    ),
    (
        "figures.fig06.lines",
        ["dots", "reshaped"],
        "figures.fig06.lines: found task.kernel random in sweep 'dots.each[0]', allowed: maximal",
    ),
    (
        "sweeps.fates.measures",
        ["accuracy", "alignment", "selectivity"],
        "figures.fig10.weights: the sweep should measure tuning",
    ),
    (
        "sweeps.fates.steps",
        [200, 2000],
        "figures.fig10.weights: the sweep should have 0 in its steps",
    ),
    (
        "sweeps.fates.network.activation",
        ["tanh", "relu"],
        "figures.fig10.weights: found network.activation tanh in sweep 'fates', allowed: relu",
    ),
    (
        "sweeps.deep.training.stop_below",
        None,
        "figures.fig05.layers: the sweep should have training.stop_below",
    ),
    (
        "sweeps.standard.steps",
        [0, 2000],
        "figures.figS2.standard: found steps 0, 2000, allowed: as in figures.figS2.simplified",
    ),
    (
        "sweeps.inputs.steps",
        [5, 2000],
        "figures.figS1.inputs: the sweep should have 0 in its steps",
    ),
    (
        "figures.figS3.separability",
        "noise",
        "figures.figS3.separability: found task.noise_variance 0.0, 0.125, 0.25, 0.5, 1.0, ",
    ),
    (
        "sweeps.dots.decoders.test_deviations",
        [3.0],
        "figures.fig04.dots: the sweep should have 1 in decoders.test_deviations",
    ),
]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [pytest.param(*case, id=f"{case[0]}-{number}") for number, case in enumerate(REFUSALS)],
)
def test_a_refusal_names_the_key_what_was_found_and_what_is_allowed(
    config_values, path, value, sentence
):
    # Most networks have one of twelve random kernels. With two of these the config is read faster.
    config_values["sweeps"]["dots"]["task"]["geometry"] = [0, 1]
    change(config_values, path, value)
    with pytest.raises(ConfigError) as refusal:
        read_config(config_values)
    lines = str(refusal.value).splitlines()
    assert all(line.startswith("config.yaml: ") for line in some(lines))
    assert any(sentence in line for line in lines)


def test_what_a_figure_draws_should_be_measured_at_its_step(config_values):
    config_values["sweeps"]["deep"] |= {
        "measures": ["accuracy"],
        "more_measures": {0: ["alignment"]},
    }
    sentence = "figures.fig05.layers: the sweep should measure alignment at step 23400"
    with pytest.raises(ConfigError, match=sentence):
        read_config(config_values)
    config_values["sweeps"]["deep"]["more_measures"] = {23400: ["alignment"]}
    read_config(config_values)


@pytest.mark.parametrize("key", ["train_samples", "test_samples"])
def test_decoders_need_a_sample_of_each_cluster(config_values, key):
    for sweep in config_values["sweeps"].values():
        sweep.setdefault("decoders", {"test_deviations": [1.0]})[key] = 31
    with pytest.raises(ConfigError, match="should be at least 32, the clusters of sweep"):
        read_config(config_values)


def test_each_of_several_mistakes_has_its_line(config_values):
    change(config_values, "sweeps.noise.seeds", 0)
    change(config_values, "sweeps.unstructured.task.clusters", 5)
    change(config_values, "style.width", "wide")
    with pytest.raises(ConfigError) as refusal:
        read_config(config_values)
    lines = str(refusal.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "style.width",
        "sweeps.unstructured.task.clusters",
        "sweeps.noise.seeds",
    ]


def checkpoints(plan):
    """Return every network, seed and step that a plan trains."""
    return {
        (key, shard.seed, step)
        for shard in plan.shards
        for key, run in plan.train_job(shard).wanted().items()
        for step in run.steps
    }


def test_a_preview_takes_the_first_choices_of_an_axis_of_the_network(config_values):
    sweep = config_values["sweeps"]["noise"]
    sweep["network"]["activation"] = ["relu", "tanh"]
    sweep["preview"] = {"choices": 1}
    study = read_config(config_values | {"preview": True}).studies["structure"]
    assert study.sweeps["noise"][0].coarse().network.activation == ["relu"]


def test_a_preview_has_no_job_for_networks_that_it_leaves_out(config_values):
    config_values["sweeps"]["deep"]["preview"] = {"choices": 2}
    plan = Plan(read_config(config_values | {"preview": True}))
    jobs = [plan.train_job(shard) for shard in plan.shards if trains(shard.experiment)]
    assert all(job.wanted() for job in jobs)


def test_the_preview_is_a_part_of_the_whole(config_values):
    whole = checkpoints(Plan(read_config(config_values)))
    preview = checkpoints(Plan(read_config(config_values | {"preview": True})))
    assert preview < whole
    assert len(preview) < len(whole) / 10


def test_the_preview_keeps_the_measures_figures_and_steps(config_values):
    config = read_config(config_values | {"preview": True})
    for (_, name, whole), (_, same, coarse) in zip(
        config.sweeps(), config.as_trained().sweeps(), strict=True
    ):
        assert (same, coarse.measures, coarse.steps) == (name, whole.measures, whole.steps)
        assert coarse.seeds == whole.preview.seeds


@pytest.mark.parametrize(
    ("values", "chosen"),
    [(1, [0.0]), (2, [0.0, 1.0]), (3, [0.0, 0.5, 1.0]), (4, [0.0, 0.3, 0.7, 1.0]), (99, None)],
)
def test_a_preview_s_values_are_evenly_chosen_from_the_first_to_the_last(
    config_values, values, chosen
):
    config_values["sweeps"]["noise"]["preview"] = {"values": values}
    delta = grid(config_values, "noise").task.delta
    assert grid(config_values, "noise").coarse().task.delta == (chosen or delta)


# `each`.


def test_each_entry_is_a_grid_with_the_rest_in_common(small_values):
    noise = small_values["sweeps"]["noise"]
    task = noise.pop("task")
    first, second = ({"task": task | {"delta": delta}} for delta in ([0.0, 0.5], [1.0]))
    several = noise | {"each": [first, second]}
    apart = small_values["sweeps"] | {"one": noise | first, "two": noise | second}
    del apart["noise"], small_values["figures"]["fig03"]
    together = small_values["sweeps"] | {"noise": several}
    found, wanted = (
        checkpoints(Plan(read_config(small_values | {"sweeps": sweeps})))
        for sweeps in (together, apart)
    )
    assert found == wanted


def test_a_mistake_in_an_entry_is_named_by_its_number(config_values):
    config_values["sweeps"]["lines"]["each"][2]["task"]["clusters"] = 7
    with pytest.raises(ConfigError, match=r"sweeps.lines.each\[2\].task.clusters.*: found 7, allo"):
        read_config(config_values)


@pytest.mark.parametrize("each", [[], 3, [1], {}])
def test_each_is_a_list_of_keys_with_values(config_values, each):
    config_values["sweeps"]["lines"]["each"] = each
    with pytest.raises(ConfigError, match=r"sweeps.lines.* each: allowed: a list of keys"):
        read_config(config_values)


# A figure of another name.


def test_a_figure_may_draw_what_another_draws(config_values):
    config_values["figures"]["mine"] = config_values["figures"]["fig08"] | {"draw": "fig08"}
    plan = Plan(read_config(config_values))
    mine, theirs = (Product("structure", name) for name in ("mine", "fig08"))
    assert plan.plot_job(mine).modules() == plan.plot_job(theirs).modules()
    assert plan.plot_job(mine) != plan.plot_job(theirs)


def test_a_figure_of_no_figure_s_name_is_refused(config_values):
    config_values["figures"]["mine"] = {"sweep": "readouts"}
    with pytest.raises(ConfigError, match=r"figures.mine.draw: found 'mine', allowed: fig01"):
        read_config(config_values)


def test_without_a_preview_each_sweep_is_whole(config_values):
    config = read_config(config_values)
    assert config.as_trained() == config


def test_the_config_cannot_be_changed_once_it_is_read(config_values):
    config = read_config(config_values)
    with pytest.raises(ValueError, match="frozen"):
        config.style = StyleSettings()


def test_a_sweep_changes_the_settings_of_the_decoders_that_it_names(small_values):
    small_values["decoders"] = {"train_samples": 40, "test_samples": 48}
    for sweep in small_values["sweeps"].values():
        sweep["decoders"] = {"test_samples": 56}
    config = read_config(small_values)
    [noise] = config.studies["structure"].sweeps["noise"]
    found = config.decoders_of(noise)
    assert (found.train_samples, found.test_samples) == (40, 56)
