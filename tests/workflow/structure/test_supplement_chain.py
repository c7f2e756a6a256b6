"""Figure 8 and the supplements S1 to S3 and S8, from a tiny config."""

import pytest

# These networks are trained, and these figures drawn, in one process by
# tests/unit/structure/test_drawn_texts.py.
pytestmark = pytest.mark.slow


def test_the_tables_say_what_their_networks_differ_in(results_of):
    def kinds(figure, *columns):
        table = results_of("supplements").table(figure)
        table = table[table["seed"].notna()]
        return set(table[list(columns)].itertuples(index=False, name=None))

    assert kinds("fig08", "readout") == {("binary",), ("normal",), ("trained",)}
    uncentred = {"normal", "symmetric", "positive", "rectified", "raw"}
    assert kinds("figS1", "distribution", "centred") == {
        ("normal", True),
        *((distribution, False) for distribution in uncentred),
    }
    assert kinds("figS2", "readout", "errors") == {("binary", "equal"), ("trained", "output")}
    assert kinds("figS3", "clusters", "targets") == {(4, 1), (8, 3)}
    assert kinds("figS8", "depth") == {(2,), (3,)}
