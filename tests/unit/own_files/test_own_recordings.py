"""Real recordings and activations, which are not part of the project: see REPATLAS_DATA."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from file_data import file_of, wanted_of

from repatlas.experiments.files.represent import Source
from repatlas.experiments.files.spec import Representations
from repatlas.own import decoding_ceiling_of_trials, measure
from repatlas.representation import Decoders


def means_of(one):
    rows = [one.values[one.conditions == number] for number in np.unique(one.conditions)]
    return np.array([each.mean(axis=0, dtype=float) for each in rows])


def seen(values):
    grid = Representations.model_validate(values).grid("it")
    data = file_of(wanted_of(grid)[grid.families[0]], "it")
    source = Source(data, 0, Decoders(), "cpu")
    return [source.representation(spec) for spec in grid.specs()], data.header["said"]


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
        dict(re.findall(r"<td>decoding</td>\s*<td>(\w+)</td>\s*<td>([\d.]+)</td>", part))
        for part in page.split("<h2>after</h2>")
    )
    assert {name: float(value) for name, value in before.items()} == pytest.approx(
        {"object": 0.48, "position": 0.51}, abs=0.01
    )
    assert {name: float(value) for name, value in after.items()} == pytest.approx(
        {"object": 0.97, "position": 0.81}, abs=0.01
    )


def test_neurons_recorded_alone_are_a_pseudo_population(neurons):
    trials, values = neurons
    (one,), said = seen(values | {"least_trials": 20})
    counts = trials.groupby(["neuron", "object", "position"]).size().unstack([1, 2], fill_value=0)
    enough = counts[(counts >= 20).all(axis=1)]
    assert one.values.shape == (enough.min().sum(), len(enough))
    assert len(one.table) == 21
    assert sum("left out" in line for line in said) == len(counts) - len(enough)


def test_condition_means_of_a_pseudo_population_are_near_those_of_all_trials(neurons):
    """Trials are left out at random: the mean rate stays, up to its standard error."""
    trials, values = neurons
    (one,), _ = seen(values | {"least_trials": 20})
    groups = trials.groupby(["object", "position", "neuron"])["spikes"]
    means, deviations = (
        each.unstack()[one.sessions].to_numpy() for each in (groups.mean(), groups.std())
    )
    errors = (means_of(one) - means) / np.maximum(deviations / np.sqrt(20), 0.05)
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
        (one,), _ = seen(values)
        assert one.values.shape[0] == 3200 and one.values.dtype == np.float32


def test_a_real_assembly_is_read_as_it_is(recordings, h5py):
    values = {"arrays": f"{recordings}/alexnet.nc/__xarray_dataarray_variable__"}
    (one,), _ = seen(values)
    assert one.values.shape == (1, 13312)
