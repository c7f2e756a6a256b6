"""python -m repatlas: a refusal is one sentence, a bug says that it is one, neither has output.

Most commands run in the process of the tests. In workflow/test_bad_luck.py a refused command has a
separate process."""

import json
import shlex
import subprocess
import sys

import pytest
from stages import product
from stages import run as run_stage

from repatlas import __version__
from repatlas.__main__ import main
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan
from repatlas.stages import prepare

FIGURE = product("fig01")


@pytest.fixture
def plan(small_values):
    return Plan(read_config(small_values))


@pytest.fixture
def shard(plan):
    return plan.shards[0]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder and return its exit code and standard error."""

    def run(*arguments, traceback=False):
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
        monkeypatch.setattr(sys, "argv", ["repatlas", *map(str, arguments)])
        capsys.readouterr()
        code, sentence = 0, ""
        try:
            main()
        except SystemExit as error:
            code = error.code
            if isinstance(code, str):  # as the interpreter does
                code, sentence = 1, f"{code}\n"
        said = capsys.readouterr().err + sentence
        assert ("Traceback" in said) == traceback
        return code, said

    return run


def assert_refused(ended, stage, sentence, output=None):
    code, stderr = ended
    assert code != 0
    assert stderr.count("\n") == 1
    assert stderr.startswith(f"repatlas {stage}: error: ")
    assert sentence in stderr
    if output:
        assert not output.exists()
        assert not list(output.parent.glob(f".{output.stem}*"))


def assert_set_aside(ended, path, content):
    again = "start the same command again to make it again"
    assert ended[1].endswith(f"; set aside as {path.name}.aside-1: {again}\n")
    assert not path.exists()
    assert path.with_name(f"{path.name}.aside-1").read_bytes() == content


def test_an_unknown_stage_is_refused_with_the_stages_there_are(run):
    code, stderr = run("trian")
    assert code != 0
    assert "invalid choice: 'trian'" in stderr.splitlines()[-1]
    assert "prepare" in stderr


def test_a_command_without_a_stage_is_refused(run):
    code, stderr = run()
    assert code != 0
    assert "stage" in stderr.splitlines()[-1]


def test_a_stage_without_its_arguments_is_refused(run):
    code, stderr = run("prepare")
    assert code != 0
    assert "--job" in stderr.splitlines()[-1]


@pytest.mark.parametrize("stage", ["train", "measure", "tabulate", "plot"])
def test_a_missing_input_is_named(run, plan, shard, tmp_path, stage):
    output, missing = tmp_path / "output", tmp_path / "missing.parquet"
    arguments = {
        "train": [plan.train_job(shard).text, "--data", missing],
        "measure": [
            plan.measure_job(shard).text,
            *("--data", missing, "--runs", missing),
        ],
        "tabulate": [plan.tabulate_job(FIGURE).text, "--metrics", missing],
        "plot": [plan.plot_job(FIGURE).text, "--table", missing, "--png", tmp_path / "output.png"],
    }
    ended = run(stage, "--output", output, "--job", *arguments[stage])
    assert_refused(ended, stage, f"{missing}: No such file or directory", output)


@pytest.mark.parametrize("stage", ["train", "plot"])
def test_a_damaged_input_is_named(run, plan, shard, tmp_path, stage):
    output, damaged = tmp_path / "output", tmp_path / "damaged"
    damaged.write_bytes(b"\0" * 1000)
    arguments = {
        "train": [plan.train_job(shard).text, "--data", damaged],
        "plot": [plan.plot_job(FIGURE).text, "--table", damaged, "--png", tmp_path / "output.png"],
    }
    ended = run(stage, "--output", output, "--job", *arguments[stage])
    assert_refused(ended, stage, f"{damaged}: damaged", output)
    assert_set_aside(ended, damaged, b"\0" * 1000)


def test_an_input_of_another_kind_is_named(run, plan, shard, tmp_path):
    tasks, output = tmp_path / "tasks.safetensors", tmp_path / "metrics.parquet"
    run_stage(prepare, data_job(plan, shard), tasks)
    runs = tmp_path / "runs.safetensors"
    runs.write_bytes(tasks.read_bytes())
    inputs = ["--data", tasks, "--runs", runs]
    ended = run("measure", "--job", plan.measure_job(shard).text, *inputs, "--output", output)
    assert_refused(ended, "measure", f"{runs}: is a file of data", output)
    assert_set_aside(ended, runs, tasks.read_bytes())


def test_an_input_of_another_seed_is_named(run, plan, shard, tmp_path):
    tasks, output = tmp_path / "tasks.safetensors", tmp_path / "runs.safetensors"
    run_stage(prepare, data_job(plan, shard._replace(seed=1)), tasks)
    inputs = ["--data", tasks]
    before = tasks.read_bytes()
    ended = run("train", "--job", plan.train_job(shard).text, *inputs, "--output", output)
    assert_refused(ended, "train", f"{tasks}: holds seed 1, not 0", output)
    assert_set_aside(ended, tasks, before)


def data_job(plan, shard):
    return plan.data[plan.data_place(shard)]


def stale(job):
    return json.dumps(json.loads(job) | {"code": "0123456789ab"})


def test_a_job_planned_with_other_code_is_refused(run, plan, shard, tmp_path):
    output = tmp_path / "tasks.safetensors"
    ended = run("prepare", "--job", stale(data_job(plan, shard).text), "--output", output)
    assert_refused(ended, "prepare", "planned with 0123456789ab, found", output)


def test_a_job_planned_with_code_that_was_accepted_for_it_runs(
    run, plan, shard, tmp_path, monkeypatch
):
    output, job = tmp_path / "tasks.safetensors", data_job(plan, shard).text
    accepted = {"prepare": {json.loads(job)["code"]: "0123456789ab"}}
    monkeypatch.setenv("REPATLAS_ACCEPT_CODE", json.dumps(accepted))
    code, stderr = run("prepare", "--job", stale(job), "--output", output)
    assert code == 0
    assert "drew 3 tasks of seed 0" in stderr
    assert output.exists()


def test_a_job_that_is_no_json_is_refused(run, tmp_path):
    output = tmp_path / "output"
    ended = run("prepare", "--job", "{seed: 0}", "--output", output)
    assert_refused(ended, "prepare", "", output)


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (lambda job: job.pop("wanted"), "ValidationError: 1 validation error for PrepareJob"),
        (lambda job: job.update(tasks=[{"kind": "xor"}]), "ValidationError: 1 validation error"),
    ],
    ids=["KeyError", "a library's ValueError"],
)
def test_a_bug_has_its_traceback_and_says_what_a_report_needs(
    run, plan, shard, tmp_path, broken, error
):
    job, output = json.loads(data_job(plan, shard).text), tmp_path / "tasks.safetensors"
    broken(job)
    arguments = ["prepare", "--job", json.dumps(job), "--output", output]
    code, stderr = run(*arguments, traceback=True)
    assert code == 1
    assert error in stderr
    *_, command, sentence = stderr.splitlines()
    assert shlex.split(command) == ["Command:", "python", "-m", "repatlas", *map(str, arguments)]
    assert sentence.startswith("repatlas prepare: bug: ")
    assert f"repatlas {__version__}, Python 3." in sentence
    assert not output.exists()


def test_a_bug_names_the_job_that_came_from_standard_input(plan, shard, tmp_path):
    job, output = json.dumps(json.loads(data_job(plan, shard).text) | {"wanted": [{}]}), "tasks"
    ended = subprocess.run(
        [sys.executable, "-m", "repatlas", "prepare", "-", "--output", output],
        input=f"--job\0{job}\0",
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    command = shlex.split(ended.stderr.splitlines()[-2])
    assert command[4:] == ["prepare", "--job", job, "--output", output]


AS_A_PROCESS = """
import atexit, runpy, sys, threading, time, types

