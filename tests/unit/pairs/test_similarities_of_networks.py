"""What measures of two networks say, against the library and closed forms."""

from types import SimpleNamespace

import numpy as np
import pytest
from selections import some

from repatlas.geometry import kernel_alignment
from repatlas.named import named
from repatlas.networks.layer import Layer
from repatlas.pairs.floor import floor
from repatlas.pairs.seen import Network, Seen, Settings
from repatlas.similarity import canonical_correlations, pwcca, semi_matching, svcca

ITEMS = {"train": 120, "test": 80}
WIDTH = 12


class Linear:
    """A network whose first layer is given and whose logits are a linear map of it."""

    def __init__(self, seed, width=WIDTH, classes=3):
        rng = np.random.default_rng(seed)
        self.rows = {name: rng.standard_normal((m, width)) for name, m in ITEMS.items()}
        self.readout = rng.standard_normal((width, classes))

    def sets(self, spec):
        return tuple(ITEMS)

    def layers(self, spec, parameters, items):
        return [Layer(1, "hidden1", "", self.rows[items])]

    def logits_from(self, spec, parameters, number, activity):
        return activity @ self.readout

    def labels(self, spec, items):
        return (self.rows[items] @ self.readout).argmax(axis=1)


def seen(compared, seed=0):
    """Return layer 1 of the compared network, the only layer that these tests use."""
    return Network(compared, SimpleNamespace(), seed, {}, [1]).seen("train", 1)


@pytest.fixture
def pair():
    """Two layers that have four directions in common."""
    one, other = Linear(0), Linear(1)
    for name, rows in one.rows.items():
        other.rows[name][:, :4] = rows[:, 4:8] + 0.1 * other.rows[name][:, :4]
    return seen(one, 0), seen(other, 1)


def rows_of(name, x, y, **settings):
    return list(named("pairs.similarities", name).rows(x, y, Settings(**settings)))


def value(rows, variant, measure=None, **where):
    [row] = [
        row
        for row in rows
        if row.variant == variant
        and (measure is None or row.measure == measure)
        and all(getattr(row, key) == wanted for key, wanted in ({"unit": None} | where).items())
    ]
    return row.value


def test_they_are_those_of_the_library(pair):
    x, y = pair
    correlations = canonical_correlations(x.rows, y.rows)
    assert value(rows_of("cca", x, y), "mean") == pytest.approx(correlations.mean())
    found = rows_of("svcca", x, y, svcca_k=[3])
    assert value(found, "variance") == pytest.approx(svcca(x.rows, y.rows).similarity)
    by_three = svcca(x.rows, y.rows, "directions", 3).similarity
    assert value(found, "k = 3") == pytest.approx(by_three)
    assert value(rows_of("pwcca", x, y), "both") == pytest.approx(pwcca(x.rows, y.rows, "both"))
    debiased = kernel_alignment(x.rows, y.rows, debiased=True)
    assert value(rows_of("alignment", x, y), "debiased") == debiased


@pytest.mark.parametrize("dead", [0, 5])
def test_together_they_are_what_they_are_one_by_one(pair, dead):
    x, y = (Seen(np.hstack([of.rows, np.ones((len(of.rows), dead))]) + 9) for of in pair)
    for one, other in ((x, y), (y, x.in_order(np.random.default_rng(0).permutation(120)))):
        found = rows_of("together", one, other, svcca_k=[1, 3])
        assert value(found, "k = 1") == pytest.approx(
            svcca(one.rows, other.rows, "directions", 1).similarity
        )
        alone = [
            row
            for name in ("cca", "pwcca", "svcca", "alignment")
            for row in rows_of(name, one, other, svcca_k=[1, 3])
        ]
        assert [row[:2] for row in found] == [row[:2] for row in alone]
        assert [row.value for row in found] == pytest.approx([row.value for row in alone], abs=1e-9)
        assert [row.kept for row in found] == [row.kept for row in alone]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.zeros((60, 12)), "all items of a, or of b, are the same"),
        (np.random.default_rng(0).standard_normal((20, 12)), "add up to 19"),
        (np.random.default_rng(0).standard_normal((8, 12)), "with more features than items"),
        (np.random.default_rng(0).standard_normal((3, 2)), "debiased alignment needs 4 or more"),
    ],
)
def test_together_they_are_refused_for_what_each_is_refused(rows, reason):
    one, other = Seen(rows), Seen(np.random.default_rng(1).standard_normal(rows.shape))
    found = rows_of("together", one, other, svcca_k=[3])
    alone = [
        row
        for name in ("cca", "pwcca", "svcca", "alignment")
        for row in rows_of(name, one, other, svcca_k=[3])
    ]
    assert any(reason in (row.reason or "") for row in found)
    assert [row.reason is None for row in found] == [row.reason is None for row in alone]


