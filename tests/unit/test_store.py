"""Runs on disk: what was trained once is never trained again, whenever the job was killed."""

import os
from collections import defaultdict

import numpy as np
import pytest
from stages import run as run_stage

from repatlas.artifacts.begun import Begun
from repatlas.artifacts.files import METRICS_SCHEMA, Arrays, Unreadable, set_aside
from repatlas.artifacts.runs import (
    Parts,
    Run,
    read_runs,
    run_arrays,
    serves,
    write_runs,
)
from repatlas.config.config import read_config
from repatlas.experiments.clusters import train as training
from repatlas.plan.plan import Plan
from repatlas.stages import prepare, train

BASIS = {"seed": 0, "code": "a", "data": {"x": "b"}}
OF_ALL = defaultdict(lambda: BASIS)
"""By key."""


def made_up_run(steps, basis=BASIS, offset=0.0, state=(), goes_on=True):
    """Return a run whose weights equal the step of each checkpoint."""
    marks = np.array(steps, np.float32) + np.float32(offset)
    weights = np.broadcast_to(marks[:, None, None], (len(steps), 4, 3)).copy()
    about = {"steps": list(steps), "basis": basis, "goes_on": goes_on}
    about |= {"diverged_step": None, "converged_step": None}
    return Run({"weights1": weights, "bias1": weights[:, :, 0].copy()}, dict(state), about)


def optimiser_state(offset=0.0):
    """Return a state like Adam's, and a double and a whole number of the run."""
    return {
        "mean/weights1": np.full((4, 3), 0.5 + offset, np.float32),
        "square/weights1": np.full((4, 3), 0.25, np.float32),
        "epoch_loss": np.array(0.1 + offset),
        "low_epochs": np.array(1, np.int32),
    }


def assert_same_run(one, other):
    for some, others in ((one.parameters, other.parameters), (one.state, other.state)):
        assert some.keys() == others.keys()
        for name, values in some.items():
            assert values.dtype == others[name].dtype
            assert np.array_equal(values, others[name])
    assert one.about == other.about


# Runs in files.


def test_runs_come_back_as_they_were(tmp_path):
    runs = {"one": made_up_run([0, 2, 5]), "other": made_up_run([7], offset=0.5)}
    write_runs(tmp_path / "runs.safetensors", {"identity": "x"}, runs)
    found = read_runs(tmp_path / "runs.safetensors", {"one": [0, 2, 5], "other": [7]}, OF_ALL)
    assert found.keys() == runs.keys()
    for key, run in runs.items():
        assert_same_run(found[key], run)
    assert Arrays(tmp_path / "runs.safetensors", "runs").header["identity"] == "x"


def test_runs_come_back_with_the_state_that_their_training_goes_on_from(tmp_path):
    runs = {
        "one": made_up_run([0, 2], state=optimiser_state()),
        "other": made_up_run([0, 2], state=optimiser_state(offset=1.0)),
        "without": made_up_run([0, 2]),
    }
    write_runs(tmp_path / "runs.safetensors", {}, runs)
    found = read_runs(tmp_path / "runs.safetensors", {key: [0, 2, 5] for key in runs}, OF_ALL)
    assert found.keys() == runs.keys()
    for key, run in runs.items():
        assert_same_run(found[key], run)


def test_only_wanted_runs_of_the_same_basis_are_read(tmp_path):
    runs = {
        "wanted": made_up_run([0, 5]),
        "other seed": made_up_run([0, 5], BASIS | {"seed": 1}),
        "other code": made_up_run([0, 5], BASIS | {"code": "c"}),
        "other data": made_up_run([0, 5], BASIS | {"data": {"x": "c"}}),
        "nobody's": made_up_run([0, 5]),
    }
    write_runs(tmp_path / "runs.safetensors", {}, runs)
    wanted = {key: [0, 5] for key in runs if key != "nobody's"}
    assert read_runs(tmp_path / "runs.safetensors", wanted, OF_ALL).keys() == {"wanted"}


