"""What is measured of networks on images: by the stage, and by hand."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from image_configs import on_images
from selections import some
from stages import make_data, make_runs, path_of, run

from repatlas.artifacts import layout
from repatlas.artifacts.files import METRICS_SCHEMA, Arrays, Unreadable, read_table, write_arrays
from repatlas.artifacts.provenance import identity
from repatlas.config.config import read_config
from repatlas.experiments.images.represent import ClassMeans, activity
from repatlas.experiments.images.task import LABELS, class_labels, one_hot
from repatlas.geometry import kernel_alignment
from repatlas.geometry.paired import paired_ccgp, paired_parallelism_score
from repatlas.images.scaled import Images, scale
from repatlas.measures import accuracy, alignment, ccgp, parallelism
from repatlas.networks.architectures import ConvolutionalNetwork
from repatlas.networks.convolutional import build
from repatlas.operations.arguments import Arguments
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import state
from repatlas.plan.plan import Plan
from repatlas.representation import Decoders
from repatlas.stages import measure as stage

SWEEP = {
    "data_set": "digits",
    "network": {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 2},
    "epochs": [0, 3],
    "seeds": 2,
}
DIGITS = Path("results") / layout.DATA.format(experiment="images", data="digits")


@pytest.fixture
def plan_of(config_values):
    def plan(**changes):
        return Plan(read_config(on_images(config_values, SWEEP | changes)))

    return plan


@pytest.fixture
def plan(plan_of):
    return plan_of()


def readout(module):
    return [module.state_dict()[f"readout.{kind}"].numpy() for kind in ("weight", "bias")]


def image_shards(plan):
    return [shard for shard in plan.shards if shard.experiment == "images"]


@pytest.fixture
def measure(plan, tmp_path, monkeypatch):
    """All stages of one seed, in tmp_path; gives the header and the rows of its metrics."""
    monkeypatch.chdir(tmp_path)

    def run_stages(seed=0, between=lambda path: None, *options):
        shard = image_shards(plan)[seed]
        data, runs = make_data(plan, shard), make_runs(plan, shard)
        between(runs)
        metrics = path_of(plan, layout.METRICS, shard)
        files = ["--data", str(data), "--runs", str(runs)]
        run(stage, plan.measure_job(shard), metrics, *files, *options)
        header, table = read_table(metrics, "metrics", METRICS_SCHEMA)
        return header, table.to_pandas()

    return run_stages


def test_every_network_is_measured_before_and_after_training(measure):
    header, rows = measure()
    assert rows["step"].unique().tolist() == [0, 3]
    assert set(rows["run"]) == set(header["runs"])
    assert len(header["runs"]) == 4  # two activations, two pairings
    for _, of_network in rows.groupby(["run", "step"]):
        assert of_network["measure"].value_counts().to_dict() == {
            "target_alignment": 4,
            "input_alignment": 4,
            "accuracy": 1,
            "input_output_alignment": 1,
            "participation_ratio": 1,
            "input_participation_ratio": 1,
            "parallelism": 1,
            "ccgp": 1,
        }


def test_the_metrics_say_how_many_images_there_were(measure):
    header, _ = measure()
    about = header["about"]
    assert about["images"] == about["published"] == {"train": 1437, "test": 360}


def test_layer_0_is_the_input(measure):
    _, rows = measure()
    inputs = rows[rows["layer"] == 0]
    assert inputs.loc[inputs["measure"] == "input_alignment", "value"].tolist() == pytest.approx(
        [1.0] * 8
    )


def test_untrained_networks_know_nothing_and_trained_ones_more(measure):
    _, rows = measure()
    accuracy = rows[rows["measure"] == "accuracy"].groupby("step")["value"].mean()
    assert accuracy[0] == pytest.approx(0.2, abs=0.12)
    assert accuracy[3] > accuracy[0] + 0.1


def test_a_network_that_diverged_has_rows_without_values(measure):
    def diverge(path):
        file = Arrays(path, "runs")
        arrays = {name: file[name] for name in file.header["digests"]}
        key = next(iter(file.header["runs"]))
        file.header["runs"][key]["diverged_step"] = 2
        kept = {k: v for k, v in file.header.items() if k not in ("format", "kind", "digests")}
        write_arrays(path, "runs", kept, arrays)

    _, rows = measure(between=diverge)
    diverged = rows[rows["diverged_step"] == 2]
    assert some(diverged.loc[diverged["step"] == 0, "value"].notna()).all()
    assert some(diverged.loc[diverged["step"] == 3, "value"].isna()).all()
    assert set(diverged.loc[diverged["step"] == 3, "variant"]) == {"diverged"}


def test_a_network_whose_last_step_diverged_has_rows_without_values(measure):
    """The loss of an epoch is from before its last step, and so may still be finite."""

    def diverge(path):
        file = Arrays(path, "runs")
        arrays = {name: file[name] for name in file.header["digests"]}
        key = next(iter(file.header["runs"]))
        arrays[f"{key}/layers.0.0.weight"][1:] = np.nan
        kept = {k: v for k, v in file.header.items() if k not in ("format", "kind", "digests")}
        write_arrays(path, "runs", kept, arrays)

    _, rows = measure(between=diverge)
    diverged = rows[rows["diverged_step"] == 3]
    assert diverged["run"].nunique() == 1
    assert some(diverged.loc[diverged["step"] == 0, "value"].notna()).all()
    assert some(diverged.loc[diverged["step"] == 3, "value"].isna()).all()
    assert set(diverged["step"]) == {0, 3}
    assert some(rows.loc[rows["diverged_step"].isna(), "value"].notna()).all()


def test_runs_of_another_seed_are_refused(measure):
    def swap(path):
        shutil.copy(path.with_stem("seed-0"), path)

    measure(0)
    with pytest.raises(Unreadable, match="holds seed 0, not 1"):
        measure(1, between=swap)


@pytest.fixture(params=["small_cnn", "resnet18"])
def module(request):
    network = ConvolutionalNetwork(architecture=request.param, activation="tanh", width=3, depth=1)
    return build(0, network, (1, 8, 8), LABELS)


@pytest.fixture
def classes(rng):
    return rng.permutation(np.repeat(np.arange(10), 23))


@pytest.fixture
def images(rng, classes):
    pixels = rng.integers(0, 17, (len(classes), 1, 8, 8), dtype=np.uint8)
    return Images(pixels, class_labels("fixed", 0)[classes], *scale(pixels))


def test_class_means_are_those_of_all_images_at_once(module, images, classes):
    found = activity(module, images, classes)
    inputs = torch.from_numpy(images.inputs(slice(None)))
    with torch.no_grad():
        layers = [inputs, *module.representations(inputs)]
        logits = module(inputs)
    assert len(found.means) == len(layers)
    for means, layer in zip(found.means, layers, strict=True):
        flat = layer.flatten(1).numpy()
        for index in range(10):
            np.testing.assert_allclose(means[index], flat[classes == index].mean(0), atol=1e-5)
    np.testing.assert_allclose(found.final, layers[-1].numpy(), atol=1e-5)
    assert found.accuracy == np.mean(logits.argmax(1).numpy() == images.labels)


def test_measuring_changes_no_network(module, images, classes):
    """Batch normalisation would, in training."""
    before = {name: values.clone() for name, values in module.state_dict().items()}
    module.train()
    activity(module, images, classes)
    assert all(
        torch.equal(before[name], values) for name, values in some(module.state_dict().items())
    )


def test_the_measures_are_those_of_the_last_layer(module, images, classes):
    labels = class_labels("random", 5)
    found = activity(module, images, classes)
    seen = ClassMeans(found, classes, labels, readout(module))
    rows = {
        (row.measure, row.layer): row.value
        for module in (accuracy, alignment, ccgp, parallelism)
        for row in module.rows(seen, Decoders(regularisation=1.0))
    }
    last, means = len(found.means) - 1, found.means[-1]
    assert rows["parallelism", last] == paired_parallelism_score(means, labels)
    assert rows["ccgp", last] == paired_ccgp(found.final, classes, labels, 1.0)
    assert rows["target_alignment", last] == pytest.approx(kernel_alignment(means, one_hot(labels)))
    assert rows["input_alignment", last] == pytest.approx(kernel_alignment(means, found.means[0]))
    assert rows["input_output_alignment", None] == pytest.approx(
        kernel_alignment(found.means[0], one_hot(labels))
    )


def test_the_last_layer_and_its_readout_name_as_many_images_right_as_the_network(
    module, images, classes
):
    """Collapse is of the five labels that the network learns, and not of the ten classes."""
    labels = class_labels("random", 5)
    found = activity(module, images._replace(labels=labels[classes]), classes)
    (last,) = ClassMeans(found, classes, labels, readout(module)).last_layers()
    named = (last.features @ last.weights.T + last.intercepts).argmax(axis=1)
    assert np.mean(named == last.classes) == pytest.approx(found.accuracy)
    assert some(last.classes == labels[classes]).all() and len(last.weights) == 5


def test_more_seeds_measure_nothing_again(plan_of):
    def jobs(seeds):
        plan = plan_of(seeds=seeds)
        return {
            shard: (plan.train_job(shard).text, plan.measure_job(shard).text)
            for shard in image_shards(plan)
        }

    few, many = jobs(2), jobs(4)
    assert len(many) == 4
    assert few.items() <= many.items()


def test_the_images_of_another_data_set_under_this_one_s_name_are_refused(
    plan, plan_of, tmp_path, monkeypatch
):
    """Both data sets have the same images, so nothing else could show the difference."""
    monkeypatch.chdir(tmp_path)
    shard, expected = image_shards(plan)[0], expected_files(plan)
    make_runs(plan, shard)
    other = plan_of(data_set="fashion_mnist").data["images", "fashion_mnist"]
    path = expected[DIGITS].path
    file = Arrays(path, "data")
    arrays = {name: file[name] for name in file.header["digests"]}
    job = other.model_dump(mode="json", exclude_none=True)
    header = {"job": job, "identity": identity(other.text), "images": {}, "published": {}}
    write_arrays(path, "data", header, arrays)
    words = Arguments(plan, expected).words(path_of(plan, layout.METRICS, shard))
    with pytest.raises(Unreadable, match=f"{path.name}: is not what its name says"):
        stage.main(words)
    assert state(expected[DIGITS]) == ("damaged", ": is of data fashion_mnist, not digits")


def test_each_data_set_has_an_identity_of_its_own(plan_of):
    expected = [expected_files(plan_of(data_set=name)) for name in ("digits", "stl10")]
    found = [
        wanted.identity
        for files in expected
        for path, wanted in files.items()
        if path.match("data/images/*")
    ]
    assert len(set(found)) == 2
