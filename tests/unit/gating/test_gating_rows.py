"""What the tables compute of networks, on rows whose answer is known."""

import numpy as np
import pandas as pd
import pytest
from claim_rows import rows_of
from selections import some

from repatlas.claims.statistics import difference
from repatlas.dynamics.head_start import head_start
from repatlas.dynamics.xor import fit_initial, loss_curve
from repatlas.experiments.items.columns import COLUMNS
from repatlas.studies.gating.fig06 import stage_rows
from repatlas.studies.gating.rows.curves import agreement_rows, epoch_below_rows, reference_rows
from repatlas.studies.gating.rows.geometry import at_levels, diverged, not_reached
from repatlas.studies.gating.rows.head_start import FINAL, head_start_rows
from repatlas.studies.gating.rows.modules import norms_by_size
from repatlas.studies.gating.rows.outputs import output_agreement_rows
from repatlas.studies.gating.rows.xor import crossing_rows, falls_through

ABOUT = dict.fromkeys(COLUMNS) | {"diverged_step": np.nan, "converged_step": np.nan}


def curve(values, run="a", seed=0, **about):
    rows = pd.DataFrame({"step": range(len(values)), "value": values})
    return rows.assign(
        **ABOUT | {"measure": "loss", "variant": "", "run": run, "seed": seed} | about
    )


def value(rows, **of):
    for name, wanted in of.items():
        rows = rows[rows[name] == wanted]
    assert len(rows) == 1
    return rows["value"].iloc[0]


FALLING = np.exp(-np.arange(100) / 20)


def test_a_network_is_compared_with_that_of_its_seed_and_a_theory_with_each():
    relu = pd.concat([curve(FALLING, seed=0, network="relu"), curve(0.9 * FALLING, seed=1,
                     network="relu")])  # fmt: skip
    gated = pd.concat([curve(FALLING, run="b", seed=s, network="gated") for s in (0, 1, 2)])
    found = agreement_rows(gated, relu, "relu", ())
    assert value(found, variant="D1", seed=0) == 0
    assert value(found, variant="D1", seed=1) == pytest.approx(1 / 9)
    assert set(found["seed"]) == {0, 1}
    theory = agreement_rows(curve(FALLING, run="c", network="race"), relu, "relu", ())
    assert value(theory, variant="D1", seed=1) == pytest.approx(1 / 9)


def test_a_diverged_network_agrees_with_nothing():
    lost = curve(FALLING, seed=1, network="relu").assign(diverged_step=50)
    relu = pd.concat([curve(FALLING, seed=0, network="relu"), lost])
    gated = pd.concat([curve(FALLING, run="b", seed=s, network="gated") for s in (0, 1)])
    assert set(agreement_rows(gated, relu, "relu", ())["seed"]) == {0}


def test_the_scale_of_agreement_is_from_one_seed_to_the_next():
    seeds = [curve(scale * FALLING, seed=n) for n, scale in enumerate((1.0, 0.5, 0.5))]
    found = reference_rows(pd.concat(seeds))
    assert value(found, variant="D1", seed=0) == pytest.approx(1.0)
    assert value(found, variant="D1", seed=1) == 0
    assert reference_rows(seeds[0]).empty


def test_a_curve_falls_through_a_level_between_two_places():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    assert falls_through(x, np.array([1.0, 1.0, 0.5, 0.0]), 0.75) == 1.5
    assert falls_through(x, np.array([1.0, 0.5, 0.5, 0.0]), 0.5) == 2.0
    assert np.isnan(falls_through(x, np.ones(4), 0.5))


def test_a_crossing_that_is_linear_in_the_scale_is_found_at_its_limit():
    delta = np.linspace(0, 2, 201)
    rows = []
    for sigma in (1e-4, 1e-8, 1e-16):
        place, width = 0.8 + 0.5 / np.log(1 / sigma), 2 / np.log(1 / sigma)
        shares = np.clip(0.5 - (delta - place) / (2 * width), 0, 1)
        of_sigma = pd.DataFrame({"delta": delta, "value": shares})
        about = ABOUT | {"sigma": sigma, "seed": 0, "run": "a"}
        about |= {"measure": "items_share", "variant": "items"}
        rows.append(of_sigma.assign(**{k: v for k, v in about.items() if k != "delta"}))
    found = crossing_rows(pd.concat(rows))
    places = found[found["measure"] == "crossing"]
    assert np.polyfit(places["x"], places["value"], 1) == pytest.approx([0.5, 0.8])
    widths = found[found["measure"] == "log width"]
    assert np.polyfit(widths["x"], widths["value"], 1)[0] == pytest.approx(-1)


def test_the_winner_of_a_race_is_told_by_its_size():
    norms = {"common": 9.0, "1": 0.1, "2": 0.3, "3": 0.2, "12": 4.0, "13": 4.0, "23": 4.0}
    rows = pd.DataFrame({"variant": norms.keys(), "value": norms.values()})
    about = ABOUT | {"run": "a", "seed": 0, "step": 8000, "measure": "pathway_norm", "contexts": 3}
    found = norms_by_size(rows.assign(**about))
    assert value(found, measure="norm_of_size", neuron=1) == pytest.approx(0.2)
    assert value(found, measure="size_ratio") == pytest.approx(20)