@pytest.mark.parametrize(
    ("stored", "wanted", "does"),
    [
        ([0, 2, 5], [0, 2, 5], True),
        ([0, 2, 5], [0, 5], True),
        ([0, 2, 5], [2], True),
        ([0, 2, 5], [0, 2, 5, 8], True),  # to be continued
        ([0, 2, 3], [0, 2, 5], True),  # continues at step 3
        ([3], [5], True),
        ([0, 3], [8, 9], True),
        ([0, 2, 5], [0, 3, 5], False),  # 3 is past
        ([0, 5], [0, 2, 8], False),
        ([2, 5], [0, 8], False),
        ([0, 8], [0, 5], False),
    ],
    ids=str,
)
def test_a_run_serves_if_it_has_each_wanted_step_that_it_passed(stored, wanted, does):
    assert serves(made_up_run(stored).about, wanted, BASIS) is does


@pytest.mark.parametrize("part", ["seed", "code", "data"])
def test_a_run_of_another_basis_never_serves(part):
    assert not serves(made_up_run([0, 5]).about, [0, 5], BASIS | {part: "else"})


def test_a_run_of_code_that_told_less_of_it_never_serves():
    """Earlier code did not say whether a run goes on."""
    about = made_up_run([0, 5], BASIS | {"code": "earlier"}).about
    del about["goes_on"]
    assert not serves(about, [0, 5], BASIS)


@pytest.mark.parametrize(
    ("stored", "wanted", "does"),
    [
        ([0, 2, 5], [0, 2, 5], True),
        ([0, 2, 5], [0, 2], True),
        ([0, 2, 5], [2], True),
        ([0, 2, 5], [0, 2, 5, 8], False),
        ([0, 2, 5], [8], False),
        ([0, 2, 5], [0, 3, 5], False),
    ],
    ids=str,
)
def test_a_run_that_does_not_go_on_serves_if_no_later_step_is_wanted(stored, wanted, does):
    assert serves(made_up_run(stored, goes_on=False).about, wanted, BASIS) is does


def test_a_run_has_its_checkpoints_by_step():
    run = made_up_run([0, 2, 5])
    assert run.last_step == 5
    fewer = run.at([0, 5])
    assert_same_run(fewer, made_up_run([0, 5]))
    assert run.about["steps"] == [0, 2, 5]  # as it was
    with pytest.raises(ValueError):
        run.at([3])


def test_a_run_that_is_cut_to_earlier_checkpoints_loses_its_state_and_does_not_go_on():
    run = made_up_run([0, 2, 5], state=optimiser_state())
    for steps in ([0, 2, 5], [5], [0, 5]):
        assert_same_run(run.at(steps), made_up_run(steps, state=optimiser_state()))
    for steps in ([0, 2], [2], [0], []):
        assert_same_run(run.at(steps), made_up_run(steps, goes_on=False))
    cut = run.at([0, 2])
    assert serves(cut.about, [0, 2], BASIS)
    assert not serves(cut.about, [0, 2, 5], BASIS)
    assert_same_run(cut.at([0, 2]), cut)  # for good
    assert run.about["goes_on"]  # as it was


@pytest.mark.parametrize("event", ["diverged_step", "converged_step"])
@pytest.mark.parametrize("state", [(), optimiser_state()], ids=["without state", "with state"])
def test_a_run_that_is_cut_knows_nothing_of_what_became_of_it_later(event, state):
    run = made_up_run([0, 2, 5], state=state)
    run.about[event] = 4
    assert run.at([0, 5]).about[event] == 4
    assert run.at([0, 2]).about[event] is None


def test_a_run_without_a_state_goes_on_from_any_of_its_checkpoints():
    cut = made_up_run([0, 2, 5]).at([0, 2])
    assert cut.about["goes_on"]
    assert serves(cut.about, [0, 2, 5], BASIS)


