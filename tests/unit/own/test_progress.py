"""Long calls say on the screen how far they are, and short or unwatched ones say nothing."""

from types import SimpleNamespace

import numpy as np
import pytest

from repatlas.own import compare, measure, progress

RNG = np.random.default_rng(0)
SIDE, PLACE = np.tile([0, 1], 20), np.repeat([0, 1], 20)
RATES = RNG.standard_normal((40, 8))
LABELS = {"side": SIDE, "place": PLACE}


@pytest.fixture
def terminal(monkeypatch):
    """What a terminal gets, where a second passes with each look at the clock."""
    written = []

    class Terminal:
        def isatty(self):
            return True

        def write(self, text):
            written.append(text)

        def flush(self):
            pass

    clock = iter(range(100_000))
    monkeypatch.setattr(progress, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=Terminal(), modules={}))
    return written


def test_a_long_measure_says_what_it_does_and_how_far_it_is(terminal):
    measure(RATES, LABELS, "trials", None, ["ccgp", "parallelism"], draws=9)
    assert any(
        line.startswith("\rmeasure: ccgp (1 of 2 measures), 7 scores, ") for line in terminal
    )
    assert any(line.startswith("\rmeasure: parallelism (2 of 2 measures)") for line in terminal)


def test_a_long_comparison_says_which_pair_it_is_at(terminal):
    layers = {f"layer {number}": RNG.standard_normal((40, 4)) for number in range(3)}
    compare(layers, None, ["procrustes", "rsa"], draws=5)
    assert any("compare: rsa (2 of 2 measures), pair 3 of 3, 4 scores" in line for line in terminal)


def test_a_long_alignment_says_what_share_of_pairs_is_computed(terminal):
    layers = {f"layer {number}": RNG.standard_normal((60, 4)) for number in range(3)}
    compare({"new": RNG.standard_normal((60, 4))}, layers, draws=5)
    shares = [line.split(",")[1] for line in terminal if "of pairs" in line]
    assert shares[0] != " 100% of pairs" and shares[-1] == " 100% of pairs"
    assert any(", 5 permutations of all pairs, " in line for line in terminal)


def test_the_line_is_wiped_in_the_end_and_after_an_error(terminal):
    measure(RATES, LABELS, "trials", None, ["ccgp"], draws=9)
    assert set(terminal[-1]) == {"\r", " "}
    assert progress._now.get() is None


def test_a_short_call_writes_nothing(terminal, monkeypatch):
    monkeypatch.setattr(progress, "monotonic", lambda: 0.0)
    measure(RATES, LABELS, "trials", None, ["ccgp"], draws=9)
    assert terminal == []


def test_a_file_or_a_pipe_gets_nothing(capsys, monkeypatch):
    clock = iter(range(100_000))
    monkeypatch.setattr(progress, "monotonic", lambda: float(next(clock)))
    measure(RATES, LABELS, "trials", None, ["ccgp"], draws=9)
    assert capsys.readouterr().err == ""


def test_a_notebook_gets_the_line(terminal, monkeypatch):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: False, raising=False)
    progress.sys.modules["ipykernel"] = object()
    measure(RATES, LABELS, "trials", None, ["ccgp"], draws=9)
    assert terminal