def test_centres_that_are_turned_are_aligned():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 6))
    turned = Seen(3 * x @ np.linalg.qr(rng.standard_normal((6, 6)))[0] + 1)
    assert value(rows_of("alignment_of_centres", Seen(x), turned), "plain") == pytest.approx(1)
    line, other = np.array([[1.0], [1], [-1], [-1]]), np.array([[1.0], [-1], [1], [-1]])
    [across] = rows_of("alignment_of_centres", Seen(line), Seen(other))
    assert across.value == pytest.approx(0)


def test_a_permuted_network_matches_in_aligned_order_and_not_in_natural_order(pair):
    x, _ = pair
    y = Seen(x.rows[:, ::-1])
    assert value(rows_of("matching", x, y), "signed", "matching") == pytest.approx(1)
    assert value(rows_of("natural", x, x), "signed", "natural") == pytest.approx(1)
    assert abs(value(rows_of("natural", x, y), "signed", "natural_excess")) < 0.15


def test_units_are_in_descending_order_and_semi_is_never_below_matching(pair):
    x, y = pair
    units = {
        measure: [r.value for r in rows_of("sorted_units", x, y) if r[:2] == (measure, "signed")]
        for measure in ("sorted_matching", "sorted_semi_matching")
    }
    assert all(values == sorted(values, reverse=True) for values in some(units.values()))
    matched, best = (np.array(values) for values in units.values())
    assert some(best >= matched).all()
    found = rows_of("matching", x, y)
    assert value(found, "signed", "matching") == pytest.approx(matched.mean())
    assert value(found, "signed", "matched_share") == 4 / WIDTH  # four directions in common
    found = rows_of("semi_matching", x, y)
    for direction, one, other in (("a to b", x, y), ("b to a", y, x)):
        best = semi_matching(one.rows, other.rows).correlations
        assert value(found, f"signed, {direction}", "semi_matching") == pytest.approx(best.mean())
        alone = value(found, f"signed, {direction}", "without_partner")
        assert alone == pytest.approx(1 - 4 / WIDTH)


def test_images_that_units_prefer_are_those_that_activate_them_most():
    """The input is the layer itself: a unit prefers the items with its largest values, and the unit
    that matches it the same ones."""

    class Mirror(Linear):
        def layers(self, spec, parameters, items):
            rows = self.rows[items]
            return [Layer(0, "input", "", rows), Layer(1, "hidden1", "", rows[:, self.order])]

    one, other = Mirror(0), Mirror(0)
    one.order, other.order = np.arange(WIDTH), np.arange(WIDTH)[::-1]
    x, y = seen(one, 0), seen(other, 1)
    found = rows_of("preferred_images", x, y)
    [pair] = [row for row in found if row[:2] == ("preferred_pair", "best")]
    assert pair.other_unit == WIDTH - 1 - pair.unit
    for side in "ab":
        of_side = [row for row in found if row.variant == f"best, {side}"]
        pixels = np.array([row.value for row in of_side]).reshape(9, WIDTH)
        largest = np.sort(x.rows[:, pair.unit])[::-1][:9] - x.rows[:, pair.unit].min()
        np.testing.assert_allclose(pixels[:, pair.unit], largest)
    assert pixels.min() >= 0


