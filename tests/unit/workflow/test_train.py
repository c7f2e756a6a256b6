"""A network is trained once, whatever is asked of it later, and whenever its job was killed."""

import re
from contextlib import chdir
from copy import deepcopy

import numpy as np
import pytest
from selections import some
from stages import make, make_runs

from repatlas.config.config import read_config
from repatlas.experiments.clusters import train as training
from repatlas.workflow.plan import Plan
from repatlas.workflow.results import read_json
from repatlas.workflow.store import Networks

GROUP = "structure/noise/seeds-0"


def with_steps(values, steps):
    """Return the values with only Figure 3, at these steps."""
    values["figures"] = {"fig03": {"sweep": "noise", "step": steps[-1]}}
    values["sweeps"] = {"noise": values["sweeps"]["noise"] | {"steps": steps, "seeds": 1}}
    return values


@pytest.fixture
def values(small_values):
    return with_steps(small_values, [0, 2, 5])


@pytest.fixture
def train(tmp_path, capsys):
    """Train the networks of a config in a folder; return them, and how many were trained."""

    def train(values, folder="here", seconds=0):
        (tmp_path / folder).mkdir(exist_ok=True)
        capsys.readouterr()
        with chdir(tmp_path / folder):
            runs = make_runs(Plan(read_config(values)), GROUP, device="cpu", flush_seconds=seconds)
        trained = [(a, b, len(keys)) for a, b, keys in blocks(capsys.readouterr().err)]
        return runs, trained

    return train


def blocks(log):
    """Return the first and the last step of what was trained, and the networks."""
    found = re.findall(r"^block .*, steps (\d+) to (\d+), .*: ([0-9a-f ]+)$", log, re.M)
    return [(int(a), int(b), keys.split()) for a, b, keys in found]


def files(folder):
    return {*folder.rglob("networks/**/*.safetensors")}


def assert_same(runs, others):
    assert runs.keys() == others.keys()
    for key, run in some(runs.items()):
        other = others[key]
        assert run.about == other.about
        for kind in ("parameters", "state"):
            one, two = getattr(run, kind), getattr(other, kind)
            assert one.keys() == two.keys()
            assert all(np.array_equal(one[name], two[name]) for name in one)


def test_each_network_is_trained_once(train, values):
    runs, trained = train(values)
    assert len(runs) == 18 and trained == [(0, 5, 9)] * 2
    assert train(values)[1] == []
    for run in runs.values():
        assert run.about["steps"] == [0, 2, 5] and run.about["goes_on"]
        assert run.parameters.keys() == {"weights1"}
        assert np.isfinite(run.parameters["weights1"]).all()


def test_fewer_steps_need_no_training(train, values):
    before, _ = train(values)
    after, trained = train(with_steps(values, [0, 5]))
    assert trained == []
    assert_same(after, before)


@pytest.mark.parametrize("later", [[8], [0, 8], [0, 5, 8], [6, 7, 8]], ids=str)
def test_a_network_that_goes_on_ends_with_the_bits_of_one_trained_at_once(train, values, later):
    train(values)
    runs, trained = train(with_steps(values, later))
    assert trained == [(5, 8, 9)] * 2
    at_once, _ = train(values, "anew")
    kept = {key: run.at(later) for key, run in runs.items()}
    assert_same(kept, {key: run.at(later) for key, run in at_once.items()})


def test_a_step_between_the_stored_ones_trains_again_from_the_start(train, values):
    before, _ = train(values)
    after, trained = train(with_steps(values, [0, 2, 3, 5]))
    assert trained == [(0, 5, 9)] * 2
    assert_same({key: run.at([0, 2, 5]) for key, run in after.items()}, before)


def test_a_network_that_diverged_has_at_the_same_step_when_it_goes_on(train, values):
    values["sweeps"]["noise"]["training"] = {"batch": 20, "samples": 40, "learning_rate": 1e38}
    train(values)
    found, _ = train(with_steps(values, [0, 2, 5, 8]))
    assert_same(found, train(values, "anew")[0])
    assert any(run.about["diverged_step"] is not None for run in found.values())


def test_networks_of_other_code_or_data_or_another_seed_are_others(train, values, monkeypatch):
    train(values)
    values["sweeps"]["noise"]["seeds"] = 2
    assert train(values)[1] == [(0, 5, 9)] * 2, "of the other seed alone"
    code = Plan.code
    with monkeypatch.context() as patched:
        patched.setattr(Plan, "code", lambda *of: code(*of)[::-1])
        assert train(values)[1] == [(0, 5, 9)] * 4
    values["sweeps"]["noise"]["task"]["delta"] = [0.0, 0.4, 1.0]
    assert train(values)[1] == [(0, 5, 3)] * 4


class Killed(BaseException):
    pass


@pytest.fixture
def killed(monkeypatch, train):
    """Train, and kill the job after a number of segments."""

    def killed(values, segments, seconds=0):
        left, train_segment = [segments], training._train_segment

        def segment(*arguments):
            if not left[0]:
                raise Killed
            left[0] -= 1
            return train_segment(*arguments)

        with monkeypatch.context() as patched, pytest.raises(Killed):
            patched.setattr(training, "_train_segment", segment)
            train(values, seconds=seconds)

    return killed


