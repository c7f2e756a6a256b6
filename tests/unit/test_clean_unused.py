"""clean_unused: what no config wants any more is dropped from the store, and nothing else."""

import pytest

from repatlas.operations import clean_unused
from repatlas.record import Refused

OLD, NEW = (f"figures/structure/fig02/{digit * 16}.pdf" for digit in "12")


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Return a store with two versions of a figure. A config wants one of them."""
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "results/store"
    for name in (OLD, NEW):
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text("a figure")
    (store / "all.wanted").write_text(f"{NEW}\n")
    return store


def test_a_version_that_no_config_wants_is_named_and_dropped(store, capsys):
    clean_unused.main([])
    assert not (store / OLD).exists()
    assert (store / NEW).exists()
    assert capsys.readouterr().out.splitlines()[0] == f"results/store/{OLD}"


def test_what_a_preview_wants_stays(store):
    (store / "preview.wanted").write_text(f"{OLD}\n")
    clean_unused.main([])
    assert (store / OLD).exists()


def test_a_dry_run_drops_nothing(store):
    clean_unused.main(["-n"])
    assert (store / OLD).exists()


def test_it_is_refused_while_a_workflow_is_at_work(store, monkeypatch):
    def busy(folder):
        raise RuntimeError(f"another workflow is at work in {folder}")

    monkeypatch.setattr(clean_unused, "occupy", busy)
    with pytest.raises(Refused, match="another workflow is at work in results"):
        clean_unused.main([])
    assert (store / OLD).exists()


def test_without_a_list_of_what_is_wanted_it_is_refused(store):
    (store / "all.wanted").unlink()
    with pytest.raises(Refused, match="no list of what is wanted"):
        clean_unused.main([])
    assert (store / OLD).exists()
