"""Measures of networks whose geometry is known, because it was put in by hand."""

import warnings

import numpy as np
import pytest
from selections import some
from stages import run as run_stage

from repatlas.artifacts.files import METRICS_SCHEMA, Arrays, Unreadable, read_table, write_arrays
from repatlas.artifacts.recipes.networks import MeasureJob
from repatlas.config.config import read_config
from repatlas.experiments.clusters.represent import Checkpoint, Inputs, SeedSamples
from repatlas.experiments.clusters.samples import balanced_samples
from repatlas.experiments.clusters.size import measuring
from repatlas.experiments.clusters.spec import Spec
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.experiments.clusters.training import training_noise
from repatlas.geometry import decoding_accuracy, matched_ccgp
from repatlas.named import named
from repatlas.networks.mlp import initial_parameters
from repatlas.plan.plan import Plan
from repatlas.representation import Decoders, trained_dichotomies
from repatlas.stages import measure, prepare, train

INPUTS = 16
DECODERS = Decoders(test_deviations=[0.5, 1.0], train_samples=200, test_samples=200)


def samples(clusters=4, number=200):
    return SeedSamples(
        balanced_samples(0, "test training", number, clusters, INPUTS),
        balanced_samples(0, "decoder training", number, clusters, INPUTS),
        balanced_samples(0, "decoder test", number, clusters, INPUTS),
    )


def checkpoint(
    weights, bias, activation="relu", delta=0.7, scale=1.0, noise_variance=1.0, network=(), **more
):
    """Return a network with these weights on separable clusters, moved apart by `scale`. Parameters
    that are not among `more` have their values before training."""
    spec = Spec.model_validate(
        {
            "task": {
                "kind": "separable",
                "inputs": INPUTS,
                "delta": delta,
                "noise_variance": noise_variance,
            },
            "network": {"activation": activation, "width": len(weights)} | dict(network),
        }
    )
    task = spec.task.draw(0)
    task = task._replace(centres=scale * task.centres)
    given = {"weights1": np.asarray(weights), "bias1": np.asarray(bias), **more}
    parameters = initial_parameters(0, spec.network, INPUTS, targets=1) | given
    return Checkpoint(spec, Inputs(task, samples()), parameters, DECODERS)


def axes():
    return Separable(kind="separable", inputs=INPUTS).draw(0).axes


def copies_inputs(**changes):
    """Return a network whose neurons are its inputs. With their large bias ReLU never bends."""
    return checkpoint(np.eye(INPUTS), np.full(INPUTS, 1000.0), **changes)


def codes_the_label(**changes):
    """Return a network whose neurons see only the inter-class axis, with the sign of the
    readout."""
    inter = axes()[0]
    weights = np.concatenate([np.tile(inter, (4, 1)), np.tile(-inter, (4, 1))])
    return checkpoint(weights, np.zeros(8), activation="tanh", **changes)


def what(row):
    return row.measure, row.variant, row.deviation


def values(name, network, decoders=DECODERS):
    """Return the values of a measure for rows about the whole network, by its number, the variant
    unless it is "samples", and the noise in the samples, if any."""
    return {
        tuple(part for part in what(row) if part not in ("samples", None)): row.value
        for row in named("measures", name).rows(network, decoders)
        if row.neuron is None and row.cluster is None
    }


def test_a_network_that_copies_its_inputs_has_their_geometry():
    found = values("alignment", copies_inputs(delta=0.5))
    assert found["input_alignment", "centres"] == pytest.approx(1)
    expected = 0.5**2 / np.sqrt(2 + 0.5**4)
    assert found["target_alignment", "centres"] == pytest.approx(expected)
    assert found["input_output_alignment", "centres"] == pytest.approx(expected)
    assert found["participation_ratio", "centres"] == pytest.approx(2.25**2 / 2.0625)