def test_patches_are_what_the_most_active_positions_see():
    """Make photographs of one bright pixel, at another position in each. A channel of a layer with
    half the side is active at the pixel, and more active if it is brighter."""
    images, side = 12, 32
    photographs = np.zeros((images, 3, side, side))
    activity = np.zeros((images, side // 2, side // 2, 1))
    for image in range(images):
        row, column = divmod(8 * image, side)
        photographs[image, :, 2 * row, column] = activity[image, row, column // 2] = 1 + image

    class Photographs(Linear):
        def layers(self, spec, parameters, items):
            groups = np.arange(images).repeat((side // 2) ** 2)
            shown = photographs.reshape(images, -1)
            rows = activity.reshape(-1, 1)
            return [Layer(0, "input", "flat", shown), Layer(1, "conv1", "spatial", rows, groups)]

    spec = SimpleNamespace(data_set="cifar10")
    x, y = (Network(Photographs(n), spec, n, {}).seen("test", 1, "spatial") for n in (0, 1))
    found = [row for row in rows_of("preferred_patches", x, y) if row.variant == "best, a"]
    patches = np.array([row.value for row in found]).reshape(9, 3, 4, 4)
    brightness = np.arange(12, 3, -1) / 12
    np.testing.assert_allclose(patches[:, :, 1, 1], np.stack([brightness] * 3, axis=1))
    np.testing.assert_allclose(np.nansum(patches, axis=(1, 2, 3)), 3 * brightness)
    assert some(np.isnan(patches[-1, :, 0])).all(), "it is at the border"


def test_layers_of_different_widths_have_no_natural_order(pair):
    x, y = pair
    [*found] = rows_of("natural", x, y.units(np.arange(5)))
    assert all(np.isnan(row.value) and "12 and 5 units" in row.reason for row in some(found))


def test_images_of_different_numbers_of_rows_stay_whole(monkeypatch):
    images = np.array([0, 0, 0, 1, 2, 2])
    x = Seen(np.arange(6.0)[:, None], images)
    drawn = []
    measure = SimpleNamespace(
        DRAWS=20, rows=lambda x, y, settings: drawn.append(y.rows.ravel().tolist()) or ()
    )
    assert list(floor(measure, x, x, Settings(), seed=0)) == []
    assert len({tuple(order) for order in drawn}) > 3
    for order in drawn:
        text = "".join(str(int(row)) for row in order)
        assert all(block in text for block in ("012", "3", "45"))


def test_predictions_find_the_units_that_are_copies(pair):
    """Four of the twelve units of y are nearly units of x, and nothing predicts the others."""
    x, y = pair
    found = rows_of("sparse_prediction", x, y)
    assert value(found, "a to b, local", "code_class") == pytest.approx(4 / 12)
    assert value(found, "a to b, unpredicted", "code_class") == pytest.approx(8 / 12, abs=0.1)
    losses = [row.value for row in found if row[:2] == ("training_loss", "a to b")]
    assert losses == sorted(losses)
    assert value(found, "a to b", "held_out_loss", at=1.0) == pytest.approx(0.5, abs=0.1)
    [at_chance] = [
        row
        for row in floor(named("pairs.similarities", "sparse_prediction"), x, y, Settings(), seed=0)
        if row[:2] == ("held_out_loss", "a to b floor") and row.at == 0
    ]
    assert at_chance.value > 0.45
    assert np.isnan(at_chance.sd)


def test_the_published_procedure_stops_early_and_the_optimum_does_not(pair):
    x, y = pair
    found = rows_of("published_prediction", x, y)
    early, optimum = (
        {decay: value(found, "a to b", f"{way}_training_loss", at=decay) for decay in (0.0, 1e-2)}
        for way in ("published", "convex")
    )
    assert early[0.0] > optimum[0.0]
    # Where it has nearly converged: the penalty is the decay times the number of targets.
    assert early[1e-2] == pytest.approx(optimum[1e-2], abs=5e-3)
    assert value(found, "a to b", "published_nonzeros", at=0.1) < 2
    assert value(found, "a to b", "published_held_out_loss", at=0.1) == pytest.approx(0.5, abs=0.1)
    again = rows_of("published_prediction", x, y)
    assert again == found


def test_all_directions_have_the_whole_accuracy_and_few_neurons_less(pair):
    x, y = pair
    found = rows_of("directions", x, y)
    assert value(found, "whole", at=WIDTH) == 1
    few = value(found, "random neurons, others at mean", at=2)
    assert few < 0.9
    every = [row for row in found if row.measure == "accuracy" and row.at == 10]
    assert {"svcca, orthogonal", "svcca, least squares", "principal"} <= {r.variant for r in every}
    cut = [row.value for row in found if row.measure == "cut_correlation"]
    assert cut == sorted(cut)
    assert cut[-1] < 1  # 8 of 12 neurons


def test_a_layer_from_which_the_network_cannot_go_on_has_a_reason(pair):
    x, y = pair
    pooled = Seen(x.rows, None, x.network, "train", 1, "pooled")
    [row] = rows_of("directions", pooled, y)
    assert row.reason == "the network cannot go on from this layer"
