"""What a run says while it runs, line by line."""

import io
import logging

import pytest
from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import DefaultFormatter, logger
from snakemake_interface_logger_plugins.common import LogEvent

from repatlas.operations import terminal as module
from repatlas.operations.terminal import (
    Run,
    Terminal,
    in_words,
    install_terminal_handler,
    last_words,
)
from repatlas.operations.time_left import TimeLeft

PARAMS = '--job \'{"code": "d10f2b7e322c", "decoders": {}}\''


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Screen(io.StringIO):
    def isatty(self):
        return True


class Logged:
    """A terminal, and Snakemake's records of two jobs on one core, of 600 s each."""

    def __init__(self, stream):
        self.stream, self.clock = stream, Clock()
        seconds = {"seed-0.parquet": 600.0, "seed-1.pdf": 600.0}
        run = Run(TimeLeft(seconds, 1, self.clock), str, {"all", "xor"})
        self.handler = Terminal(
            lambda: run,
            stream,
            DefaultFormatter(show_failed_logs=True),
            ending=lambda drawn: f"2 figures, {drawn} drawn",
        )
        numbers = {"train": 2, "xor": 1, "all": 1, "total": 4}
        self.log("train  2\n", LogEvent.RUN_INFO, stats=numbers)

    def log(self, text=None, event=None, level=logging.INFO, **more):
        record = logging.makeLogRecord(
            {"msg": text, "levelno": level, "levelname": logging.getLevelName(level)}
            | ({"event": event} if event else {})
            | more
        )
        self.handler.handle(record)

    def start(self, job):
        self.log("Select jobs to execute...")
        self.log("Execute 1 jobs...", LogEvent.JOB_STARTED, jobs=[job])
        self.log(None, LogEvent.JOB_INFO, jobid=job, reason=PARAMS, rule_name="train",
                 rule_msg=f"Train the networks of xor, seed {job - 1}",
                 output=[("seed-0.parquet", "seed-1.pdf")[job - 1]])  # fmt: skip

    def end(self, job, total=3):
        self.log(None, LogEvent.JOB_FINISHED, job_id=job)
        self.log(None, LogEvent.PROGRESS, done=job, total=total)

    def fail(self, job, log, message=None):
        self.log(f"RuleException:\nCommand 'x {PARAMS}' returned non-zero exit status 1.",
                 LogEvent.ERROR, logging.ERROR)  # fmt: skip
        self.log(None, LogEvent.JOB_ERROR, logging.ERROR, jobid=job, rule_name="train",
                 rule_msg=message, log=[f"{log} (check log file(s) for error details)"],
                 output=["seed-0.parquet"], shellcmd=PARAMS)  # fmt: skip

    def lines(self):
        return self.stream.getvalue().splitlines()


@pytest.fixture(autouse=True)
def at_noon(monkeypatch):
    monkeypatch.setattr(module.time, "strftime", lambda form: "12:00:00")


@pytest.fixture
def logged():
    return Logged(io.StringIO())


def test_it_begins_with_the_jobs_and_the_time_that_they_take(logged):
    assert logged.lines() == ["train  2", "", "2 jobs, about 20 min left"]


def test_a_job_that_ends_well_is_one_line_and_nothing_else(logged):
    logged.start(1)
    logged.clock.now = 60.0
    logged.end(1)
    assert logged.lines()[3:] == [
        "12:00:00 Train the networks of xor, seed 0: 60 s (1 of 2, about 2 min left)"
    ]


def test_a_job_whose_start_nobody_wants_to_read_of_has_its_line_at_its_end(logged):
    logged.handler.addFilter(lambda record: getattr(record, "event", None) != LogEvent.JOB_INFO)
    logged.start(1)
    logged.end(1)
    assert logged.lines()[-1].startswith("12:00:00 Train the networks of xor, seed 0: 0 s (1 of 2")


def test_a_run_that_went_well_says_last_where_its_figures_are(logged):
    for job in (1, 2):
        logged.start(job)
        logged.end(job, total=2)
    logged.handler.close()
    assert logged.lines()[-1] == "2 figures, 1 drawn"


def test_a_run_that_failed_does_not_say_where_its_figures_are(logged, tmp_path):
    logged.start(1)
    logged.end(1)
    logged.start(2)
    logged.fail(2, tmp_path / "log")
    logged.handler.close()
    assert "figures" not in logged.stream.getvalue()


def test_a_command_with_nothing_left_to_do_says_where_the_figures_are():
    stream = io.StringIO()
    handler = Terminal(
        lambda: None, stream, DefaultFormatter(), ending=lambda drawn: f"2 figures, {drawn} drawn"
    )
    handler.handle(logging.makeLogRecord({"msg": NOTHING_TO_BE_DONE_MSG}))
    handler.close()
    assert stream.getvalue() == f"{NOTHING_TO_BE_DONE_MSG}\n2 figures, 0 drawn\n"


def test_without_a_terminal_nothing_is_written_over(logged):
    logged.start(1)
    logged.end(1)
    assert "\r" not in logged.stream.getvalue()
    assert "\x1b" not in logged.stream.getvalue()