@pytest.mark.parametrize("lost", ["bias1", "state/low_epochs"])
def test_a_file_that_lacks_an_array_of_a_run_is_unreadable(tmp_path, lost):
    path = tmp_path / "runs.safetensors"
    runs = {key: made_up_run([0, 5], state=optimiser_state()) for key in ("one", "two")}
    write_runs(path, {}, runs)
    whole = path.read_bytes()
    misspelt = lost.replace("s", "z", 1)
    damaged = whole.replace(f'"two/{lost}":'.encode(), f'"two/{misspelt}":'.encode())
    assert damaged != whole
    path.write_bytes(damaged)
    assert read_runs(path, {"one": [5]}, OF_ALL).keys() == {"one"}
    with pytest.raises(Unreadable, match=f"has no array two/{lost}"):
        read_runs(path, {"one": [5], "two": [5]}, OF_ALL)


# Parts.


def test_parts_are_numbered_in_the_order_in_which_they_were_flushed(tmp_path):
    parts = Parts(tmp_path / "seed-0.safetensors")
    assert parts.files() == []
    for step in range(12):
        parts.flush({"one": made_up_run([step])})
    assert [path.name for path in parts.files()] == [f"{i:06d}.safetensors" for i in range(1, 13)]
    assert {path.parent for path in parts.files()} == {tmp_path / "parts"}
    last = [read_runs(path, {"one": [12]}, OF_ALL)["one"].last_step for path in parts.files()]
    assert last == list(range(12))
    # A part that was renamed leaves a gap, and no later part overwrites the other files.
    parts.files()[3].unlink()
    Parts(tmp_path / "seed-0.safetensors").flush({"one": made_up_run([99])})
    assert len(parts.files()) == 12
    assert parts.files()[-1].name == "000013.safetensors"


def test_parts_are_removed_with_their_folder_and_what_is_half_written(tmp_path):
    parts, run = Parts(tmp_path / "seed-0.safetensors"), made_up_run([3])
    parts.remove({})  # none yet
    parts.flush({"one": run})
    (parts.folder / ".000002.host.1.safetensors").write_text("half")
    parts.remove({"one": run})
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_part_is_set_aside_and_not_deleted(tmp_path):
    parts, run = Parts(tmp_path / "seed-0.safetensors"), made_up_run([3])
    parts.flush({"one": run})
    parts.files()[0].write_text("damaged")
    parts.remove({"one": run})
    [aside] = parts.folder.iterdir()
    assert aside.name == "000001.safetensors.aside-1"
    assert aside.read_text() == "damaged"


def test_rows_of_a_killed_job_that_were_set_aside_are_not_deleted(tmp_path):
    begun = Begun(tmp_path / "seed-0.parquet", METRICS_SCHEMA, seconds=0)
    begun.keep({}, {}, [], {("one", "loss"): slice(0, 0)})
    aside = set_aside(begun.path)
    begun.keep({}, {}, [], {("one", "loss"): slice(0, 0)})
    begun.remove()
    assert [*begun.path.parent.iterdir()] == [aside]


@pytest.mark.parametrize("written", [{}, {"one": [2]}], ids=["other networks", "fewer steps"])
def test_parts_with_more_than_was_written_stay_for_another_config(tmp_path, written):
    parts = Parts(tmp_path / "seed-0.safetensors")
    parts.flush({"one": made_up_run([3])})
    parts.remove({key: made_up_run(steps) for key, steps in written.items()})
    assert len(parts.files()) == 1


def test_what_a_killed_job_left_under_a_temporary_name_is_no_part(tmp_path):
    parts = Parts(tmp_path / "seed-0.safetensors")
    parts.flush({"one": made_up_run([3])})
    content = parts.files()[0].read_bytes()
    (parts.folder / ".000002-x1y2z3.safetensors").write_bytes(content)
    assert [path.name for path in parts.files()] == ["000001.safetensors"]
    parts.flush({"one": made_up_run([4])})
    assert [path.name for path in parts.files()] == ["000001.safetensors", "000002.safetensors"]


