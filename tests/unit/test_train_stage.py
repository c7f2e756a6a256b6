"""The train stage fills in what is missing, and takes nothing for a network that isn't it."""

import copy
import re
import shutil

import numpy as np
import pytest
from selections import some
from stages import run as run_stage

from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.artifacts.provenance import code, identity
from repatlas.artifacts.runs import run_arrays
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan
from repatlas.stages import prepare, train


class Shard:
    """The files of one shard in a folder, and its train stage. If `is_stored`, each job writes
    another version, as in the store. Otherwise all write the same file."""

    is_stored = False

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        self.runs = folder / "runs.safetensors"

    def train(self, values, output=None, seed=0):
        """Train, and return how many networks were kept, and how many trained. `begun` networks
        continued from a checkpoint, and `work` is the sum of what was trained."""
        plan = Plan(read_config(values))
        shard = plan.shards[0]._replace(seed=seed)
        data = self.folder / f"data-{seed}.safetensors"
        run_stage(prepare, plan.data[plan.data_place(shard)], data)
        self.job = plan.train_job(shard)
        if self.is_stored:
            self.runs = self.folder / f"store/{identity(self.job.text)}.safetensors"
            if self.runs.exists():
                return len(self.job.wanted()), 0
        files = ["--data", str(data), "--device", "cpu"]
        self.capsys.readouterr()
        run_stage(train, self.job, output or self.runs, *files)
        self.log = self.capsys.readouterr().err
        counts = re.search(
            rf"^(\d+) networks of seed {seed}: (\d+) kept, (\d+) to train \((\d+) of them begun\)$",
            self.log,
            re.MULTILINE,
        )
        networks, kept, trained, self.begun = map(int, counts.groups())
        assert networks == kept + trained
        self.work = int(self.log.splitlines()[-1].removeprefix("work: "))
        return kept, trained

    def arrays(self, path=None):
        """Return every array of the networks that the job asks for."""
        file = Arrays(path or self.runs, "runs")
        return {
            (key, name): array
            for key in self.job.wanted()
            for name, array in run_arrays(file, key).items()
        }

    def about(self, path=None):
        """Return what the file says of each network."""
        return Arrays(path or self.runs, "runs").header["runs"]


@pytest.fixture
def shard(tmp_path, capsys):
    return Shard(tmp_path, capsys)


PRODUCTS = 8 * (12 + 1) * 20
"""In a training step of a network: width, inputs and target, and batch."""


def assert_same(one, other):
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in some(one))


def test_each_network_of_a_shard_is_trained_once(shard, small_values):
    assert shard.train(small_values) == (0, 18)
    header = Arrays(shard.runs, "runs").header
    assert header["runs"].keys() == shard.job.wanted().keys()
    for about in header["runs"].values():
        assert about["steps"] == [0, 2, 5]
        assert about["diverged_step"] is None
        assert about["converged_step"] is None
        assert about["goes_on"]
    assert {name for _, name in shard.arrays()} == {"weights1"}
    assert all(some(np.isfinite(array)).all() for array in some(shard.arrays().values()))


def test_fewer_steps_need_no_training(shard, small_values):
    shard.train(small_values)
    all_steps = shard.arrays()
    for sweep in small_values["sweeps"].values():
        sweep["steps"] = [0, 5]
    assert shard.train(small_values) == (18, 0)
    assert_same(shard.arrays(), {name: array[[0, 2]] for name, array in all_steps.items()})


def test_later_steps_go_on_from_the_last_checkpoint(shard, small_values):
    shard.train(small_values)
    old = shard.arrays()
    for sweep in small_values["sweeps"].values():
        sweep["steps"] = [0, 2, 5, 8]
    assert shard.train(small_values) == (0, 18)
    assert shard.begun == 18
    assert shard.work == 18 * 3 * PRODUCTS
    assert "steps 5 to 8, " in shard.log
    assert_same(old, {name: array[:3] for name, array in shard.arrays().items()})


