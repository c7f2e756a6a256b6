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