# The stage, killed and started again.


class Shard:
    """The train stage of one shard, in segments of two steps, flushed after each."""

    def __init__(self, folder, values, capsys):
        plan = Plan(read_config(values))
        shard = plan.shards[0]
        self.folder, self.capsys = folder, capsys
        self.job, self.data = plan.train_job(shard), folder / "data.safetensors"
        self.wanted = self.job.wanted()
        run_stage(prepare, plan.data[plan.data_place(shard)], self.data)

    def arguments(self, output):
        files = ["--data", str(self.data), "--output", str(output)]
        return ["--job", self.job.text, *files, "--device", "cpu", "--flush-seconds", "0"]

    def train(self, output):
        """Train, and return the first and the last line of the log."""
        self.capsys.readouterr()
        train.main(self.arguments(output))
        log = self.capsys.readouterr().err.splitlines()
        return next(line for line in log if "networks of seed" in line), log[-1]

    def flushed(self, output, segments, monkeypatch):
        """Train until a number of segments are flushed, and no further."""
        left, train_segment = [segments], training._train_segment

        def killed(*arguments):
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            return train_segment(*arguments)

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(training, "_train_segment", killed)
            train.main(self.arguments(output))
        assert not output.exists()
        return Parts(output)


@pytest.fixture
def shard(tmp_path, small_values, capsys, monkeypatch):
    monkeypatch.setattr(training, "SEGMENT_STEPS", {"cpu": 2})
    return Shard(tmp_path, small_values, capsys)


@pytest.fixture
def whole(shard):
    """The file of a job that nothing interrupted."""
    path = shard.folder / "whole.safetensors"
    first, _ = shard.train(path)
    assert first == "18 networks of seed 0: 0 kept, 18 to train (0 of them begun)"
    return path.read_bytes()


PRODUCTS = 8 * (12 + 1) * 20
"""In a training step of a network: width, inputs and target, and batch."""
# Two blocks of 9 networks, each in segments to step 2, 4 and 5.
AFTER_SEGMENTS = {
    1: ("0 kept, 18 to train (9 of them begun)", 9 * (3 + 5)),
    2: ("0 kept, 18 to train (9 of them begun)", 9 * (1 + 5)),
    3: ("9 kept, 9 to train (0 of them begun)", 9 * 5),
    4: ("9 kept, 9 to train (9 of them begun)", 9 * 3),
    5: ("9 kept, 9 to train (9 of them begun)", 9 * 1),
}


@pytest.mark.parametrize("segments", AFTER_SEGMENTS)
def test_a_job_goes_on_from_the_last_flush_to_the_same_bytes(shard, whole, segments, monkeypatch):
    output = shard.folder / "runs.safetensors"
    parts = shard.flushed(output, segments, monkeypatch)
    assert len(parts.files()) == segments
    counts, steps = AFTER_SEGMENTS[segments]
    assert shard.train(output) == (
        f"18 networks of seed 0: {counts}",
        f"work: {steps * PRODUCTS}",
    )
    assert output.read_bytes() == whole
    assert not parts.folder.exists()


@pytest.mark.parametrize("segments", [1, 2, 3])
def test_a_job_of_networks_with_a_state_goes_on_from_the_last_flush_to_the_same_bytes(
    tmp_path, deep_values, capsys, monkeypatch, segments
):
    """There are two blocks of 9 networks. Each has segments to step 3, within an epoch, and to step
    5. Some networks converge at step 4."""
    monkeypatch.setattr(training, "SEGMENT_STEPS", {"cpu": 3})
    shard = Shard(tmp_path, deep_values, capsys)
    whole, output = tmp_path / "whole.safetensors", tmp_path / "runs.safetensors"
    shard.train(whole)
    parts = shard.flushed(output, segments, monkeypatch)
    assert len(parts.files()) == segments
    kept, begun = divmod(segments, 2)
    first, _ = shard.train(output)
    assert first == (
        f"18 networks of seed 0: {9 * kept} kept, {18 - 9 * kept} to train"
        f" ({9 * begun} of them begun)"
    )
    assert output.read_bytes() == whole.read_bytes()
    runs = Arrays(output, "runs").header["runs"].values()
    assert {about["converged_step"] for about in runs} == {4, None}


