"""The statistics of the claims on tables whose answer is known."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from claim_rows import rows_of

from repatlas.claims.selection import NoRows
from repatlas.claims.statistics import STATISTICS

T, R = {"activation": "tanh"}, {"activation": "relu"}
OF = {"measure": "alignment"}
PAIR = {"first": T, "second": R}


def table(value, seeds=5, **axes):
    """Return rows with value(seed, **point) for each seed and point of the axes."""
    rows = [
        {"seed": seed, "measure": "alignment"} | (point := dict(zip(axes, values, strict=True)))
        | {"value": value(seed, **point)}
        for seed in range(seeds)
        for values in product(*axes.values())
    ]  # fmt: skip
    return pd.DataFrame(rows)


def sample(name, rows, **options):
    return STATISTICS[name](rows_of(rows), **options)


def result(name, rows, **options):
    """Return the median over seeds of the statistic."""
    return float(np.median(sample(name, rows, **options).values))


both = ["tanh", "relu"]


def test_a_level_is_the_value_of_each_seed():
    rows = table(lambda seed, activation: seed + 10.0 * (activation == "relu"), activation=both)
    found = sample("level", rows, of=OF | R)
    assert found.values.tolist() == [10, 11, 12, 13, 14]
    assert result("level", rows, of=OF | R) == 12


def test_a_difference_is_paired_by_seed():
    rows = table(lambda seed, activation: seed**2 + seed * (activation == "tanh"), activation=both)
    shuffled = rows.sample(frac=1, random_state=0)
    found = sample("difference", shuffled, of=OF, first=T, second=R)
    assert found.values.tolist() == [0, 1, 2, 3, 4]
    assert found.seeds == [0, 1, 2, 3, 4]


def test_a_correlation_of_measures_is_over_the_settings_of_each_seed():
    rows = table(lambda seed, x, y: x + 10 * y, x=[1.0, 2.0, 3.0], y=[0.0, 1.0])
    other = rows.assign(measure="share", value=lambda each: -(each["value"] ** 3))
    other.loc[(other["seed"] == 1) & (other["x"] == 2), "value"] = np.nan
    both = pd.concat([rows, other])
    of = [{"measure": "alignment"}, {"measure": "share"}]
    found = sample("measure_correlation", both, of=of, over=["x", "y"])
    assert found.values == pytest.approx([-1] * 4)
    assert found.seeds == [0, 2, 3, 4]
    with pytest.raises(NoRows, match="found several rows with measure alignment"):
        sample("measure_correlation", both, of=of, over=["x"])
    with pytest.raises(NoRows, match="found 1 value of x and y"):
        sample(
            "measure_correlation", both, of=[e | {"x": 1.0, "y": 0.0} for e in of], over=["x", "y"]
        )


def test_a_seed_that_lacks_a_network_is_left_out():
    rows = table(lambda seed, activation: float(seed), activation=both)
    rows.loc[(rows["seed"] == 2) & (rows["activation"] == "relu"), "value"] = np.nan
    rows = rows[(rows["seed"] != 4) | (rows["activation"] != "tanh")]
    assert sample("difference", rows, of=OF, first=T, second=R).seeds == [0, 1, 3]


def test_several_values_of_a_selection_are_averaged_and_a_seed_that_lacks_one_is_left_out():
    rows = table(lambda seed, delta: seed + delta, delta=[0.0, 0.5, 1.0])
    rows = rows[(rows["seed"] != 1) | (rows["delta"] != 0.5)]
    found = sample("level", rows, of=OF | {"delta": [0.5, 1.0]})
    assert found.values.tolist() == [0.75, 2.75, 3.75, 4.75]


def test_first_and_last_are_the_ends_of_an_axis():
    rows = table(lambda seed, step: float(step), step=[0, 5, 2000])
    options = {"of": OF, "first": {"step": "last"}, "second": {"step": "first"}}
    assert result("difference", rows, **options) == 2000


@pytest.mark.parametrize("of", [{"measure": "ccgp"}, {"colour": "red"}])
def test_what_is_not_in_the_table_is_named(of):
    with pytest.raises(
        NoRows, match=f"no .*{next(iter(of.values())) if 'measure' in of else 'colour'}"
    ):
        sample("level", table(lambda seed: 1.0), of=of)


def test_an_interaction_is_a_difference_of_differences():
    values = {("tanh", 1): 7, ("tanh", 0): 1, ("relu", 1): 5, ("relu", 0): 3}
    rows = table(
        lambda seed, activation, c: values[activation, c] + seed, activation=both, c=[0, 1]
    )
    options = {"first": [T | {"c": 1}, T | {"c": 0}], "second": [R | {"c": 1}, R | {"c": 0}]}
    assert result("interaction", rows, of=OF, **options) == (7 - 1) - (5 - 3)


def test_the_smallest_is_that_of_each_seed():
    rows = table(lambda seed, activation: seed if activation == "tanh" else 2, activation=both)
    found = sample("smallest", rows, of=OF, over=[T, R])
    assert found.values.tolist() == [0, 1, 2, 2, 2]


def test_the_smallest_along_an_axis_is_that_of_a_network_s_curve():
    x = [0.0, 1.0, 2.0]
    rows = table(lambda seed, activation, x: (x - 1) ** 2 + (activation == "tanh"),
                 activation=both, x=x)  # fmt: skip
    assert result("smallest_along", rows, of=OF, along="x", first=T) == 1
    assert result("smallest_along", rows, of=OF, along="x", first=R, second=T) == -1


def test_the_smallest_along_one_curve_is_there_for_each_network():
    rows = table(lambda seed, activation, x: seed + (x - 1) ** 2, activation=both, x=[0.0, 1.0])
    found = sample("smallest_along", rows, of=OF, along="x", first=T)
    assert found.values.tolist() == [0, 1, 2, 3, 4]
    assert found.seeds == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("at", "place"), [(0.25, 0.5), (0.5, 1.0), (3.0, 2.5), (-1.0, 0.0)])
def test_a_curve_crosses_a_value_between_two_points(at, place):
    rows = table(lambda seed, x: {0.0: 0.0, 1.0: 0.5, 2.0: 1.0, 3.0: 5.0}[x], x=[0.0, 1, 2, 3])
    assert result("crossing", rows, of=OF, along="x", at=at) == pytest.approx(place)


def test_the_steepness_of_a_curve_is_that_of_its_steepest_piece():
    curves = {"tanh": [0, 0.1, 0.9, 1.0], "relu": [0, 0.2, 0.3, 0.5]}
    rows = table(lambda seed, activation, x: curves[activation][int(x)], activation=both,
                 x=[0.0, 1, 2, 3])  # fmt: skip
    options = {"of": OF, "along": "x", "first": T, "second": R}
    assert result("steepness_ratio", rows, **options) == pytest.approx(0.8 / 0.2)


noise = [0.0, 1.0, 4.0, 16.0]
SURFACES = {  # by activation and delta, over noise
    ("tanh", 0.2): [1.0, 0.9, 0.2, 0.1],
    ("tanh", 0.4): [1.0, 1.0, 0.9, 0.1],
    ("relu", 0.2): [0.5, 0.6, 0.6, 0.5],
    ("relu", 0.4): [0.5, 0.7, 0.6, 0.5],
}


@pytest.fixture
def surfaces():
    return table(lambda seed, activation, delta, noise: SURFACES[activation, delta][
        [0.0, 1.0, 4.0, 16.0].index(noise)], activation=both, delta=[0.2, 0.4],
        noise=noise)  # fmt: skip


def test_steepness_over_another_axis_is_that_in_the_logarithm_without_zero(surfaces):
    options = {"of": OF, "along": "noise", "over": "delta", "first": T, "second": R}
    assert result("steepness_ratio_over", surfaces, **options) == pytest.approx(
        (0.7 + 0.8) / (0.1 + 0.1)
    )


def test_a_range_over_another_axis_is_the_mean_of_its_ranges(surfaces):
    options = {"of": OF, "along": "noise", "over": "delta", "first": R, "second": T}
    assert result("range_ratio_over", surfaces, **options) == pytest.approx(
        (0.1 + 0.2) / (0.9 + 0.9)
    )


@pytest.mark.parametrize(("falls_at", "rho"), [([1, 4, 9], 1.0), ([9, 4, 1], -1.0), ([4, 4, 4], 0)])
def test_where_curves_fall_below_a_value_is_correlated_with_the_other_axis(falls_at, rho):
    rows = table(lambda seed, delta, x: float(x < falls_at[int(delta)]), delta=[0.0, 1, 2],
                 x=[0.0, 2, 5, 10])  # fmt: skip
    options = {"of": OF, "along": "x", "over": "delta", "at": 0.75}
    assert result("crossing_correlation", rows, **options) == pytest.approx(rho)


@pytest.mark.parametrize(("power", "rho"), [(3, 1), (-1, -1)])
def test_a_rank_correlation_is_of_a_network_s_curve(power, rho):
    rows = table(lambda seed, x: x**power + seed, x=[1.0, 2, 3, 5])
    assert result("rank_correlation", rows, of=OF, along="x") == pytest.approx(rho)


def test_the_largest_deviation_is_that_of_each_seed_from_the_column():
    rows = table(lambda seed, c: c + 0.1 * seed * (c == 1.0), c=[0.0, 1.0])
    found = sample("largest_deviation", rows, of=OF, column="c")
    assert found.values == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])


def test_an_excess_is_of_the_largest_over_the_smallest():
    rows = table(lambda seed, activation, draw: draw + seed * (activation == "relu"),
                 activation=both, draw=[1, 5])  # fmt: skip
    found = sample("largest_excess", rows, of=OF, first=T, second=R)
    assert found.values.tolist() == [5 - 1, 5 - 2, 5 - 3, 5 - 4, 5 - 5]


def test_distances_of_curves_are_means_of_their_absolute_differences():
    levels = {"tanh": 1.0, "relu": 5.0, "clipped": 2.0}
    rows = table(lambda seed, activation, x: levels[activation] + x * (activation == "relu"),
                 activation=list(levels), x=[0.0, 1.0])  # fmt: skip
    between = [{"activation": name} for name in ("clipped", "tanh", "relu")]
    options = {"of": OF, "along": "x", "between": between}
    assert result("distance_ratio", rows, **options) == pytest.approx(1 / 3.5)


@pytest.fixture
def gaps():
    """Gaps of 1, 2, 3 in one measure, and half of that and 1 more in the other."""
    one = table(lambda seed, activation, c: c * (activation == "tanh"), activation=both,
                c=[1.0, 2.0, 3.0])  # fmt: skip
    other = one.assign(measure="ccgp", value=one["value"] / 2 + (one["activation"] == "tanh"))
    return pd.concat([one, other])


def test_gaps_in_two_measures_are_correlated_and_compared(gaps):
    options = {
        "of": [{"measure": "ccgp"}, OF],
        "over": [{"c": c} for c in (1.0, 2.0, 3.0)],
        "first": T,
        "second": R,
    }
    assert result("gap_correlation", gaps, **options) == pytest.approx(1)
    assert result("gap_ratio", gaps, **options) == pytest.approx(2 / 2)


def test_a_partial_correlation_holds_a_column_fixed():
    rng = np.random.default_rng(0)
    rows = table(lambda seed, c, draw: 0.0, c=[0.0, 1.0], draw=list(range(20)))
    rows["ratio"] = rng.normal(size=len(rows)) + 100 * rows["c"]
    rows["value"] = 2 * (rows["ratio"] - 100 * rows["c"]) - 50 * rows["c"]
    options = {"of": OF, "with_": "ratio", "given": "c"}
    assert result("partial_correlation", rows, **options) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("steepness_ratio", {"first": T, "second": R}),
        ("steepness_ratio_over", {"over": "delta", "first": T, "second": R}),
        ("range_ratio_over", {"over": "delta", "first": T, "second": R}),
        ("crossing_correlation", {"over": "delta", "at": 0.5}),
        ("rank_correlation", {}),
    ],
)
def test_one_value_of_an_axis_makes_no_curve(name, options):
    of = OF if "first" in options else OF | T
    of = of if "over" in options else of | {"delta": 0.5}
    rows = table(lambda seed, activation, delta, x: 1.0, activation=both, delta=[0.5, 1.0], x=[1.0])
    with pytest.raises(NoRows, match="found 1 value of x, needed: 2 or more"):
        sample(name, rows, of=of, along="x", **options)


def test_curves_without_a_common_value_of_the_axis_cannot_be_compared():
    rows = table(lambda seed, activation, x: 1.0, activation=both, x=[1.0, 2.0])
    rows = rows[(rows["activation"] == "tanh") == (rows["x"] == 1.0)]
    with pytest.raises(NoRows, match="found no value of x that all of its curves have"):
        sample("steepness_ratio", rows, of=OF, along="x", first=T, second=R)


def test_networks_that_differ_in_a_setting_are_not_pooled():
    rows = table(lambda seed, activation, depth: 1.0, activation=both, depth=[1, 3])
    with pytest.raises(NoRows, match="found several values of depth: 1, 3; select one of them"):
        sample("difference", rows, of=OF, first=T, second=R)
    assert result("difference", rows, of=OF | {"depth": 3}, first=T, second=R) == 0


# Lines, statistics of all networks together, and numbers that belong to none.


def test_a_line_is_fitted_to_the_curve_of_each_seed():
    rows = table(lambda seed, x: 2.0 * x + seed, x=[0.1, 0.2, 0.4])
    slopes = sample("line_slope", rows, of=OF, along="x")
    intercepts = sample("line_intercept", rows, of=OF, along="x")
    assert slopes.values == pytest.approx([2.0] * 5)
    assert intercepts.values == pytest.approx([0, 1, 2, 3, 4])


def spreads(step):
    """Return curves whose distances from their median grow along the steps.

    For ReLU, the distance is larger at the first step."""

    def value(seed, activation, step):
        size = step if activation == "tanh" or step > 1 else 50
        return (seed - 2) * size

    return table(value, activation=both, step=step), {"of": OF, "along": "step"} | PAIR


def test_a_correlation_of_spreads_is_a_number_of_each_network_and_begins_at_its_start():
    rows, options = spreads([1, 2, 3, 4])
    late = sample("spread_correlation", rows, start=2, **options)
    assert late.values == pytest.approx([1, 1, 0, 1, 1]), "the third is the median everywhere"
    # Distances of a network at steps 1 to 4 are 1, 2, 3, 4 and 50, 2, 3, 4, multiplied by a factor.
    early = sample("spread_correlation", rows, start=1, **options)
    assert early.values[0] == pytest.approx(np.corrcoef([1, 2, 3, 4], [50, 2, 3, 4])[0, 1])


def test_a_ratio_of_spreads_is_a_logarithm_for_each_network():
    rows, options = spreads([1, 2, 3, 4])
    found = sample("spread_ratio", rows, start=1, **options).values
    assert found[[0, 1, 3, 4]] == pytest.approx([np.log(10 / 59)] * 4)
    assert np.isnan(found[2]), "0 divided by 0"


def test_a_number_that_belongs_to_no_network_is_one_row():
    rows = pd.DataFrame({"measure": ["slope"], "value": [0.5], "run": [None], "seed": [np.nan]})
    found = sample("exact", rows, of={"measure": "slope"})
    assert (found.values.tolist(), found.seeds) == ([0.5], [])
    with pytest.raises(NoRows, match="found 2 rows with measure slope, needed: 1"):
        sample("exact", pd.concat([rows, rows]), of={"measure": "slope"})


def test_a_mean_of_rows_is_that_of_their_values_in_the_order_of_the_table():
    """All bits agree, although the order in which numbers are added matters."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"seed": np.tile(range(50), 20), "measure": "alignment"})
    rows["x"], rows["value"] = np.repeat(rng.permutation(20), 50), rng.normal(size=1000)
    rows = rows.sample(frac=1, random_state=1)
    found = STATISTICS["level"](rows_of(rows), of={"measure": "alignment"})
    expected = rows.groupby("seed")["value"].agg(lambda values: values.mean())
    assert found.values.tolist() == expected.tolist()
