"""How many items or trials are enough: the rules of docs/guide/choosing.md, simulated."""

import numpy as np
import pytest

from repatlas.geometry import (
    balanced_ccgp,
    balanced_decoding,
    centred_kernel,
    corrected_parallelism_score,
    corrected_participation_ratio,
    participation_ratio,
)
from repatlas.inference.alignment_pairs import aligned_pairs

pytestmark = pytest.mark.slow

NUMBER = 100
CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def line(*cells):
    """Print a line of the page's table: pytest -s shows it."""
    print("|", " | ".join(cells), "|")


def alignments(items):
    """Return alignments of 20 independent features with the same plus as much noise, which are 0.5,
    and the widths of their intervals."""
    found = []
    for number in range(NUMBER):
        layer, noise = np.random.default_rng([items, number]).standard_normal((2, items, 20))
        pair = aligned_pairs([layer], [layer + noise])
        found.append((pair.value[0, 0], pair.high[0, 0] - pair.low[0, 0]))
    return np.transpose(found)


@pytest.mark.parametrize(("items", "width"), [(20, 0.37), (50, 0.16), (100, 0.09)])
def test_an_interval_of_alignment_is_as_wide_as_the_page_says(items, width):
    values, widths = alignments(items)
    of = f"{values.mean():.2f}", f"{values.std():.2f}", f"interval {np.median(widths):.2f} wide"
    line("alignment, debiased", "0.5", str(items), *of)
    assert values.mean() == pytest.approx(0.5, abs=0.02)
    assert np.median(widths) == pytest.approx(width, rel=0.15)


def recording(trials, number):
    """Return trials of 30 neurons, two variables on random axes 1.2 deviations of the noise long,
    and their labels."""
    rng = np.random.default_rng([trials, number, 1])
    axes = rng.standard_normal((2, 30))
    axes *= 1.2 / np.linalg.norm(axes, axis=1)[:, None]
    labels = CORNERS.repeat(trials, axis=0)
    return labels @ axes + rng.standard_normal((len(labels), 30)), labels


@pytest.mark.parametrize(
    ("score", "trials", "mean", "deviation"),
    [
        (balanced_decoding, 5, 0.57, 0.14),
        (balanced_decoding, 20, 0.61, 0.068),
        (balanced_decoding, 30, 0.64, 0.045),
        (balanced_decoding, 60, 0.67, 0.036),
        (balanced_ccgp, 30, 0.61, 0.058),
        (balanced_ccgp, 60, 0.65, 0.035),
    ],
)
def test_decoders_vary_as_the_page_says(score, trials, mean, deviation):
    values = [score(*recording(trials, n), 0, resamples=1).value for n in range(NUMBER)]
    name = score.__name__.removeprefix("balanced_")
    line(name, "", str(trials), f"{np.mean(values):.2f}", f"{np.std(values):.3f}", "")
    assert np.mean(values) == pytest.approx(mean, abs=0.02)
    assert np.std(values) == pytest.approx(deviation, rel=0.25)


@pytest.mark.parametrize(
    ("trials", "none", "deviation"), [(20, 28, 0.4), (30, 4, 0.4), (60, 0, 0.2)]
)
def test_parallelism_has_a_value_and_varies_as_the_page_says(trials, none, deviation):
    values = [corrected_parallelism_score(*recording(trials, n), 0).value for n in range(NUMBER)]
    missing = 100 * np.isnan(values).mean()
    of = f"{np.nanmean(values):.2f}", f"{np.nanstd(values):.2f}", f"no value in {missing:.0f} %"
    line("parallelism, corrected", "1", str(trials), *of)
    assert missing == pytest.approx(none, abs=8)
    assert np.nanstd(values) == pytest.approx(deviation, rel=0.25)


@pytest.mark.parametrize("times", [3, 10])
@pytest.mark.parametrize("directions", [5, 10, 20])
def test_the_participation_ratio_is_right_from_three_times_as_many_items(directions, times):
    corrected, plain = [], []
    for number in range(NUMBER):
        rng = np.random.default_rng([directions, times, number, 2])
        axes = np.linalg.qr(rng.standard_normal((100, directions))).Q
        items = rng.standard_normal((times * directions, directions)) @ axes.T
        corrected.append(corrected_participation_ratio(items, features="all"))
        plain.append(participation_ratio(centred_kernel(items)))
    of = f"{np.median(corrected):.1f}", f"{np.std(corrected):.2f}", f"plain: {np.median(plain):.1f}"
    line("participation ratio, corrected", str(directions), str(times * directions), *of)
    assert np.median(corrected) == pytest.approx(directions, rel=0.05)
    assert np.std(corrected) < 0.2 * directions
    assert np.median(plain) < 0.93 * directions