def test_a_network_that_copies_its_inputs_has_collapsed_no_more_than_they():
    """The inputs' clusters have the variance 2 + delta^2, and delta^2 between classes."""
    network = copies_inputs(delta=0.5, noise_variance=0.25)
    found = values("collapse", network)
    assert found["nc1", "centres"] == pytest.approx(0, abs=1e-12)
    assert found["within_share", "centres"] == pytest.approx(2 / 2.25)
    chance = found["within_share", "centres, labels permuted"]
    assert chance == pytest.approx(2 / 3)
    hidden, conditions = network.samples("training", 0.5)
    means = np.stack([hidden[conditions // 2 == c].mean(axis=0) for c in (0, 1)])
    line = (means[0] - means[1]) / np.linalg.norm(means[0] - means[1])
    along = np.mean([np.var(hidden[conditions // 2 == c] @ line) for c in (0, 1)])
    nc1 = 2 * along / np.sum((means[0] - means[1]) ** 2)
    assert found["nc1", "training"] == pytest.approx(nc1)
    assert found["within_share", "training"] > found["within_share", "centres"]
    assert found["feature_norm", "centres"] == pytest.approx(
        np.linalg.norm(network.layers[-1], axis=1).mean()
    )
    # The means of two classes are opposite whatever a network does.
    assert not [name for name, *_ in found if name.startswith("nc2")]


def test_a_network_that_codes_the_label_alone_has_collapsed():
    found = values("collapse", codes_the_label(scale=20))
    for name in ("nc1", "within_share", "nc3", "nc4"):
        assert found[name, "centres"] == pytest.approx(0, abs=1e-8)
        assert found[name, "training"] == pytest.approx(0, abs=1e-6)
    assert found["class_cosine", "centres"] == pytest.approx(-1)
    assert found["feature_norm", "centres"] == pytest.approx(np.sqrt(8))


def test_target_alignment_is_the_collapse_of_the_clusters():
    network = codes_the_label(delta=0.3)
    found = values("collapse", network)
    alignment = values("alignment", network)["target_alignment", "centres"]
    odds = found["within_share", "centres"] / (1 - found["within_share", "centres"])
    assert 1 - found["within_share", "centres"] <= alignment + 1e-12
    assert alignment <= 1 / np.sqrt(1 + odds**2 / 2)


def test_classes_of_several_targets_are_combinations_of_their_labels():
    """Four clusters with two targets are four classes, whose label words are a square: means of
    equal lengths, at the cosines 0, 0 and -1 instead of -1/3. A network with a neuron for each
    target and a readout of single neurons is dual to itself."""
    spec = Spec.model_validate(
        {
            "task": {"kind": "unstructured", "inputs": INPUTS, "targets": 2, "noise_variance": 0.0},
            "network": {"activation": "tanh", "width": 2, "readout": "normal"},
        }
    )
    task = spec.task.draw(0)
    words = np.where(task.labels > 0, 1.0, -1.0)
    weights = (np.linalg.pinv(task.centres) @ (30 * words)).T
    parameters = {"weights1": weights, "bias1": np.zeros(2), "readout": np.eye(2)}
    network = Checkpoint(spec, Inputs(task, samples()), parameters, DECODERS)
    found = values("collapse", network)
    assert found["nc2_norms", "training"] == pytest.approx(0, abs=1e-9)
    assert found["nc2_angles", "training"] == pytest.approx(4 / 9)
    for name in ("nc1", "within_share", "nc3", "nc4"):
        assert found[name, "training"] == pytest.approx(0, abs=1e-9)
    # Each cluster is a class: another order of the labels is the same division.
    assert np.isnan(found["within_share", "training, labels permuted"])


def test_classes_with_one_mean_have_a_reason_instead_of_collapse():
    """At delta = 0 an odd network has both class means at 0."""
    network = checkpoint(np.eye(INPUTS), np.zeros(INPUTS), activation="tanh", delta=0.0)
    by_name = {
        row.measure: row
        for row in named("measures", "collapse").rows(network, DECODERS)
        if row.variant == "centres"
    }
    assert np.isnan(by_name["nc1"].value)
    assert by_name["within_share"].value == pytest.approx(1)
    assert "is the mean of all class means" in by_name["nc1"].reason


def test_alignment_from_sample_means_comes_close_to_that_at_the_centres():
    found = values("alignment", copies_inputs(scale=50))
    assert found["input_alignment", "sample means", 0.5] == pytest.approx(1, abs=1e-4)
    assert found["input_alignment", "sample means", 0.5] != found["input_alignment", "centres"]


def test_a_network_that_codes_the_label_alone_has_the_geometry_of_the_target():
    network = codes_the_label(scale=20)
    alignment = values("alignment", network)
    assert alignment["target_alignment", "centres"] == pytest.approx(1)
    assert alignment["target_alignment", "sample means", 0.5] == pytest.approx(1, abs=1e-6)
    assert alignment["participation_ratio", "centres"] == pytest.approx(1)
    assert values("parallelism", network)["parallelism", "centres"] == pytest.approx(1)
    assert set(values("ccgp", network).values()) == {1.0}
    accuracy = values("accuracy", network)
    assert {accuracy["accuracy", which] for which in ("test", "centres")} == {1.0}
    decoding = values("decoding", network)
    assert decoding["decoding_trained", 1.0] == 1
    assert decoding["decoding_untrained", 1.0] == pytest.approx(0.5, abs=0.1)


def test_at_xor_a_copy_of_the_inputs_has_antiparallel_codes_and_generalises_wrongly():
    network = copies_inputs(delta=0.0, scale=20)
    assert values("parallelism", network)["parallelism", "centres"] == pytest.approx(-1)
    ccgp = values("ccgp", network)
    assert max(ccgp.values()) == 0
    decoding = values("decoding", network)
    assert decoding["decoding_trained", 0.5] < 0.8  # no plane separates XOR
    assert decoding["decoding_untrained", 0.5] == 1


def test_at_delta_1_every_dichotomy_of_a_copy_of_the_inputs_is_decodable():
    assert set(values("decoding", copies_inputs(delta=1.0, scale=20)).values()) == {1.0}


def test_decoders_are_scored_on_other_samples_than_they_are_fitted_on():
    found = copies_inputs()
    fitted, scored = (found.samples(split, 1.0) for split in ("fitted", "scored"))
    assert not np.any(np.isin(fitted[0], scored[0]))


def test_decoders_get_the_noise_of_each_test_deviation_whatever_the_training_noise():
    quiet, loud = copies_inputs(noise_variance=0.0), copies_inputs(noise_variance=9.0)
    for deviation in (0.5, 1.0):
        (one, clusters), (other, _) = (net.samples("fitted", deviation) for net in (quiet, loud))
        assert np.array_equal(one, other)
        noise = one - quiet.layers[-1][clusters]
        assert noise.std() == pytest.approx(deviation, rel=0.05)


def test_accuracy_and_loss_are_those_of_the_readout():
    network = codes_the_label(noise_variance=0.0, scale=3)
    weights, bias, readout = (network.parameters[n] for n in ("weights1", "bias1", "readout"))
    logits = np.tanh(network.task.centres @ weights.T + bias) @ readout[0]
    y = network.task.labels[:, 0]
    probability = 1 / (1 + np.exp(-logits))
    cross_entropy = -np.mean(y * np.log(probability) + (1 - y) * np.log(1 - probability))
    found = values("training_scores", network) | values("accuracy", network)
    assert found["loss", "training"] == pytest.approx(cross_entropy)
    assert found["accuracy", "training"] == found["accuracy", "centres"] == 1


def test_the_bias_of_a_trained_readout_counts():
    """So large a bias that every output is the positive class."""
    changes = {"network": {"readout": "trained"}, "output_bias": np.array([100.0])}
    network = codes_the_label(scale=20, **changes)
    found = values("training_scores", network) | values("accuracy", network)
    assert {found["accuracy", variant] for variant in ("training", "test", "centres")} == {0.5}
    assert found["loss", "training"] == pytest.approx(50, rel=0.2)


DEEP = {"depth": 2, "readout": "trained"}


def test_the_patterns_of_a_deep_network_are_those_of_its_last_hidden_layer():
    rng = np.random.default_rng(0)
    above = {"weights2": rng.standard_normal((8, 8)), "bias2": rng.standard_normal(8)}
    network = codes_the_label(network=DEEP, **above)
    first = codes_the_label().layers[-1]
    expected = np.tanh(first @ above["weights2"].T + above["bias2"])
    assert [layer.shape for layer in network.layers] == [(4, 8), (4, 8)]
    assert network.layers[0] == pytest.approx(first)
    assert network.layers[-1] == pytest.approx(expected)
    still, clusters = network.samples("scored", 0.0)
    assert still == pytest.approx(expected[clusters])


def test_a_deep_network_has_the_geometry_of_its_last_hidden_layer_whatever_lies_below():
    """Below, a copy of the inputs at XOR; above it, the label alone: b1 b2 from |b1 + b2|."""
    _, intra, other_intra = axes()
    below = np.zeros((INPUTS, INPUTS))
    below[:4] = np.stack([intra, -intra, other_intra, -other_intra])
    above = np.zeros((INPUTS, INPUTS))
    above[:, :4] = np.outer(np.where(np.arange(INPUTS) < INPUTS // 2, 1, -1), [1, 1, -1, -1])
    more = {"weights2": above, "bias2": np.full(INPUTS, 1000.0), "network": {"depth": 2}}
    network = checkpoint(below, np.zeros(INPUTS), "relu", delta=0.0, scale=20, **more)
    assert values("alignment", network)["target_alignment", "centres"] == pytest.approx(1)
    assert set(values("ccgp", network).values()) == {1.0}
    accuracy = values("accuracy", network)
    assert {accuracy["accuracy", which] for which in ("test", "centres")} == {1.0}
    shallow = checkpoint(below, np.zeros(INPUTS), "relu", delta=0.0, scale=20)
    assert values("alignment", shallow)["target_alignment", "centres"] < 0.9


def test_a_network_that_takes_one_class_for_the_other_has_accuracy_0():
    network = codes_the_label(scale=20)
    network.parameters["readout"] = -network.parameters["readout"]
    found = values("training_scores", network) | values("accuracy", network)
    assert {found["accuracy", variant] for variant in ("training", "test", "centres")} == {0.0}


@pytest.mark.parametrize("factor", [0.01, 30.0])
def test_rescaled_ccgp_ignores_the_scale_of_the_activity(factor):
    weights = np.random.default_rng(0).standard_normal((12, INPUTS))
    found, scaled = (
        values("rescaled_ccgp", checkpoint(f * weights, np.zeros(12), "relu")) for f in (1, factor)
    )
    for deviation in (0.5, 1.0):
        key = ("rescaled_ccgp", deviation)
        assert scaled[key] == pytest.approx(found[key], abs=1e-9)


def test_the_decoders_of_the_study_see_the_activity_as_it_is():
    weights = 30 * np.random.default_rng(0).standard_normal((12, INPUTS))
    network = checkpoint(weights, np.zeros(12), "relu")
    (hidden, conditions), scored = (network.samples(s, 1.0) for s in ("fitted", "scored"))
    (dichotomy,) = trained_dichotomies(network.targets)
    by_scale = {
        scale: (
            matched_ccgp(hidden, conditions, dichotomy, scale=scale),
            decoding_accuracy((hidden, conditions), scored, dichotomy, scale=scale),
        )
        for scale in (None, "rms")
    }
    found = values("ccgp", network) | values("decoding", network)
    assert (found["ccgp", 1.0], found["decoding_trained", 1.0]) == by_scale[None]
    assert by_scale[None] != by_scale["rms"]


def test_the_regularisation_of_the_decoder_is_that_of_the_settings():
    network = codes_the_label()
    weak = DECODERS.model_copy(update={"regularisation": 1e-6})
    network.parameters["weights1"] = np.random.default_rng(0).standard_normal((8, INPUTS))
    assert values("ccgp", network) != values("ccgp", network, weak)


def test_selectivity_counts_the_neurons_with_positive_readout_that_lie_nearer_the_inter_axis():
    inter, intra, other = axes()
    positive = [inter, inter + 0.9 * intra, inter - 1.1 * intra, -inter]
    negative = [inter, inter, inter, 5 * other]
    network = checkpoint(np.stack(positive + negative), np.zeros(8))
    rows = list(named("measures", "selectivity").rows(network, DECODERS))
    assert values("selectivity", network) == {("inter_selective", "fraction"): 0.5}
    along = {
        variant: {r.neuron: r.value for r in rows if (r.measure, r.variant) == ("weight", variant)}
        for variant in ("inter", "intra")
    }
    assert along["inter"] == pytest.approx({0: 1, 1: 1, 2: 1, 3: -1})
    assert along["intra"] == pytest.approx({0: 0, 1: 0.9, 2: -1.1, 3: 0}, abs=1e-12)


def test_selectivity_tells_where_the_centres_stand_on_the_axes():
    network = checkpoint(np.eye(INPUTS), np.zeros(INPUTS), delta=0.5)
    rows = [
        row
        for row in named("measures", "selectivity").rows(network, DECODERS)
        if row.measure == "centre"
    ]
    side, height = np.sqrt(2 * INPUTS / 3), 0.5 * np.sqrt(INPUTS / 3)
    expected = {
        "inter": [height, height, -height, -height],
        "intra": [side, -side, 0, 0],
        "other intra": [0, 0, side, -side],
    }
    for variant, coordinates in expected.items():
        found = [row.value for row in rows if row.variant == variant]
        assert found == pytest.approx(coordinates, abs=1e-9)
        assert [row.cluster for row in rows if row.variant == variant] == [0, 1, 2, 3]


def test_tuning_is_the_part_of_the_weights_along_each_centre():
    centres = checkpoint(np.eye(INPUTS), np.zeros(INPUTS)).task.centres
    network = checkpoint(3 * centres, np.zeros(4))
    rows = list(named("measures", "tuning").rows(network, DECODERS))
    found = np.zeros((4, 4))
    for row in rows:
        if row.measure == "tuning":
            found[row.neuron, row.cluster] = row.value
    lengths = np.linalg.norm(centres, axis=1)
    cosines = centres @ centres.T / lengths / lengths[:, None]
    assert found == pytest.approx(3 * lengths[:, None] * cosines)
    readouts = [(row.neuron, row.variant, row.value) for row in rows if row.measure == "readout"]
    assert readouts == [
        (n, "target 0", pytest.approx(w)) for n, w in enumerate([0.5, 0.5, -0.5, -0.5])
    ]


@pytest.mark.parametrize("clusters", [4, 6])
@pytest.mark.parametrize("number", [40, 41, 43])
def test_decoder_samples_are_equally_many_of_each_cluster(clusters, number):
    found = balanced_samples(0, "decoder test", number, clusters, INPUTS)
    counts = np.bincount(found.conditions, minlength=clusters)
    assert np.all(counts == number // clusters)
    assert found.noise.shape == (clusters * (number // clusters), INPUTS)


def test_decoder_samples_are_standard_normal_and_not_those_of_training():
    number = 2000
    noise = [
        balanced_samples(0, "decoder training", number, 4, INPUTS).noise,
        balanced_samples(0, "decoder test", number, 4, INPUTS).noise,
        training_noise(0, number, INPUTS),
    ]
    assert noise[0].mean() == pytest.approx(0, abs=0.03)
    assert noise[0].std() == pytest.approx(1, abs=0.03)
    correlations = np.corrcoef(np.stack(noise).reshape(3, -1))
    assert np.abs(correlations - np.eye(3)).max() < 4.5 / np.sqrt(number * INPUTS)


# The stage.


@pytest.fixture
def measured(tmp_path, small_values):
    """What the stage makes of a shard in which one network is silent, one diverged at step 2, and
    the rest are as they were drawn."""
    plan = Plan(read_config(small_values))
    shard = next(shard for shard in plan.shards if shard.family.startswith("unstructured"))
    data, runs, output = (
        tmp_path / name for name in ("data.safetensors", "runs.safetensors", "metrics.parquet")
    )
    run_stage(prepare, plan.data[plan.data_place(shard)], data)

    job = plan.measure_job(shard)
    wanted = job.wanted()
    arrays, about = {}, {}
    rng = np.random.default_rng(0)
    for key, run in wanted.items():
        shape = (len(run.steps), run.spec.network.width)
        arrays[f"{key}/weights1"] = rng.standard_normal((*shape, 10)).astype(np.float32)
        arrays[f"{key}/bias1"] = np.zeros(shape, np.float32)
        basis = {"seed": 0, "code": "x", "data": {}}
        about[key] = {"basis": basis, "steps": run.steps, "diverged_step": None,
                      "converged_step": None}  # fmt: skip
    of = {run.spec.network.activation: key for key, run in wanted.items()}
    arrays[f"{of['relu']}/weights1"][1] = 0
    arrays[f"{of['relu']}/bias1"][1] = -1  # silent at step 2
    arrays[f"{of['tanh']}/weights1"][1:] = np.nan
    about[of["tanh"]]["diverged_step"] = 1
    header = {"runs": about, "identity": "trained", "job": {"seed": shard.seed}}
    write_arrays(runs, "runs", header, arrays)

    arguments = ["--data", str(data), "--runs", str(runs)]
    run_stage(measure, job, output, *arguments)
    _, table = read_table(output, "metrics", METRICS_SCHEMA)
    return of, table.to_pylist(), Arrays(runs, "runs")


def test_a_measure_that_is_not_defined_is_null(measured):
    of, rows, _ = measured
    at_step = {
        (row["measure"], row["variant"], row["step"]): row["value"]
        for row in rows
        if row["run"] == of["relu"] and row["neuron"] is None and row["cluster"] is None
    }
    assert at_step["target_alignment", "centres", 2] is None
    assert at_step["parallelism", "centres", 2] is None
    assert at_step["target_alignment", "centres", 0] is not None
    assert at_step["accuracy", "centres", 2] == 0.5


def test_a_network_has_the_same_rows_whichever_others_are_measured_with_it(
    tmp_path, measured, small_values, monkeypatch
):
    """Networks of one task share their inputs, and what one is measured on is no other's."""
    of, rows, runs = measured
    plan = Plan(read_config(small_values))
    shard = next(shard for shard in plan.shards if shard.family.startswith("unstructured"))
    job, wanted = plan.measure_job(shard), MeasureJob.wanted
    files = ["--data", str(tmp_path / "data.safetensors"), "--runs", str(runs.path)]
    for order in ([key] for key in wanted(job)), [list(reversed(wanted(job)))]:
        alone = []
        for number, keys in enumerate(order):
            monkeypatch.setattr(
                MeasureJob, "wanted", lambda job, keys=keys: {k: wanted(job)[k] for k in keys}
            )
            output = tmp_path / f"{len(keys)}-{number}.parquet"
            run_stage(measure, job, output, *files)
            alone += read_table(output, "metrics", METRICS_SCHEMA)[1].to_pylist()
        for key in of.values():
            assert [r for r in alone if r["run"] == key] == [r for r in rows if r["run"] == key]


def test_after_it_diverged_a_network_has_one_empty_row_for_each_measure(measured, small_values):
    of, rows, _ = measured
    sweeps = [small_values["sweeps"][name] for name in ("random", "random_paths")]
    asked = sorted({name for sweep in sweeps for name in sweep["measures"]})
    rows = [row for row in rows if row["run"] == of["tanh"]]
    assert {row["diverged_step"] for row in rows} == {1}
    lost = [row for row in rows if row["step"] >= 1]
    assert {row["variant"] for row in lost} == {"diverged"}
    assert {row["value"] for row in lost} == {None}
    assert [(row["step"], row["measure"]) for row in lost] == [
        (step, name) for name in asked for step in (2, 5)
    ]
    assert all(row["value"] is not None for row in some(rows) if row["step"] == 0)


def test_a_decoder_that_does_not_converge_is_missing_and_its_network_is_not(shard_files, capsys):
    """Activity of 1e12 is finite, but double precision can't fit a decoder of C = 1 to it."""
    files = shard_files(0)
    runs = files.job.wanted()
    key = next(
        k for k, r in runs.items() if r.spec.network.activation == "relu" and "ccgp" in r.measures
    )

    def enlarge(about, arrays):
        arrays[f"{key}/weights1"][1:] *= np.float32(1e12)

    files.rewrite_runs(enlarge)
    capsys.readouterr()
    files.measure()
    rows = read_table(files.metrics, "metrics", METRICS_SCHEMA)[1].to_pylist()
    rows = [row for row in rows if row["run"] == key]
    assert {row["diverged_step"] for row in rows} == {None}

    missing = {(r["measure"], r["deviation"], r["step"]) for r in rows if r["value"] is None}
    assert missing
    assert missing <= {
        (measure, deviation, step)
        for measure in ("ccgp", "decoding_trained", "decoding_untrained")
        for deviation in (1, 3)
        for step in (2, 5)
    }
    assert {measure for measure, _, _ in missing} == {
        "ccgp",
        "decoding_trained",
        "decoding_untrained",
    }
    log = capsys.readouterr().err
    assert (
        f"network {key}, step 2: ccgp, samples with noise of 1, is missing: the decoder did not "
        "converge." in log
    )


def test_the_few_clusters_of_a_network_are_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values("alignment", copies_inputs())


def test_each_row_belongs_to_its_run_and_seed(measured):
    of, rows, _ = measured
    assert {row["run"] for row in rows} == set(of.values())
    assert {row["seed"] for row in rows} == {0}
    assert {row["step"] for row in rows} == {0, 2, 5}


@pytest.fixture
def shard_files(tmp_path, small_values):
    """The files of the first family's seeds, made as they are asked for."""
    plan = Plan(read_config(small_values))
    first = plan.shards[0]

    class Files:
        def __init__(self, seed):
            shard = first._replace(seed=seed)
            self.job = plan.measure_job(shard)
            self.data, self.runs = (
                tmp_path / f"{kind}-{seed}.safetensors" for kind in ("data", "runs")
            )
            self.metrics = tmp_path / f"metrics-{seed}.parquet"
            made = ["--data", str(self.data), "--device", "cpu"]
            run_stage(prepare, plan.data[plan.data_place(shard)], self.data)
            run_stage(train, plan.train_job(shard), self.runs, *made)

        def measure(self, output=None):
            files = ["--data", str(self.data), "--runs", str(self.runs)]
            run_stage(measure, self.job, output or self.metrics, *files)

        def rewrite_runs(self, change):
            """Write the file of runs with its header and arrays changed."""
            file = Arrays(self.runs, "runs")
            arrays = {name: file[name] for name in file.header["digests"]}
            change(file.header["runs"], arrays)
            write_arrays(self.runs, "runs", file.header, arrays)

    return Files


def test_a_network_whose_weights_are_not_finite_has_diverged_by_that_step(shard_files):
    files = shard_files(0)
    keys = {run.spec.network.activation: key for key, run in files.job.wanted().items()}

    def overflow(about, arrays):
        arrays[f"{keys['tanh']}/weights1"][1, 0, 0] = np.inf

    files.rewrite_runs(overflow)
    files.measure()
    rows = read_table(files.metrics, "metrics", METRICS_SCHEMA)[1].to_pandas()
    assert set(rows[rows["run"] == keys["tanh"]]["diverged_step"]) == {2}
    assert some(rows[rows["run"] != keys["tanh"]]["diverged_step"].isna()).all()


def test_rows_that_are_there_are_kept(shard_files, capsys):
    files = shard_files(0)
    files.measure()
    before = files.metrics.read_bytes()
    capsys.readouterr()
    files.measure()
    assert capsys.readouterr().err.splitlines()[0] == "18 networks of seed 0: rows of 18 kept"
    assert files.metrics.read_bytes() == before


@pytest.mark.parametrize("part", ["seed", "code", "data"])
def test_rows_of_networks_with_another_basis_are_measured_again(shard_files, capsys, part):
    files = shard_files(0)
    files.measure()

    wanted = files.job.wanted()
    changed = sorted(wanted)[:5]

    def change(about, arrays):
        for key in changed:
            about[key]["basis"][part] = "0123456789ab"

    files.rewrite_runs(change)
    capsys.readouterr()
    files.measure()
    log = capsys.readouterr().err.splitlines()
    assert log[0] == "18 networks of seed 0: rows of 13 kept"
    assert log[-2].startswith("measured 5 networks in ")
    decoders = Decoders(train_samples=40, test_samples=40)
    units = sum(measuring(wanted[key].spec, wanted[key].measures, decoders, {}) for key in changed)
    assert log[-1] == f"work: {units}"


def test_metrics_of_another_seed_are_not_taken_for_those_of_this_one(shard_files):
    """Say, a slip of the hand in a shell has put them among the versions of a file."""
    one, other = shard_files(0), shard_files(1)
    strange, own = (one.metrics.with_name(f"{digit * 16}.parquet") for digit in "12")
    one.measure(output=strange)
    other.measure(output=own)
    found = read_table(own, "metrics", METRICS_SCHEMA)[1]
    assert set(found["seed"].to_pylist()) == {1}
    assert found.num_rows == read_table(strange, "metrics", METRICS_SCHEMA)[1].num_rows


@pytest.mark.parametrize("kind", ["data", "runs"])
def test_a_file_of_another_seed_under_the_name_of_this_one_is_refused(shard_files, kind):
    one, other = shard_files(0), shard_files(1)
    getattr(one, kind).write_bytes(getattr(other, kind).read_bytes())
    with pytest.raises(Unreadable, match=rf"{kind}-0.safetensors: holds seed 1, not 0"):
        one.measure()
    assert not one.metrics.exists()


def test_runs_that_lack_a_network_are_refused_by_name(shard_files):
    files = shard_files(0)
    lost = sorted(files.job.wanted())[3]
    files.rewrite_runs(lambda about, arrays: about.pop(lost))
    with pytest.raises(Unreadable, match=f"runs-0.safetensors: lacks network {lost}"):
        files.measure()
    assert not files.metrics.exists()


def test_runs_that_lack_an_array_are_refused_by_name(shard_files):
    files = shard_files(0)
    lost = sorted(files.job.wanted())[3]
    files.rewrite_runs(lambda about, arrays: arrays.pop(f"{lost}/weights1"))
    with pytest.raises(Unreadable, match=f"runs-0.safetensors: has no array {lost}/weights1"):
        files.measure()