def test_a_head_start_has_the_slope_of_its_exponent():
    slope, rows = float(head_start(1, 3) - head_start(2, 3)), []
    for number, sigma in enumerate((1e-5, 1e-6, 1e-7)):
        ratio = np.exp(slope * np.log(50 * sigma**2))
        for step, part in ((1000, 0.8), (1020, 1.0)):
            strengths = {"common": part * FINAL, "1": 1.0, "2": 1.0, "3": 1.0}
            strengths |= {"12": ratio, "13": ratio, "23": ratio}
            of_step = pd.DataFrame({"variant": strengths.keys(), "value": strengths.values()})
            about = ABOUT | {"run": f"run {number}", "seed": 0, "step": step, "sigma": sigma}
            rows.append(of_step.assign(**about | {"measure": "mode_strength", "neuron": 1}))
    found = head_start_rows(pd.concat(rows))
    assert value(found, measure="head_start_slope") == pytest.approx(slope)


def test_outputs_are_compared_item_by_item():
    cells = [(neuron, item) for neuron in range(2) for item in range(3)]
    rows = pd.DataFrame(cells, columns=["neuron", "cluster"]).assign(value=1.0)
    about = ABOUT | {"seed": 0, "step": 8, "measure": "output", "variant": "all"}
    about |= {"contexts": 3, "blocks": "homogeneous"}
    relu, gated = rows.assign(**about, run="a"), rows.assign(**about, run="b")
    gated.loc[gated.index[4], "value"] = 1.5
    found = output_agreement_rows(gated, relu, "relu")
    assert value(found, variant="relative") == pytest.approx(0.25 / 6)
    assert value(found, variant="largest") == 0.5


def test_a_loss_that_falls_at_once_is_stage_like():
    steps = np.repeat([96.0, 10.0, 1.0], [50, 40, 11])
    found = stage_rows(
        pd.concat([curve(steps, run="a"), curve(96 - np.arange(101) * 0.9, run="b")])
    )
    assert value(found, measure="steepest_share", run="a") == 1.0
    assert value(found, measure="steepest_share", run="b") == pytest.approx(0.1)


def test_an_epoch_is_the_first_one_below_a_fraction_of_the_first_loss():
    found = epoch_below_rows(curve(np.repeat([96.0, 50.0, 5.0], [50, 40, 11]), run="a"), 0.1)
    assert value(found, measure="epoch_below", variant="0.1") == 90
    never = epoch_below_rows(curve(np.full(101, 96.0), run="a"), 0.1)
    assert value(never, measure="epoch_below") == np.inf


def test_one_initial_strength_is_found_for_all_networks():
    epochs = np.arange(2000)
    both = [loss_curve(epochs, 0.25, 4, initial, 0.02) for initial in (2e-6, 2e-6)]
    assert fit_initial(both, epochs, 0.25, 4, 0.02) == pytest.approx(2e-6, rel=1e-3)


def at_level(epochs, **about):
    """Return the target alignment of networks of seeds 0, 1, ... Each has a separate epoch, the
    first at which the loss was below 1/20 of the loss without output."""
    rows = pd.DataFrame({"seed": range(len(epochs)), "step": epochs, "layer": np.nan})
    of = ABOUT | {"measure": "target_alignment", "variant": "0.05", "contrast": None} | about
    return rows.assign(**{name: each for name, each in of.items() if name not in rows})


def test_networks_are_compared_at_matched_loss_whatever_their_epochs():
    tanh = at_level([700, 720, 690, 705, 731, 688], network="tanh", run="a", value=0.9)
    relu = at_level([100, 104, 99, 112, 108, 101], network="relu", run="b", value=0.8)
    found = at_levels(pd.concat([tanh, relu]))
    assert list(found["x"]) == [*tanh["step"], *relu["step"]]
    assert some(found["step"].isna()).all()
    of = {"measure": "target_alignment", "variant": "0.05"}
    compared = difference(rows_of(found), of, {"network": "tanh"}, {"network": "relu"})
    assert compared.seeds == list(range(6))
    assert compared.values == pytest.approx([0.1] * 6)


def test_diverged_networks_are_counted_and_the_share_that_got_there_is_of_all():
    reached = at_level([14], network="tanh", run="a", value=0.9)
    lost = curve([96.0, 90.0], run="a", seed=1).assign(diverged_step=190.0)
    again = curve([96.0, 90.0], run="a", seed=2).assign(diverged_step=188.0)
    both = pd.concat([lost, again, reached])
    shares = not_reached(both)
    assert value(shares, variant="0.05") == pytest.approx(1 / 3)
    assert "diverged_step" not in shares
    assert list(diverged(both)["seed"]) == [1, 2]
