"""Figure 8 and the supplements S1 to S3: their tables and what they draw."""

import re
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from figure_tables import as_drawn
from matplotlib.text import Text
from selections import some
from stages import whole_table

from repatlas.config.config import StyleSettings
from repatlas.experiments.clusters.tasks import unstructured
from repatlas.inference.intervals import median_interval
from repatlas.named import named
from repatlas.plots.panels import TITLES
from repatlas.plots.style import Style, applied
from repatlas.studies.structure.figS1 import FRACTION, NAMES
from repatlas.studies.structure.figS2 import DISTANCE

STEP = 5
INPUTS = {("normal", True): 0.0, ("normal", False): -0.1, ("raw", False): -0.15}
"""What the kinds of inputs add to ReLU's effect."""


@pytest.fixture(scope="module")
def make_rows(made_up_metrics):
    """The rows of each role of a figure. The effect of the activation differs between kinds of
    networks, and a bit between seeds."""

    def kind(added=0.0, place=0.0, **settings):
        columns = {"kernel": None, "alignment": None, "delta": None}
        columns |= {"readout": "binary", "errors": "output", "distribution": "normal"}
        columns |= {"centred": True, "converged_step": None}
        rows = made_up_metrics(seeds=7, steps=(0, 2, STEP)).assign(**columns | settings)
        rows["run"] = rows["run"] + str(settings)
        tanh, trained = rows["activation"] == "tanh", rows["step"] > 0
        rows["value"] += tanh * trained * (added + 0.005 * rows["seed"] ** 2) + place
        return rows

    def both(kinds):
        return pd.concat(kinds, ignore_index=True)

    def make(name):
        if name == "fig08":
            readouts = {"binary": 0.0, "normal": -0.05, "trained": 0.1}
            return {"sweep": both(kind(added, readout=r) for r, added in readouts.items())}
        if name == "figS1":
            return {
                "inputs": both(
                    kind(added, distribution=distribution, centred=centred)
                    for (distribution, centred), added in INPUTS.items()
                )
            }
        if name == "figS2":
            simplified = kind(errors="equal")
            # The difference from standard training is largest at step 2, and larger at step 0.
            by_step = simplified["step"].map({0: 9.0, 2: -0.3, STEP: 0.2})
            return {
                "simplified": simplified.assign(value=simplified["value"] + by_step),
                "standard": kind(readout="trained"),
            }
        # The effect, 0.2 or a bit more, is -0.2, 0, 0.2 and more.
        changes = {0.0: -0.4, 0.5: -0.2, 1.0: 0.0}
        cell = {"kernel": "maximal", "clusters": 8}
        return {
            "separability": both(kind(added, delta=d) for d, added in changes.items()),
            "lines": both(kind(added, alignment=c, **cell) for c, added in changes.items()),
        }

    return make


NAMES_OF_FIGURES = ("fig08", "figS1", "figS2", "figS3")
every_figure = pytest.mark.parametrize("name", NAMES_OF_FIGURES)


def make_table(name, rows):
    module = named("studies.structure", name)
    table = whole_table(module, rows, STEP)
    return as_drawn(table)


