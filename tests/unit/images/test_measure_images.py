"""What is measured of networks on images: by the stage, and by hand."""

import json

import numpy as np
import pytest
import torch
from repatlas.measures.of_images import activity, measured

from repatlas.artifacts.files import METRICS_SCHEMA, Arrays, Unreadable, read_table, write_arrays
from repatlas.config.config import read_config
from repatlas.experiments.images.spec import ConvolutionalNetwork
from repatlas.experiments.images.task import class_labels, one_hot
from repatlas.experiments.images.training import Images, scale
from repatlas.geometry import kernel_alignment
from repatlas.geometry.paired import paired_ccgp, paired_parallelism_score
from repatlas.networks.convolutional import build
from repatlas.plan import Plan, expected_files
from repatlas.stages import measure_images, prepare_images, train_images

SWEEP = {
    "data_set": "digits",
    "network": {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 2},
    "epochs": [0, 3],
    "seeds": 2,
}


@pytest.fixture
def plan(config_values):
    values = {"images": "own", "image_sweeps": {"own": [SWEEP]}}
    return Plan(read_config(config_values | values))


@pytest.fixture
def measure(plan, tmp_path):
    """All stages of one seed, in tmp_path; gives the rows and the header of its metrics."""

    def run(seed=0, between=lambda path: None):
        (family,) = {family for family, _ in plan.image_shards}
        train, test, runs = (
            tmp_path / f"{name}-{seed}.safetensors" for name in ("train", "test", "runs")
        )
        metrics = tmp_path / f"{seed}.parquet"
        job = plan.prepare_images_job("digits")
        prepare_images.main(["--job", job, "--train", str(train), "--test", str(test)])
        files = ["--images", str(train), "--twin", str(tmp_path / "none"), "--output", str(runs)]
        train_images.main(["--job", plan.train_images_job(family, seed), *files])
        between(runs)
        files = ["--train-images", str(train), "--test-images", str(test), "--runs", str(runs)]
        job = plan.measure_images_job(family, seed)
        measure_images.main(["--job", job, *files, "--output", str(metrics)])
        header, table = read_table(metrics, "metrics", METRICS_SCHEMA)
        return header, table.to_pandas()

    return run


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
            "parallelism": 1,
            "ccgp": 1,
        }


def test_the_metrics_say_how_many_images_there_were(measure):
    header, _ = measure()
    assert header["data_set"] == "digits"
    assert header["images"] == header["published"] == {"train": 1437, "test": 360}


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
    assert diverged.loc[diverged["step"] == 0, "value"].notna().all()
    assert diverged.loc[diverged["step"] == 3, "value"].isna().all()
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
    assert diverged.loc[diverged["step"] == 0, "value"].notna().all()
    assert diverged.loc[diverged["step"] == 3, "value"].isna().all()
    assert set(diverged["step"]) == {0, 3}
    assert rows.loc[rows["diverged_step"].isna(), "value"].notna().all()


def test_runs_of_another_seed_are_refused(measure, tmp_path):
    def swap(path):
        path.write_bytes((tmp_path / "runs-0.safetensors").read_bytes())

    measure(0)
    with pytest.raises(Unreadable, match="holds seed 0, not 1"):
        measure(1, between=swap)


@pytest.fixture(params=["small_cnn", "resnet18"])
def module(request):
    network = ConvolutionalNetwork(architecture=request.param, activation="tanh", width=3, depth=1)
    return build(0, network, (1, 8, 8))


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
    assert all(torch.equal(before[name], values) for name, values in module.state_dict().items())


def test_the_measures_are_those_of_the_last_layer(module, images, classes):
    labels = class_labels("random", 5)
    found = activity(module, images, classes)
    rows = {(row.measure, row.layer): row.value for row in measured(found, classes, labels, 1.0)}
    last, means = len(found.means) - 1, found.means[-1]
    assert rows["parallelism", last] == paired_parallelism_score(means, labels)
    assert rows["ccgp", last] == paired_ccgp(found.final, classes, labels, 1.0)
    assert rows["target_alignment", last] == pytest.approx(kernel_alignment(means, one_hot(labels)))
    assert rows["input_alignment", last] == pytest.approx(kernel_alignment(means, found.means[0]))
    assert rows["input_output_alignment", None] == pytest.approx(
        kernel_alignment(found.means[0], one_hot(labels))
    )


def test_more_seeds_measure_nothing_again(config_values):
    def jobs(seeds):
        values = {"images": "own", "image_sweeps": {"own": [SWEEP | {"seeds": seeds}]}}
        plan = Plan(read_config(config_values | json.loads(json.dumps(values))))
        return {
            shard: (plan.train_images_job(*shard), plan.measure_images_job(*shard))
            for shard in plan.image_shards
        }

    few, many = jobs(2), jobs(4)
    assert len(many) == 4
    assert few.items() <= many.items()


def test_training_images_in_the_place_of_the_test_images_are_refused(measure, tmp_path):
    def swap(path):
        content = (tmp_path / "train-0.safetensors").read_bytes()
        (tmp_path / "test-0.safetensors").write_bytes(content)

    with pytest.raises(Unreadable, match="holds the train images, not the test images"):
        measure(between=swap)


def test_the_two_splits_have_identities_of_their_own(plan):
    files = expected_files(plan)
    splits = [file.identity for file in files.values() if file.stage == "prepare_images"]
    assert len(set(splits)) == 2