def test_the_length_of_the_segments_changes_no_bytes(shard, whole, monkeypatch):
    for length in (1, 3, 1000):
        monkeypatch.setattr(training, "SEGMENT_STEPS", {"cpu": length})
        shard.train(shard.folder / f"{length}.safetensors")
        assert (shard.folder / f"{length}.safetensors").read_bytes() == whole


def test_the_parts_are_removed_when_the_file_is_there(shard, whole):
    assert sorted(path.name for path in shard.folder.iterdir()) == [
        "data.safetensors",
        "whole.safetensors",
    ]


def other_basis(about):
    return about | {"basis": about["basis"] | {"code": "0123456789ab"}}


def other_seed(about):
    return about | {"basis": about["basis"] | {"seed": 1}}


@pytest.mark.parametrize("other", [other_basis, other_seed])
def test_parts_of_other_code_or_another_seed_are_ignored(shard, whole, monkeypatch, other):
    output = shard.folder / "runs.safetensors"
    parts = shard.flushed(output, 3, monkeypatch)
    for path in parts.files():
        file = Arrays(path, "runs")
        runs = {}
        for key, about in file.header["runs"].items():
            parameters = {name: values + 1 for name, values in run_arrays(file, key).items()}
            runs[key] = Run(parameters, {}, other(about))
        write_runs(path, {}, runs)
    first, _ = shard.train(output)
    assert first == "18 networks of seed 0: 0 kept, 18 to train (0 of them begun)"
    assert output.read_bytes() == whole
    assert not parts.folder.exists()


@pytest.mark.parametrize("damage", ["empty", "truncated", "flipped"])
def test_a_damaged_part_costs_no_more_than_what_it_held(shard, whole, monkeypatch, damage):
    output = shard.folder / "runs.safetensors"
    parts = shard.flushed(output, 2, monkeypatch)
    last = parts.files()[-1]
    content = last.read_bytes()
    last.write_bytes(
        {
            "empty": b"",
            "truncated": content[: len(content) // 2],
            "flipped": content[:-1] + bytes([content[-1] ^ 1]),
        }[damage]
    )
    first, work = shard.train(output)
    assert first == f"18 networks of seed 0: {AFTER_SEGMENTS[1][0]}"
    assert work == f"work: {AFTER_SEGMENTS[1][1] * PRODUCTS}"
    assert output.read_bytes() == whole


def a_folder(path):
    path.mkdir()


def a_link(path):
    path.symlink_to("nowhere")


NO_FILES = [a_folder, os.mkfifo, a_link]


@pytest.mark.parametrize("make", NO_FILES)
@pytest.mark.parametrize("name", ["1" * 16 + ".safetensors", "parts", "a part"])
def test_what_is_no_file_beside_a_shard_neither_stops_it_nor_hangs(shard, whole, make, name):
    """A link to nothing has no content that must be kept."""
    output = shard.folder / "runs.safetensors"
    path = shard.folder / name
    if name == "a part":
        path = Parts(output).folder / "000001.safetensors"
        path.parent.mkdir()
    make(path)
    train.main(shard.arguments(output))
    assert output.read_bytes() == whole


def test_of_a_run_in_several_parts_the_longest_is_taken(shard, whole, monkeypatch):
    output = shard.folder / "runs.safetensors"
    parts = shard.flushed(output, 3, monkeypatch)
    first, _, last = parts.files()
    first.rename(parts.folder / "000009.safetensors")  # now the last by name
    assert shard.train(output)[0] == f"18 networks of seed 0: {AFTER_SEGMENTS[3][0]}"
    assert output.read_bytes() == whole
    assert last.name == "000003.safetensors"