@pytest.mark.parametrize("later", [[8], [0, 8], [0, 5, 8], [6, 7, 8]], ids=str)
def test_a_run_that_goes_on_ends_with_the_bytes_of_one_trained_at_once(shard, small_values, later):
    shard.train(small_values)
    small_values["figures"] = {"fig03": {"sweep": "noise", "step": 8}}
    small_values["sweeps"] = {"noise": small_values["sweeps"]["noise"] | {"steps": later}}
    assert shard.train(small_values) == (0, 18)
    assert shard.begun == 18
    anew = shard.folder / "anew.safetensors"
    assert shard.train(small_values, output=anew) == (0, 18)
    assert shard.begun == 0
    assert shard.work == 18 * 8 * PRODUCTS
    assert shard.runs.read_bytes() == anew.read_bytes()


def test_a_step_between_the_stored_ones_trains_again_from_the_start(shard, small_values):
    shard.train(small_values)
    old = shard.arrays()
    for sweep in small_values["sweeps"].values():
        sweep["steps"] = [0, 2, 3, 5]
    assert shard.train(small_values) == (0, 18)
    assert (shard.begun, shard.work) == (0, 18 * 5 * PRODUCTS)
    assert_same(old, {name: array[[0, 1, 3]] for name, array in shard.arrays().items()})


def test_a_network_that_diverged_is_said_to_have_at_the_same_step_when_it_goes_on(
    shard, small_values
):
    for sweep in small_values["sweeps"].values():
        sweep["training"] = {"batch": 20, "samples": 40, "learning_rate": 1e38}
    shard.train(small_values)
    for sweep in small_values["sweeps"].values():
        sweep["steps"] = [0, 2, 5, 8]
    shard.train(small_values)
    anew = shard.folder / "anew.safetensors"
    shard.train(small_values, output=anew)
    found = Arrays(shard.runs, "runs").header["runs"]
    assert found == Arrays(anew, "runs").header["runs"]
    assert any(about["diverged_step"] is not None for about in found.values())


def test_a_version_that_another_workflow_has_made_meanwhile_is_left_alone(shard, small_values):
    shard.is_stored = True
    shard.train(small_values)
    before = shard.runs.stat().st_mtime_ns
    files = ["--data", str(shard.folder / "data-0.safetensors"), "--device", "cpu"]
    run_stage(train, shard.job, shard.runs, *files)
    assert shard.runs.stat().st_mtime_ns == before
    assert "networks of seed" not in shard.capsys.readouterr().err


@pytest.mark.parametrize("part", ["code", "data", "seed"])
def test_networks_with_another_basis_are_trained_again(shard, small_values, part):
    shard.train(small_values)
    file = Arrays(shard.runs, "runs")
    for about in list(file.header["runs"].values())[:5]:
        about["basis"][part] = "0123456789ab"
    arrays = {f"{key}/{name}": array for (key, name), array in shard.arrays().items()}
    write_arrays(shard.runs, "runs", file.header, arrays)
    assert shard.train(small_values) == (13, 5)
    assert shard.begun == 0


def test_the_basis_of_a_network_is_its_seed_and_the_code_behind_it(shard, small_values):
    shard.train(small_values, seed=1)
    digests = Arrays(shard.folder / "data-1.safetensors", "data").header["digests"]
    for about in Arrays(shard.runs, "runs").header["runs"].values():
        task, activation = about["spec"]["task"]["kind"], about["spec"]["network"]["activation"]
        own = ("train", "spec")
        named = (f"experiments.clusters.tasks.{task}", f"networks.activations.{activation}")
        modules = ("stages.train", *(f"experiments.clusters.{name}" for name in own), *named)
        assert about["basis"]["seed"] == 1
        assert about["basis"]["code"] == code(*sorted(modules))
        assert len(about["basis"]["data"]) == 3
        assert about["basis"]["data"].items() <= digests.items()
        assert about.keys() == {
            *("spec", "steps", "diverged_step", "converged_step", "goes_on"),
            *("device", "versions", "basis"),
        }


def test_networks_of_another_seed_are_not_taken_for_those_of_this_one(shard, small_values):
    shard.train(small_values)
    other = shard.arrays()
    runs = shard.folder / "runs-1.safetensors"
    shutil.copy(shard.runs, runs)  # say, a slip of the hand in a shell
    assert shard.train(small_values, output=runs, seed=1) == (0, 18)
    one = shard.arrays(runs)
    assert not any(np.array_equal(one[name], other[name]) for name in one if name[1] == "weights1")