def test_the_jobs_own_params_are_nowhere(logged, tmp_path):
    (tmp_path / "log").write_text(
        f"Traceback (most recent call last):\n  x\nCommand: python -m repatlas train {PARAMS}\n"
        "repatlas train: bug: this is a fault of repatlas\n"
    )
    logged.start(1)
    logged.fail(1, tmp_path / "log")
    logged.handler.close()
    assert "d10f2b7e322c" not in logged.stream.getvalue()
    assert "Traceback (most recent call last):\n  x\n" in logged.stream.getvalue()


def test_a_failed_jobs_sentence_and_log_come_last(logged, tmp_path):
    log = tmp_path / "seed-0.log"
    log.write_text("block 1 of 3\nrepatlas train: error: not enough memory\n")
    logged.start(1)
    logged.fail(1, log, "SLURM-job '7' failed, SLURM status is: 'OUT_OF_MEMORY'")
    logged.start(2)
    logged.end(2)
    logged.log("At least one job did not complete successfully.", LogEvent.ERROR, logging.ERROR)
    logged.handler.close()
    assert logged.lines()[-4:] == [
        "Error in rule train (Train the networks of xor, seed 0):",
        "    SLURM-job '7' failed, SLURM status is: 'OUT_OF_MEMORY'",
        "    repatlas train: error: not enough memory",
        f"    log: {log}",
    ]


def test_a_job_that_ends_well_at_a_second_attempt_is_no_failure(logged, tmp_path):
    logged.start(1)
    logged.fail(1, tmp_path / "none")
    logged.start(1)
    logged.end(1)
    before = logged.stream.getvalue()
    logged.handler.close()
    assert logged.stream.getvalue() == before


@pytest.mark.parametrize(
    ("log", "words"), [("", "none"), ("block 1 of 3\n", "block 1 of 3")], ids=["empty", "at work"]
)
def test_a_job_that_was_killed_did_not_say_why(logged, tmp_path, log, words):
    (tmp_path / "log").write_text(log)
    logged.start(1)
    logged.fail(1, tmp_path / "log")
    assert f"It was killed, most likely. Its last words: {words}\n" in logged.stream.getvalue()


def test_on_a_terminal_the_last_line_says_how_far_the_run_is():
    logged = Logged(Screen())
    logged.start(1)
    logged.clock.now = 600.0
    logged.end(1)
    *_, last = logged.stream.getvalue().split(module.CLEAR)
    assert last.splitlines()[-1] == "[##########..........] 1 of 2 jobs, about 10 min left"
    logged.end(2)
    logged.handler.close()
    assert logged.stream.getvalue().endswith(module.CLEAR), "which is gone in the end"


def test_what_snakemake_warns_of_is_said_as_ever(logged):
    logged.log("results/x: is of seed 1, not 0", level=logging.WARNING)
    assert logged.lines()[-1] == "results/x: is of seed 1, not 0"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "less than a minute left"),
        (59, "less than a minute left"),
        (61, "about 1 min left"),
        (5399, "about 90 min left"),
        (7200, "about 2.0 h left"),
    ],
)
def test_a_time_is_as_exact_as_it_is_known(seconds, words):
    assert in_words(seconds) == words


def test_the_last_words_are_those_of_the_last_traceback(tmp_path):
    log = tmp_path / "log"
    start = "Traceback (most recent call last):"
    log.write_text(f"a\n{start}\nold\n{start}\nnew\n\nValueError: x\n")
    assert last_words(log) == [start, "new", "ValueError: x"]
    assert last_words(tmp_path / "none") == [""]


@pytest.fixture
def snakemakes(monkeypatch):
    """Snakemake's logger, with its own handler alone."""
    handler = module.ColorizingTextHandler(stream=io.StringIO(), formatter=DefaultFormatter())
    handler.set_name("DefaultStreamHandler")
    handler.addFilter(lambda record: record.msg != "quiet")
    monkeypatch.setattr(logger, "handlers", [handler])
    return handler


def test_it_takes_the_place_of_snakemakes_handler_and_is_as_quiet(snakemakes):
    install_terminal_handler(lambda: None, str, dry_run=False)
    [mine] = logger.handlers
    assert isinstance(mine, Terminal)
    for text in ("quiet", "heard"):
        mine.handle(logging.makeLogRecord({"msg": text}))
    assert snakemakes.stream.getvalue() == "heard\n"


def test_a_dry_run_has_snakemakes_lines_without_params(snakemakes):
    install_terminal_handler(lambda: None, str, dry_run=True)
    [mine] = logger.handlers
    reason = f"Missing output files: a; Params have changed since last execution: {PARAMS}"
    about = {"event": LogEvent.JOB_INFO, "jobid": 1, "rule_msg": "Train", "reason": reason}
    mine.handle(logging.makeLogRecord(about))
    said = snakemakes.stream.getvalue()
    assert said.endswith("Missing output files: a; Params have changed since last execution\n")


def test_a_logger_that_the_user_chose_stays(monkeypatch):
    chosen = logging.NullHandler()
    monkeypatch.setattr(logger, "handlers", [chosen])
    install_terminal_handler(lambda: None, str, dry_run=False)
    assert logger.handlers == [chosen]


def test_a_job_that_was_interrupted_is_one_line(logged, tmp_path):
    (tmp_path / "log").write_text("block 1 of 3\nrepatlas train: interrupted\n")
    logged.start(1)
    logged.fail(1, tmp_path / "log")
    logged.handler.close()
    assert logged.lines()[-1].endswith(" Train the networks of xor, seed 0: interrupted")
    assert "Error" not in logged.stream.getvalue()
