"""Real recordings and activations, which are not part of the project: see REPATLAS_DATA."""

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from stages import run

from repatlas.artifacts.files import Arrays
from repatlas.artifacts.recipes.networks import PrepareJob
from repatlas.experiments.files.look import look
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_of
from repatlas.experiments.files.prepare import depends_on
from repatlas.experiments.files.represent import Source
from repatlas.experiments.files.spec import Representations
from repatlas.own import decoding_ceiling_of_trials, measure
from repatlas.representation import Decoders
from repatlas.stages import prepare as stage


def seen(values):
    grid = Representations.model_validate(values).grid("it")
    place, wanted = grid.data(grid.families[0], 0)
    wanted |= depends_on(wanted, {})
    job = PrepareJob(experiment="files", data=place, wanted=[json.loads(json.dumps(wanted))])
    path = run(stage, job.with_code({}), Path("results/it.safetensors"))
    data = Arrays(path, "data")
    source = Source(data, 0, Decoders(), "cpu")
    return [source.representation(spec) for spec in grid.specs()], data.header["facts"]


@pytest.fixture
def neurons(recordings, table):
    """Inferotemporal neurons that were not recorded together, a file and a table for each."""
    trials = pq.read_table(recordings / "it_counts.parquet").to_pandas()
    for neuron, of_neuron in trials.groupby("neuron"):
        np.save(f"{neuron}.npy", of_neuron["spikes"].to_numpy())
        image = of_neuron["object"] + " " + of_neuron["position"]
        columns = {"image": image, "object": of_neuron["object"], "position": of_neuron["position"]}
        table(f"{neuron}.csv", **columns)
    return trials, {
        "arrays": "{neuron}.npy",
        "rows": "{neuron}.csv",
        "item": "image",
        "trials": True,
        "pool": "neuron",
        "variables": {"object": None, "position": None},
    }


@pytest.mark.slow
def test_the_page_of_recordings_says_that_nothing_is_coded_before_the_image(recordings, tmp_path):
    script = Path(__file__).parents[3] / "docs/recordings/page.py"
    spec = importlib.util.spec_from_file_location("page", script)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    program.main(recordings / "it_counts.parquet", tmp_path / "new/page.html")
    page = (tmp_path / "new/page.html").read_text()
    before, after = (
        dict(re.findall(r"<td>decoding</td><td>(\w+)</td><td class=\"n\">([\d.]+)</td>", part))
        for part in page.split("<h2>after</h2>")
    )
    assert {name: float(value) for name, value in before.items()} == pytest.approx(
        {"object": 0.47, "position": 0.5}, abs=0.01
    )
    assert {name: float(value) for name, value in after.items()} == pytest.approx(
        {"object": 0.97, "position": 0.8}, abs=0.01
    )


def test_neurons_recorded_alone_are_a_pseudo_population(neurons):
    trials, values = neurons
    (one,), facts = seen(values | {"least_trials": 20})
    counts = trials.groupby(["neuron", "object", "position"]).size().unstack([1, 2], fill_value=0)
    enough = counts[(counts >= 20).all(axis=1)]
    assert one.values.shape == (enough.min().sum(), len(enough))
    assert len(one.targets) == 21
    said = [fact for fact in facts if fact["fact"].endswith(": left out")]
    assert len(said) == len(counts) - len(enough)


def test_condition_means_of_a_pseudo_population_are_near_those_of_all_trials(neurons):
    """Trials are left out at random: the mean rate stays, up to its standard error."""
    trials, values = neurons
    (one,), _ = seen(values | {"least_trials": 20})
    groups = trials.groupby(["object", "position", "neuron"])["spikes"]
    means, deviations = (
        each.unstack()[one.sessions].to_numpy() for each in (groups.mean(), groups.std())
    )
    errors = (one.layers[0] - means) / np.maximum(deviations / np.sqrt(20), 0.05)
    assert np.abs(errors).max() < 2
    assert np.mean(errors == 0) > 0.5  # where no neuron had more than the others


def test_decoders_of_a_pseudo_population_are_below_their_ceiling(neurons):
    """docs/guide/your-data.md has these numbers."""
    (one,), _ = seen(neurons[1])
    shown = np.array(one.table)[one.conditions]
    labels = {"object": shown[:, 0], "position": shown[:, 1]}
    measured = measure(one.values, labels, "trials", measures=["decoding"], draws=1)
    ceiling = decoding_ceiling_of_trials(one.values, labels, splits=1)
    print(one.values.shape, measured.value.round(3).tolist())
    print(ceiling[["measure", "about", "value", "low", "high", "halves"]].round(3))
    assert (measured.value < ceiling.value[:2]).all()
    assert (ceiling.halves < ceiling.value).all()
    assert ceiling.low.min() > 0.9


def test_condition_means_of_two_areas_are_joined_by_their_images(recordings, table):
    means = recordings / "v4_it_means.npz"
    names = [f"image {n}" for n in range(3200)]
    table("images.csv", image=names)
    for area in ("V4data", "ITdata"):
        values = {"arrays": f"{means}/{area}", "rows": "images.csv", "item": "image"}
        (one,), facts = seen(values)
        assert one.values.shape[0] == 3200 and one.values.dtype == np.float32
        assert {fact["fact"]: fact["value"] for fact in facts}["not finite"] == 0


def test_the_first_look_at_real_condition_means(recordings):
    values = array_of(recordings / "v4_it_means.npz", "ITdata")
    found = {fact.fact: fact.value for fact in look(Matrix("IT", values, None, None)).facts}
    assert found["shape"] == "3200 x 168"
    assert found["rank"] == np.linalg.matrix_rank(values - values.mean(axis=0))
    assert found["duplicate rows"] == 3200 - len(np.unique(values, axis=0))


def test_a_real_assembly_is_read_as_it_is(recordings, h5py):
    values = {"arrays": f"{recordings}/alexnet.nc/__xarray_dataarray_variable__"}
    (one,), _ = seen(values)
    assert one.values.shape == (1, 13312)