@pytest.mark.parametrize("damage", ["empty", "zeros", "truncated", "flipped"])
def test_a_damaged_file_is_set_aside_and_its_networks_trained_again(shard, small_values, damage):
    shard.train(small_values)
    whole = shard.runs.read_bytes()
    damaged = {
        "empty": b"",
        "zeros": b"\0" * 5000,
        "truncated": whole[:3000],
        "flipped": whole[:-1] + bytes([whole[-1] ^ 1]),  # one bit of the last array
    }[damage]
    shard.runs.write_bytes(damaged)
    assert shard.train(small_values) == (0, 18)
    assert "set aside as runs.safetensors.aside-1" in shard.log
    assert shard.runs.read_bytes() == whole
    assert (shard.folder / "runs.safetensors.aside-1").read_bytes() == damaged


def test_the_log_counts_the_work(shard, small_values):
    shard.train(small_values)
    first, *blocks, last = shard.log.splitlines()
    assert first == "18 networks of seed 0: 0 kept, 18 to train (0 of them begun)"
    activations = set()
    for number, block in enumerate(blocks, start=1):
        found = re.fullmatch(
            rf"block {number} of 2: 9 (\w+) networks, steps 0 to 5, [\d.]+ s,"
            r" \d+ us per network and step on cpu: (.*)",
            block,
        )
        activations.add(found[1])
        assert len(found[2].split()) == 9
    assert activations == {"tanh", "relu"}
    assert last == f"work: {18 * 5 * PRODUCTS}"


def test_networks_with_a_bias_have_it_in_the_file(shard, small_values, any_role):
    for sweep in small_values["sweeps"].values():
        sweep["network"]["hidden_bias"] = "trained"
    shard.train(small_values)
    assert {name for _, name in shard.arrays()} == {"weights1", "bias1"}
    assert all(np.any(array) for array in some(shard.arrays().values()))


def test_all_networks_of_a_seed_start_from_the_same_weights(shard, small_values):
    shard.train(small_values)
    starts = [array[0] for (_, name), array in shard.arrays().items() if name == "weights1"]
    assert len(starts) == 18
    assert all(np.array_equal(start, starts[0]) for start in some(starts))


# Networks with a state between the steps.


def with_steps(values, steps):
    """Return the values with only Figure 3, at these steps."""
    values["figures"] = {"fig03": {"sweep": "noise", "step": steps[-1]}}
    values["sweeps"] = {"noise": values["sweeps"]["noise"] | {"steps": steps}}
    return values


DEEP = [
    *("weights1", "weights2", "bias1", "bias2", "readout", "output_bias"),
]
"""What is trained in networks of depth 2."""


def test_all_that_is_trained_and_all_it_goes_on_from_is_in_the_file(shard, deep_values):
    assert shard.train(deep_values) == (0, 18)
    arrays, deep_products = shard.arrays(), 8 * (12 + 8 + 1) * 20
    # A network that has converged costs nothing any more.
    steps = [about["converged_step"] or 5 for about in shard.about().values()]
    assert shard.work == sum(steps) * deep_products < 18 * 5 * deep_products
    expected = {
        *DEEP,
        *(f"state/{kind}/{name}" for kind in ("mean", "square") for name in DEEP),
        *("state/epoch_loss", "state/low_epochs"),
    }
    for key in shard.job.wanted():
        assert {name for of, name in arrays if of == key} == expected
        assert arrays[key, "weights2"].shape == (3, 8, 8)
        assert arrays[key, "readout"].shape == (3, 1, 8)
        assert arrays[key, "output_bias"].shape == (3, 1)
        for name in DEEP:
            assert not np.array_equal(arrays[key, name][0], arrays[key, name][1])
            assert arrays[key, f"state/mean/{name}"].shape == arrays[key, name].shape[1:]


def test_the_file_says_at_which_step_a_network_converged(shard, deep_values):
    shard.train(with_steps(deep_values, [0, 3, 4, 5]))
    arrays, converged = shard.arrays(), []
    for key, about in shard.about().items():
        weights = arrays[key, "weights1"]
        assert not np.array_equal(weights[2], weights[1])
        stays = np.array_equal(weights[3], weights[2])
        assert about["converged_step"] == (4 if stays else None)
        assert arrays[key, "state/low_epochs"] == 2 or not stays
        converged.append(stays)
    assert 0 < sum(converged) < 18


