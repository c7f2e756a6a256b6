"""Figure 8 and the supplements S1 to S3 and S8, from a tiny config."""

import pytest

# These networks are trained, and these figures drawn, in one process by
# tests/unit/structure/test_drawn_texts.py.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def supplements(results_of):
    return results_of("supplements")


def test_the_figures_share_their_networks(supplements):
    found = {
        (log.parent.name, int(line.split()[0]))
        for log in supplements.results.glob("logs/train/clusters/unstructured-*/seed-0.log")
        for line in log.read_text().splitlines()
        if "networks of seed" in line
    }
    # Deep networks of two depths are families. Networks with one layer are another family: three
    # readouts, one of them Figure 1's, another the standard of S2; five inputs; simplified.
    assert sorted(number for _, number in found) == [2, 2, 2 * (3 + 5 + 1)]


def test_the_tables_say_what_their_networks_differ_in(supplements):
    def kinds(figure, *columns):
        table = supplements.table(figure)
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