def main(arguments):
    atexit.register(print, "what was registered for the end")
    threading.Thread(target=lambda: (time.sleep(0.1), print("what a thread does"))).start()
    print("what it does")

sys.modules["repatlas.operations.verify"] = types.SimpleNamespace(main=main)
sys.argv = ["repatlas", "verify"]
runpy.run_module("repatlas", run_name="__main__")
"""


def test_a_process_ends_after_all_that_was_begun_or_registered():
    process = [sys.executable, "-c", AS_A_PROCESS]
    ended = subprocess.run(process, capture_output=True, text=True, check=True)
    said = ["what it does", "what a thread does", "what was registered for the end"]
    assert (ended.stdout.splitlines(), ended.stderr) == (said, "")


def test_a_process_whose_reader_has_ended_fails_without_a_word():
    process = subprocess.Popen(
        [sys.executable, "-c", AS_A_PROCESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == (b"", 1)


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 1 byte")],
)
def test_too_little_memory_is_no_bug(monkeypatch, error):
    def fail(arguments):
        raise error

    monkeypatch.setattr(prepare, "main", fail)
    monkeypatch.setattr(sys, "argv", ["repatlas", "prepare"])
    with pytest.raises(SystemExit, match=r"^repatlas prepare: error: not enough memory$"):
        main()


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'PIL'", name="PIL"),
        ImportError("cannot import name '_imaging' from 'PIL'", name="PIL"),
        FileNotFoundError(2, "No such file", f"{sys.prefix}/lib/matplotlibrc"),
    ],
)
def test_what_the_environment_lacks_is_installed_by_make_env(monkeypatch, error):
    def fail(arguments):
        raise error

    monkeypatch.setattr(prepare, "main", fail)
    monkeypatch.setattr(sys, "argv", ["repatlas", "prepare"])
    with pytest.raises(SystemExit, match=r"^repatlas prepare: error: .*run `make env`$"):
        main()


def test_an_output_that_cannot_be_written_is_named(run, plan, shard, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    output = tmp_path / "file" / "tasks.safetensors"
    ended = run("prepare", "--job", data_job(plan, shard).text, "--output", output)
    assert_refused(ended, "prepare", str(tmp_path / "file"))


def test_a_config_that_is_refused_ends_in_its_sentence(run, small_values, tmp_path):
    small_values["sweeps"]["noise"]["seeds"] = 0
    file = tmp_path / "mine.yaml"
    file.write_text(json.dumps(small_values))
    code, stderr = run("verify", file)
    assert code != 0
    assert stderr == (
        "repatlas verify: error: mine.yaml: sweeps.noise.seeds: found 0, allowed: at least 1\n"
    )