@pytest.mark.parametrize("first", [[3], [0, 2, 5], [4]], ids=str)
def test_deep_runs_that_go_on_end_with_the_bytes_of_ones_trained_at_once(shard, deep_values, first):
    """Runs continue from within an epoch, after some have converged, or at once when they have."""
    assert shard.train(with_steps(deep_values, first)) == (0, 18)
    before = {key: about["converged_step"] for key, about in shard.about().items()}
    later = [*first, 9, 12]
    assert shard.train(with_steps(deep_values, later)) == (0, 18)
    assert shard.begun == 18
    anew = shard.folder / "anew.safetensors"
    assert shard.train(with_steps(deep_values, later), output=anew) == (0, 18)
    assert shard.begun == 0
    assert shard.runs.read_bytes() == anew.read_bytes()
    after = {key: about["converged_step"] for key, about in shard.about().items()}
    assert len(set(after.values()) - {None}) > 1
    assert all(after[key] == step for key, step in some(before.items()) if step is not None)


def test_steps_that_go_away_and_come_back_are_kept(shard, deep_values):
    shard.is_stored = True
    shard.train(with_steps(deep_values, [0, 2, 5]))
    whole = shard.runs.read_bytes()
    for fewer in ([0, 5], [0], [0, 2]):
        assert shard.train(with_steps(deep_values, fewer)) == (18, 0)
    assert shard.train(with_steps(deep_values, [0, 2, 5])) == (18, 0)
    assert shard.runs.read_bytes() == whole


def test_a_version_that_is_damaged_is_set_aside_and_its_networks_trained_again(shard, deep_values):
    shard.is_stored = True
    few = copy.deepcopy(deep_values)
    few["sweeps"]["noise"]["task"]["delta"] = [0.5]
    shard.train(few)
    shard.runs.write_bytes(shard.runs.read_bytes()[:-1])
    assert shard.train(deep_values) == (0, 18)
    assert "set aside as " in shard.log


def test_deep_runs_that_were_cut_to_fewer_steps_train_again_from_the_start(shard, deep_values):
    """Only the state of the last step is stored."""
    shard.is_stored = True
    shard.train(with_steps(deep_values, [0, 2, 5]))
    whole = shard.runs.read_bytes()
    assert shard.train(with_steps(deep_values, [0, 5])) == (18, 0)  # the last step is there
    assert all(about["goes_on"] for about in some(shard.about().values()))
    assert shard.train(with_steps(deep_values, [0])) == (18, 0)
    assert not any(about["goes_on"] for about in shard.about().values())
    assert {name for _, name in shard.arrays()} == set(DEEP)
    for version in shard.runs.parent.glob("*.safetensors"):
        if version != shard.runs:
            version.unlink()  # as `make clean-unused` does
    assert shard.train(with_steps(deep_values, [0, 2, 5])) == (0, 18)
    assert shard.begun == 0
    assert shard.runs.read_bytes() == whole


def test_networks_stored_before_training_may_go_on_beside_new_ones(shard, deep_values):
    deep_values["sweeps"]["noise"]["task"]["noise_variance"] = [0.0, 4.0]
    assert shard.train(with_steps(deep_values, [0])) == (0, 12)
    deep_values["sweeps"]["noise"]["task"]["noise_variance"] = [0.0, 1.0, 4.0]
    assert shard.train(with_steps(deep_values, [0, 5])) == (0, 18)
    anew = shard.folder / "anew.safetensors"
    assert shard.train(with_steps(deep_values, [0, 5]), output=anew) == (0, 18)
    assert shard.runs.read_bytes() == anew.read_bytes()


def test_runs_that_were_cut_say_of_their_convergence_what_ones_trained_so_far_do(
    shard, deep_values
):
    shard.train(with_steps(deep_values, [0, 3, 5]))
    assert {about["converged_step"] for about in shard.about().values()} == {4, None}
    assert shard.train(with_steps(deep_values, [0, 3])) == (18, 0)
    assert {about["converged_step"] for about in shard.about().values()} == {None}