def drawn(name, table):
    style = Style(StyleSettings().colours, 5.5, 7.0, preview=False, step=STEP)
    with applied(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = named("studies.structure", name).draw(table, style)
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    return figure, " ".join(" ".join(texts).split())


@pytest.fixture(scope="module")
def usual_table(make_rows):
    """Return the table of a figure. Tests that only read it share it."""
    return cache(lambda name: make_table(name, make_rows(name)))


@pytest.fixture(scope="module")
def usual(usual_table):
    """Return a figure of this table, with its texts. Tests that only look at it share one
    drawing."""
    return cache(lambda name: drawn(name, usual_table(name)))


def of(table, contrast, measure="target_alignment", **columns):
    rows = table[(table["contrast"] == contrast) & (table["measure"] == measure)]
    for column, value in columns.items():
        rows = rows[rows[column] == value]
    return rows


def effect(table, contrast="tanh - relu", **columns):
    [row] = of(table, contrast, **columns).to_dict("records")
    return row


# The tables.


@every_figure
def test_a_table_holds_networks_and_contrasts_and_no_robustness_variants(usual_table, name):
    table = usual_table(name)
    assert not table["variant"].str.contains("sample means").any()
    assert some(table["contrast"].notna() == table["seed"].isna()).all()
    assert some(set(table["measure"])) <= set(TITLES)


@every_figure
def test_an_effect_is_the_median_of_paired_differences_with_its_interval(usual_table, name):
    table = usual_table(name)
    rows = of(table, "tanh - relu", step=STEP)
    found = rows.sort_values("value").iloc[-1]
    largest = {"fig08": 0.3, "figS1": 0.2, "figS2": 0.2, "figS3": 0.2}[name]
    expected = median_interval(largest + 0.005 * np.arange(7) ** 2)
    assert tuple(found[["value", "low", "high"]]) == pytest.approx(expected)


@every_figure
def test_a_network_that_diverged_is_left_out_of_contrasts_with_its_partner(make_rows, name):
    rows = make_rows(name)
    before = make_table(name, rows)
    for table in rows.values():
        lost = (table["seed"] == 6) & (table["activation"] == "relu")
        table.loc[lost, "diverged_step"] = STEP
    after = make_table(name, rows)
    before, after = (of(t, "tanh - relu", step=STEP)["value"].max() for t in (before, after))
    # The effect grows by 0.005 times the seed squared.
    assert before - after == pytest.approx(0.005 * (3**2 - (2**2 + 3**2) / 2))


def test_figure_8_tells_by_how_much_the_effect_differs_between_readouts(usual_table):
    table = usual_table("fig08")
    for pair, difference in (("normal - binary", -0.05), ("trained - binary", 0.1)):
        row = effect(table, f"tanh - relu, {pair}", step=STEP)
        assert [row[x] for x in ("value", "low", "high")] == pytest.approx([difference] * 3)
        assert effect(table, f"tanh - relu, {pair}", step=0)["value"] == pytest.approx(0)


def test_figure_s1_gives_effects_as_fractions_of_that_of_figure_1(usual_table):
    table = usual_table("figS1")
    contrast = "tanh - relu, over that of Figure 1"
    for (distribution, centred), added in INPUTS.items():
        found = of(table, contrast, distribution=distribution, centred=centred)
        if (distribution, centred) == ("normal", True):
            assert not len(found)
        else:
            assert found["value"].item() == pytest.approx((0.245 + added) / 0.245)
            assert found["low"].item() < found["value"].item() < found["high"].item()


def test_figure_s1_tells_what_training_changes(usual_table):
    table = usual_table("figS1")
    contrast = "after - before training"
    changes = {
        name: effect(table, contrast, activation=name, distribution="raw")["value"]
        for name in ("tanh", "relu")
    }
    assert changes == pytest.approx({"relu": 0.05, "tanh": 0.05 - 0.15 + 0.045})


def test_figure_s2_divides_the_mean_distance_over_training_by_that_of_the_other_activation(
    usual_table,
):
    table = usual_table("figS2")
    for activation in ("tanh", "relu"):
        row = effect(table, DISTANCE, activation=activation, measure="target_alignment")
        # The median network: distances 9, 0.3 and 0.2 over the steps; tanh has 0.2 more at first.
        assert row["value"] == pytest.approx((9 + 0.3 + 0.2) / (0.2 + 2 * 0.245))
    assert len(of(table, "simplified - standard", activation="tanh")) == 3


@pytest.mark.parametrize("clusters", [4, 8])
def test_figure_s3_finds_where_the_difference_changes_sign(usual_table, clusters):
    table = usual_table("figS3")
    row = effect(table, "tanh - relu changes sign", clusters=clusters, step=STEP)
    # The differences of the median network are -0.155, 0.045 and 0.245.
    assert row["value"] == pytest.approx(0.5 * 0.155 / 0.2)
    assert row["low"] < row["value"] < row["high"] <= 0.5
    share = effect(table, "tanh - relu changes sign, share of networks", clusters=clusters,
                   step=STEP)  # fmt: skip
    assert share["value"] == 1


def test_where_the_difference_does_not_change_sign_there_is_no_place(make_rows):
    rows = {role: r.assign(value=r["value"] + (r["activation"] == "tanh"))
            for role, r in make_rows("figS3").items()}  # fmt: skip
    row = effect(make_table("figS3", rows), "tanh - relu changes sign", clusters=4, step=STEP)
    assert some(np.isnan([row["value"], row["low"], row["high"]])).all()


# The figures.


def test_decoders_have_a_row_with_the_most_noise_and_a_sentence_with_less(usual):
    figure, texts = usual("fig08")
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows[3:] == [
        rf"{title}, $\sigma_\mathrm{{test}}=3$"
        for title in ("CCGP", "Decoding, trained dichotomies", "Decoding, untrained dichotomies")
    ]
    # The effects of the readouts are 0.195, 0.245 and 0.345.
    sentence = r"With noise of standard deviation 1 CCGP and decoding differ by (\S+) to (\S+)\. "
    assert [float(x) for x in re.search(sentence, texts).groups()] == pytest.approx(
        [0.195, 0.345], abs=0.006
    )


def test_every_distribution_of_inputs_has_a_name():
    distributions = {"normal", *unstructured.DISTRIBUTIONS}
    assert {distribution for distribution, _ in NAMES} == distributions


def test_figure_s1_writes_fractions_beside_effects(usual_table, usual):
    table = usual_table("figS1")
    figure, _ = usual("figS1")
    found = {text.get_text() for text in figure.axes[1].texts if text.get_text()}
    expected = set()
    for (distribution, centred), added in INPUTS.items():
        if added:
            row = effect(table, FRACTION, distribution=distribution, centred=centred)
            low, high = (f"{100 * row[end]:.0f}" for end in ("low", "high"))
            expected.add(f"{100 * (0.245 + added) / 0.245:.0f} % [{low}, {high}]")
    assert found == expected


def test_with_one_value_of_an_axis_there_is_no_change_of_sign(make_rows):
    rows = {role: r[r[axis] == 1.0] for (role, r), axis in zip(
        make_rows("figS3").items(), ("delta", "alignment"), strict=True)}  # fmt: skip
    table = make_table("figS3", rows)
    assert len(of(table, "tanh - relu", step=STEP)) == 2
    assert not len(of(table, "tanh - relu changes sign"))


def test_figure_s1_draws_decoders_with_the_most_noise_alone_and_has_all_in_its_table(
    usual_table, usual
):
    table = usual_table("figS1")
    figure, _ = usual("figS1")
    titles = [ax.get_title() for ax in figure.axes]
    tested = sorted(table.loc[table["measure"] == "ccgp", "deviation"].dropna().unique())
    assert [title for title in titles if title.startswith("CCGP")] == [
        f"CCGP,\n$\\sigma_\\mathrm{{test}}={tested[-1]:g}$"
    ]
