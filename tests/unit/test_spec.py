import pytest
from pydantic import ValidationError
from selections import some

from repatlas.experiments.clusters.spec import Spec, canonical, geometry_key
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.networks.mlp import Network
from repatlas.record import Number

TANH, RELU = {"activation": "tanh"}, {"activation": "relu"}
UNSTRUCTURED, SEPARABLE = {"kind": "unstructured"}, {"kind": "separable"}


def spec(task=SEPARABLE, network=TANH, training=None):
    return Spec.model_validate({"task": task, "network": network, "training": training or {}})


# Results are found on disk by these keys. If one changes, trained networks are trained again, or
# worse, other networks are taken for them. A new hyper-parameter must change no key. If a default
# changes its meaning, raise SPEC_VERSION, which changes all keys, and replace the keys here.
PINNED = {
    "b99ef6acb1a3": spec(UNSTRUCTURED),
    "6badd5319865": spec(UNSTRUCTURED, RELU),
    "a320e586c15e": spec(UNSTRUCTURED | {"clusters": 6}),
    "8f5540f424f4": spec(UNSTRUCTURED | {"clusters": 6}, RELU),
    "defcc0c039fd": spec(UNSTRUCTURED | {"inputs": 200, "noise_variance": 0.25}),
    "ae59c5699100": spec(UNSTRUCTURED, TANH | {"width": 40, "hidden_bias": "none"}),
    "78f7d12f3e5b": spec(
        UNSTRUCTURED, training={"learning_rate": 0.01, "batch": 50, "samples": 1000}
    ),
    "6474c7938483": spec(),
    "eda7991941b5": spec(network=RELU),
    "fdc59990573f": spec(SEPARABLE | {"delta": 0.0}),
    "06f62f75be03": spec(SEPARABLE | {"delta": 0.0}, RELU),
    "5dd1a8ecbc37": spec(SEPARABLE | {"delta": 0.5, "noise_variance": 4.0}),
}


@pytest.mark.parametrize(("key", "pinned"), PINNED.items())
def test_the_keys_are_those_of_all_earlier_results(key, pinned):
    assert pinned.key == key


@pytest.mark.parametrize(
    "spelled_out",
    [
        spec(SEPARABLE | {"inputs": 120, "delta": 1.0, "noise_variance": 1.0}),
        spec(network=TANH | {"width": 120, "hidden_bias": "trained"}),
        spec(training={"learning_rate": 0.1, "batch": 200, "samples": 5000}),
        spec(training={"batch": 200}),
        spec(network=TANH | {"depth": 1, "initial": "uniform", "readout": "binary"}),
        spec(training={"optimiser": "sgd", "stop_below": None, "errors": "output"}),
        Spec.model_validate({"task": SEPARABLE, "network": TANH}),
        Spec(task=Separable(kind="separable"), network=Network(activation="tanh")),
    ],
)
def test_spelling_out_a_default_value_changes_no_key(spelled_out):
    assert spelled_out.key == spec().key


def test_a_new_hyper_parameter_with_a_default_changes_no_key():
    class LaterNetwork(Network):
        dropout: Number = 0.0

    later = LaterNetwork(activation="tanh", width=40)
    assert canonical(later) == canonical(Network(activation="tanh", width=40))
    assert canonical(LaterNetwork(activation="tanh", dropout=0.5)) != canonical(later)


@pytest.mark.parametrize("value", [4, 4.0, "4e0", "4"])
def test_one_number_has_one_key_however_it_is_written(value):
    assert spec(SEPARABLE | {"noise_variance": value}).key == (
        spec(SEPARABLE | {"noise_variance": 4.0}).key
    )


@pytest.mark.parametrize(
    "other",
    [
        spec(UNSTRUCTURED | {"inputs": 120}),
        spec(SEPARABLE | {"inputs": 121}),
        spec(SEPARABLE | {"delta": 0.999}),
        spec(SEPARABLE | {"noise_variance": 1.0000001}),
        spec(network=RELU),
        spec(network=TANH | {"width": 122}),
        spec(network=TANH | {"hidden_bias": "none"}),
        spec(training={"learning_rate": 0.10000001}),
        spec(training={"batch": 100}),
        spec(training={"samples": 5200}),
        spec(network=TANH | {"depth": 2}),
        spec(network=TANH | {"initial": "normal"}),
        spec(network=TANH | {"readout": "trained"}),
        spec(training={"optimiser": "adam"}),
        spec(training={"stop_below": 0.05}),
        spec(training={"errors": "equal"}),
    ],
)
def test_any_other_value_is_another_key(other):
    assert other.key != spec().key


def test_depths_are_families_of_their_own_and_that_of_depth_1_has_its_earlier_name():
    shallow, *deep = (spec(network=TANH | {"depth": depth}).family for depth in (1, 2, 3))
    assert shallow == spec().family == "separable-n120-h120-6c2101"
    assert len({shallow, *deep}) == 3
    assert all(name.startswith("separable-n120-h120-") for name in some(deep))


def test_a_binary_readout_for_several_targets_is_refused():
    several = UNSTRUCTURED | {"targets": 2}
    for readout in ("normal", "trained"):
        spec(several, TANH | {"readout": readout})
    with pytest.raises(ValidationError, match="found 'binary' for 2 targets, allowed"):
        spec(several)


@pytest.mark.parametrize("targets", [1, 3])
def test_a_readout_in_groups_is_for_two_targets(targets):
    task = {"kind": "aligned", "clusters": 8, "targets": targets, "inputs": 20}
    with pytest.raises(ValidationError, match=f"found 'groups' for {targets} targets, allowed"):
        spec(task, TANH | {"readout": "groups"})
    assert spec(task | {"targets": 2}, TANH | {"readout": "groups"}).task.targets == 2


def test_a_readout_in_groups_wants_groups_of_one_size():
    with pytest.raises(ValidationError, match="width: found 100, allowed: multiples of 8"):
        spec(UNSTRUCTURED | {"targets": 2}, TANH | {"readout": "groups", "width": 100})


def test_the_noise_around_the_centres_is_not_part_of_the_key_of_a_task_s_geometry():
    task = Separable(kind="separable", delta=0.5)
    noisy = task.model_copy(update={"noise_variance": 9.0})
    assert geometry_key(noisy) == geometry_key(task)


def test_the_names_of_families_and_tasks_are_those_of_all_earlier_results():
    assert spec(UNSTRUCTURED).family == "unstructured-n100-h120-6c2101"
    assert spec(SEPARABLE | {"delta": 0.5}).family == "separable-n120-h120-6c2101"
    assert spec(UNSTRUCTURED | {"clusters": 6}).family == "unstructured-n100-h120-2b06a7"
    assert geometry_key(spec(UNSTRUCTURED).task) == "072c6dd59fbe"
    assert geometry_key(spec(SEPARABLE | {"delta": 0.5}).task) == "3c83dc1a29bb"