# Two blocks of 9 networks, each in segments to step 2, 4 and 5.
@pytest.mark.parametrize(
    ("segments", "left"),
    [
        (1, [(0, 5), (2, 5)]),
        (2, [(0, 5), (4, 5)]),
        (3, [(0, 5)]),
        (4, [(2, 5)]),
        (5, [(4, 5)]),
    ],
)
def test_a_killed_job_goes_on_from_its_last_segment_to_the_same_bits(
    train, killed, values, segments, left, tmp_path, monkeypatch
):
    monkeypatch.setattr(training, "SEGMENT_STEPS", {"cpu": 2})
    killed(values, segments)
    runs, trained = train(values)
    assert sorted(trained) == [(*steps, 9) for steps in left]
    assert_same(runs, train(values, "anew")[0])


@pytest.mark.parametrize("segments", [1, 2, 3])
def test_networks_with_a_state_go_on_from_within_an_epoch_to_the_same_bits(
    train, killed, deep_values, segments, monkeypatch
):
    """Each of two blocks has segments to step 3, within an epoch, and to step 5. Some networks
    converge at step 4."""
    monkeypatch.setattr(training, "SEGMENT_STEPS", {"cpu": 3})
    values = with_steps(deep_values, [0, 2, 5])
    killed(values, segments)
    runs, _ = train(values)
    assert_same(runs, train(values, "anew")[0])
    assert {run.about["converged_step"] for run in runs.values()} == {4, None}


@pytest.mark.parametrize("first", [[3], [0, 2, 5], [4]], ids=str)
def test_deep_networks_go_on_after_some_have_converged(train, deep_values, first):
    before, _ = train(with_steps(deep_values, first))
    values = with_steps(deep_values, [*first, 9, 12])
    after, _ = train(values)
    assert_same(after, train(values, "anew")[0])
    for key, run in before.items():
        step = run.about["converged_step"]
        assert step in (None, after[key].about["converged_step"])


def test_the_length_of_segments_changes_no_bits(train, values, monkeypatch):
    whole, _ = train(values)
    for length in (1, 3):
        monkeypatch.setattr(training, "SEGMENT_STEPS", {"cpu": length})
        assert_same(train(values, str(length))[0], whole)


def test_what_a_job_has_just_stored_another_one_does_not_train(train, values, monkeypatch):
    """Two workflows at once."""
    monkeypatch.setattr("repatlas.workflow.stages.train.TOGETHER_ELSE", 9)
    of_clusters, beside = training.train, []

    def with_another(missing, *more):
        if not beside:
            beside.append(True)
            train(values)
        return of_clusters(missing, *more)

    monkeypatch.setattr(training, "train", with_another)
    _, trained = train(values)
    assert sum(number for _, _, number in trained) == 9, "the second half is there"


def test_networks_that_another_config_has_listed_stay_while_trained_on(
    train, values, monkeypatch, tmp_path
):
    monkeypatch.setattr(training, "SEGMENT_STEPS", {"cpu": 5})
    shorter, write, beside = with_steps(deepcopy(values), [0, 5]), Networks.write, []

    def with_another(*arguments):
        write(*arguments)
        if not beside:
            beside.append(True)
            assert train(shorter)[1] == [(0, 5, 9)], "half is stored"

    monkeypatch.setattr(Networks, "write", with_another)
    train(with_steps(values, [0, 9]))
    lists = [read_json(path) for path in tmp_path.rglob("store/runs/**/*.json")]
    listed = {about["file"] for of in lists for about in of["content"]["networks"].values()}
    assert len(lists) == 2
    assert all((tmp_path / "here/results/store" / file).is_file() for file in listed)


def empty(content):
    return b""


def cut(content):
    return content[: len(content) // 2]


def flipped(content):
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize("damage", [empty, cut, flipped])
def test_a_damaged_checkpoint_file_is_set_aside_and_its_networks_trained_again(
    train, values, tmp_path, damage
):
    whole, _ = train(values, seconds=1000)
    (file,) = files(tmp_path)
    file.write_bytes(damaged := damage(file.read_bytes()))
    runs, trained = train(with_steps(values, [0, 2, 5, 6]))
    assert 0 < sum(number for start, _, number in trained if start == 0) <= 18
    assert_same({key: run.at([0, 2, 5]) for key, run in runs.items()}, whole)
    (aside,) = file.parent.glob("*.damaged-*")
    assert aside.read_bytes() == damaged


def test_networks_with_a_bias_have_it_in_the_file(train, values, any_role):
    values["sweeps"]["noise"]["network"]["hidden_bias"] = "trained"
    for run in train(values)[0].values():
        assert run.parameters.keys() == {"weights1", "bias1"}
        assert all(np.any(values) for values in run.parameters.values())


def test_all_that_is_trained_and_all_it_goes_on_from_is_in_the_file(train, deep_values):
    names = {"weights1", "weights2", "bias1", "bias2", "readout", "output_bias"}
    moments = {f"{kind}/{name}" for kind in ("mean", "square") for name in names}
    for run in train(with_steps(deep_values, [0, 2, 5]))[0].values():
        assert run.parameters.keys() == names
        assert run.state.keys() == moments | {"epoch_loss", "low_epochs"}
        assert run.parameters["weights2"].shape == (3, 8, 8)
        assert all(not np.array_equal(of[0], of[1]) for of in run.parameters.values())


def test_a_network_of_two_sweeps_is_trained_once_with_the_steps_of_both(
    small_values, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    small_values["sweeps"]["noise"]["steps"] = [1, 5]
    plan = Plan(read_config(small_values))
    make(plan, *(name for name in plan.results if name.startswith("runs/")))
    trained = [key for _, _, keys in blocks(capsys.readouterr().err) for key in keys]
    assert len(trained) == 2 * len({*trained}), "once for each of two seeds"
    shared = make_runs(plan, GROUP).values()
    assert [0, 1, 2, 5] in [run.about["steps"] for run in shared]
