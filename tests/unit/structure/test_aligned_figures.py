"""Tables and figures of tasks with a chosen alignment, and of deep networks."""

import warnings
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from figure_tables import as_stored
from matplotlib.text import Text
from plausible import DRAWN_AS
from selections import some
from stages import whole_table

from repatlas.config.config import StyleSettings
from repatlas.experiments.clusters.targets import orthogonal_targets
from repatlas.figures.columns import with_all_columns
from repatlas.geometry import kernel_alignment, matched_parallelism_score, parallelism_score
from repatlas.named import named
from repatlas.plots.style import Style, applied
from repatlas.plots.target_geometry import shape_of
from repatlas.studies.structure.figS4 import saturating_sides
from repatlas.studies.structure.rows.aligned import TASK_COLUMNS, mean_kernel_rows

STEP = 8
ROWS = [
    ("target_alignment", "centres", 1),
    ("target_alignment", "sample means", 1),
    ("input_alignment", "centres", 1),
    ("parallelism", "centres", None),
    ("ccgp", "samples", None),
    ("rescaled_ccgp", "samples", None),
    ("accuracy", "test", None),
]


def metrics(kernel="maximal", activations=("tanh", "relu"), cells=((8, 1), (8, 3), (32, 5)),
            alignments=(0.0, 0.3), draws=(0,), depths=(1,), steps=(2, STEP), seeds=2,
            converged=STEP):  # fmt: skip
    rows = []
    for (clusters, targets), activation, c, draw, depth, seed, step in product(
        cells, activations, alignments, draws, depths, range(seeds), steps
    ):
        common = {
            "run": f"{kernel} {clusters} {targets} {activation} {c} {draw} {depth}",
            "activation": activation,
            "noise_variance": 1.0,
            "clusters": clusters,
            "targets": targets,
            "kernel": kernel,
            "alignment": c,
            "participation_ratio": 5.0 + draw,
            "draw": draw,
            "depth": depth,
            "seed": seed,
            "step": step,
            "diverged_step": None,
            "converged_step": converged if seed == 0 else STEP,
        }
        level = c + 0.1 * seed + 0.01 * depth + 0.2 * (activation == "tanh")
        found = list(ROWS)
        if depth > 1:
            found += [(m, "centres", n) for m, _, _ in ROWS[:3:2] for n in range(2, depth + 1)]
        rows += [
            common | {"measure": measure, "variant": variant, "layer": layer,
                      "value": level + 0.05 * (layer or 0)}
            for measure, variant, layer in found
        ]  # fmt: skip
    return pd.DataFrame(rows)


def with_kernels(table):
    """Add to one run of the table its kernel and labels of two clusters."""
    like = table.iloc[0].to_dict()
    rows = [
        like | {"measure": "kernel", "variant": "centres", "seed": seed, "cluster": i,
                "other_cluster": j, "value": value}
        for seed in (0, 1)
        for i, j, value in [(0, 0, 1.0), (0, 1, -1.0), (1, 1, 1.0 + 2 * seed), (2, 2, 1.0),
                            (0, 2, 0.0), (1, 2, 0.0), (0, 3, 0), (1, 3, 0), (2, 3, 0), (3, 3, 2.0)]
    ] + [
        like | {"measure": "label", "variant": "target 0", "seed": seed, "cluster": i,
                "value": i % 2}
        for seed in (0, 1)
        for i in range(4)
    ]  # fmt: skip
    return pd.concat([table, pd.DataFrame(rows)], ignore_index=True)


DEEP = {"cells": ((32, 5),), "alignments": (0.0,)}
ROLES = {
    "fig04": lambda: {
        "lines": with_kernels(metrics()),
        "dots": metrics(kernel="random", draws=(0, 1, 2)),
    },
    "fig05": lambda: {"layers": metrics(kernel="flat", **DEEP, depths=(1, 5, 10))},
    "fig06": lambda: {
        "lines": metrics(activations=("tanh", "relu", "clipped_relu", "relu-1", "relu+1"))
    },
    "figS4": lambda: {
        "lines": metrics(activations=("tanh", "relu", "identity", "gelu"), cells=((32, 5),))
    },
    "figS5": lambda: {"layers": metrics(kernel="hypercube", **DEEP, depths=(1, 5))},
}
every_figure = pytest.mark.parametrize("name", ROLES)


def make_table(name, rows=None):
    module = named("studies.structure", DRAWN_AS.get(name, name))
    table = whole_table(module, rows or ROLES[name](), STEP)
    return with_all_columns(as_stored(table))


def drawn(name, table):
    style = Style(StyleSettings().colours, 5.5, 7.0, preview=False, step=STEP)
    with applied(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = named("studies.structure", DRAWN_AS.get(name, name)).draw(table.to_pandas(), style)
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    return figure, " ".join(" ".join(texts).split())


@cache
def usual_table(name):
    """Return the table of a figure. Tests that only read it share it."""
    return make_table(name)


@cache
def usual(name):
    """Return a figure of this table, with its texts. Tests that only look at it share one
    drawing."""
    return drawn(name, usual_table(name))


@every_figure
def test_tables_leave_out_what_no_figure_draws(name):
    table = usual_table(name).to_pandas()
    assert not (table["variant"] == "sample means").any()
    assert not table["measure"].isin(["rescaled_ccgp", "kernel", "label"]).any()


def test_lines_and_dots_are_in_the_table_at_every_step():
    table = usual_table("fig04").to_pandas()
    for kernel in ("maximal", "random"):
        assert set(table.loc[table["kernel"] == kernel, "step"]) == {2, STEP}


def kernel_rows(patterns, labels, run="a"):
    """Return the kernel of a network with these patterns, (P, n), and its labels, (P, K)."""
    kernel = patterns @ patterns.T
    common = dict.fromkeys(TASK_COLUMNS) | {"run": run, "step": 8, "seed": 0}
    entries = [
        {"measure": "kernel", "cluster": i, "other_cluster": j, "value": kernel[i, j]}
        for i in range(len(kernel))
        for j in range(i, len(kernel))
    ]
    entries += [
        {"measure": "label", "variant": f"target {k}", "cluster": i, "value": label}
        for (i, k), label in np.ndenumerate(labels)
    ]
    return pd.DataFrame([common | entry for entry in entries])


def test_there_is_a_mean_kernel_for_each_task():
    patterns, labels = np.eye(4), np.array([[0], [1], [0], [1]])
    both = pd.concat([kernel_rows(patterns, labels, run) for run in ("a", "b")])
    assert mean_kernel_rows(both)["run"].tolist() == ["a", "a", "b", "b"]


FACTORIAL = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize(
    ("labels", "matched"),
    [(FACTORIAL, None), (FACTORIAL[:, :1], "best"), (np.tile(FACTORIAL, (2, 1)), "nearest")],
    ids=["all combinations", "one target", "each combination twice"],
)
def test_parallelism_of_a_mean_kernel_goes_along_targets_that_combine_and_else_along_pairs(
    labels, matched
):
    patterns = np.random.default_rng(0).standard_normal((len(labels), 5))
    patterns[:, :2] += 2 * labels
    if matched:
        signs = np.where(labels.T > 0, 1, -1)
        expected = np.mean([matched_parallelism_score(patterns, sign, matched) for sign in signs])
    else:
        expected = np.mean([parallelism_score(patterns, labels, k) for k in range(2)])
    found = mean_kernel_rows(kernel_rows(patterns, labels)).set_index("measure")["value"]
    assert found["parallelism"] == pytest.approx(expected)


def test_the_mean_kernel_has_the_alignment_of_the_mean_of_kernels():
    rows = mean_kernel_rows(with_kernels(metrics(cells=((8, 1),))))
    mean = np.zeros((4, 4))
    mean[:2, :2] = [[1, -1], [-1, 2]]
    mean[2, 2], mean[3, 3] = 1, 2
    values, vectors = np.linalg.eigh(mean)
    patterns, labels = vectors * np.sqrt(values.clip(0)), np.array([[0], [1], [0], [1]])
    found = rows.set_index("measure")["value"]
    assert found["target_alignment"] == pytest.approx(kernel_alignment(patterns, labels))
    assert set(rows["variant"]) == {"mean kernel"}
    assert "seed" not in rows, "it is about all networks together"


def test_the_plane_of_kernels_is_an_ellipse_with_alignment_1_at_the_targets():
    table = usual_table("fig04").to_pandas()
    plane = table[table["measure"] == "slice of kernels"]
    assert some(plane.loc[plane["variant"] == "alignment", "value"].between(0, 1)).all()
    at = plane.set_index("variant")
    assert at.loc["targets", "x"] == pytest.approx(at.loc["boundary", "x"].max())
    assert at.loc["orthogonal", "x"] == pytest.approx(at.loc["boundary", "x"].min())


def test_random_kernels_in_the_plane_have_the_alignment_to_which_they_were_moved():
    table = usual_table("fig04").to_pandas()
    plane = table[table["measure"] == "slice of kernels"]
    source, sampled = (
        plane[plane["variant"] == name].set_index("draw") for name in ("source", "sampled")
    )
    assert some(sampled["value"].to_numpy()) == pytest.approx(0.6)
    assert source["value"].min() < 0.5 and source["value"].max() > 0.7
    # Kernels of too small an alignment go towards the targets, the others away from them.
    to_targets = plane.loc[plane["variant"] == "targets", ["x", "y"]].to_numpy()
    too_small = source["value"] < 0.6
    for rows, is_towards in ((too_small, True), (~too_small, False)):
        before, after = (
            np.linalg.norm(each.loc[rows, ["x", "y"]].to_numpy(float) - to_targets, axis=1)
            for each in (source, sampled)
        )
        assert some((after < before) == is_towards).all()


def test_the_target_alignment_of_the_inputs_themselves_is_a_diagonal_in_its_panels_alone():
    figure, texts = usual("fig04")
    for ax in figure.axes:
        black = [line.get_xydata() for line in ax.lines if line.get_color() == "black"]
        black = [xy for xy in black if len(xy) == 2 and ax.axison]
        is_first = 1 <= ax.get_subplotspec().colspan.start < 3  # column 0 draws geometries
        assert len(black) == (is_first and ax.axison), ax.get_title()
        for xy in black:
            assert xy.tolist() == [[0.0, 0.0], [0.3, 0.3]]
    assert "the inputs themselves" in texts and "chance" in texts


@pytest.mark.parametrize(
    ("clusters", "targets", "shape"),
    [(8, 1, "pair"), (8, 3, "cube"), (32, 5, "cube"), (8, 7, "simplex"), (4, 3, "simplex")],
)
def test_targets_put_clusters_at_points_at_corners_or_equally_far(clusters, targets, shape):
    assert shape_of(clusters, targets) == shape
    labels = orthogonal_targets(clusters, targets, np.random.default_rng(0))
    places = np.unique(labels, axis=0)
    distances = {int(d) for one in places for d in np.abs(places - one).sum(axis=1) if d}
    # Different places, and how far they are from one another, in targets that differ.
    expected = {
        "pair": (2, {1}),
        "cube": (2**targets, set(range(1, targets + 1))),
        "simplex": (clusters, {clusters // 2}),
    }[shape]
    assert (len(places), distances) == expected
    assert shape_of(8, 5) == ""


@pytest.mark.parametrize("name", ["fig05", "figS5"])
def test_networks_that_did_not_converge_are_counted_and_left_out_of_the_means(name):
    rows = ROLES[name]()
    lost = (rows["layers"]["seed"] == 0) & (rows["layers"]["activation"] == "relu")
    rows["layers"].loc[lost, "converged_step"] = None
    rows["layers"].loc[lost, "value"] = 1e6
    table = make_table(name, rows)
    figure, texts = drawn(name, table)
    assert "1 of 2 ReLU networks" in texts
    assert "Tanh networks" not in texts
    drawn_values = [line.get_ydata() for ax in figure.axes for line in ax.lines]
    assert max(np.max(v) for v in drawn_values if len(v)) < 10
    assert (table.to_pandas()["value"] == 1e6).any(), "they are in the table"


def test_above_a_panel_of_figure_5_stands_the_paired_difference_at_its_last_layer():
    layers = metrics(kernel="flat", **DEEP, depths=(1, 5), seeds=6)
    lost = (layers["seed"] == 5) & (layers["activation"] == "relu")
    layers.loc[lost, "converged_step"] = None
    is_last = (layers["layer"] == 5) & (layers["measure"] == "target_alignment")
    layers.loc[is_last & (layers["activation"] == "tanh"), "value"] += 0.1 * layers["seed"]
    figure, _ = drawn("fig05", make_table("fig05", {"layers": layers}))
    # 0.2 more in tanh, and 0.1 for each seed; five pairs are too few for an interval.
    assert [text.get_text() for text in figure.axes[0].texts] == ["Tanh \N{MINUS SIGN} ReLU: 0.40"]
    layers["converged_step"] = STEP
    figure, _ = drawn("fig05", make_table("fig05", {"layers": layers}))
    above = [text.get_text() for text in figure.axes[0].texts]
    assert above == ["Tanh \N{MINUS SIGN} ReLU: 0.45 [0.20, 0.70]"]


@pytest.mark.parametrize(
    ("activation", "sides"),
    [("tanh", 2), ("hard_tanh", 2), ("clipped_relu", 2), ("sigmoid", 2), ("relu", 1),
     ("relu-1", 1), ("relu+1", 1), ("leaky_relu", 1), ("softplus", 1), ("gelu", 1),
     ("identity", 0)],
)  # fmt: skip
def test_an_activation_saturates_on_the_sides_where_it_is_nearly_flat(activation, sides):
    assert saturating_sides(activation) == sides


def test_activations_are_ranked_by_target_alignment_within_their_group():
    rows = ROLES["figS4"]()
    order = {"gelu": 0.1, "tanh": 0.2, "identity": 0.3, "relu": 0.4}
    rows["lines"]["value"] = rows["lines"]["activation"].map(order)
    figure, _ = drawn("figS4", make_table("figS4", rows))
    labels = [[label.get_text() for label in ax.get_yticklabels()] for ax in figure.axes]
    assert labels == [["Tanh"], ["GELU", "ReLU"], ["Identity"]]
    assert [ax.get_title(loc="left").split(" (")[0] for ax in figure.axes] == [
        "Saturating on both sides",
        "Saturating on one side",
        "Not saturating",
    ]


def test_figure_s4_says_how_many_networks_it_counts():
    rows = ROLES["figS4"]()
    figure, _ = usual("figS4")
    assert all(ax.get_title(loc="left").endswith("(n = 2 networks each)") for ax in figure.axes)
    lost = (rows["lines"]["activation"] == "gelu") & (rows["lines"]["seed"] == 1)
    figure, _ = drawn("figS4", make_table("figS4", {"lines": rows["lines"][~lost]}))
    assert figure.axes[1].get_title(loc="left").endswith("(n = 1 to 2 networks each)")


def diverged(table, lost):
    """Replace the rows of the lost networks by rows of a network that diverged at once, and put
    them before all others."""
    rows = table[lost & (table["measure"] != "label")]
    rows = rows.assign(variant="diverged", value=None, layer=None, diverged_step=1)
    rows = rows.replace({"measure": {"target_alignment": "alignment"}})
    rows = rows.drop_duplicates(["run", "seed", "step", "measure"])
    return pd.concat([rows.assign(cluster=None, other_cluster=None), table[~lost]])


def test_mean_kernels_are_over_the_networks_that_did_not_diverge():
    table = with_kernels(metrics(cells=((8, 1),)))
    both = mean_kernel_rows(diverged(table, table["seed"] == 0))
    alone = mean_kernel_rows(table[table["seed"] == 1])
    pd.testing.assert_frame_equal(both, alone)
    assert len(mean_kernel_rows(diverged(table, table["seed"] >= 0))) == 0


def test_networks_that_converged_after_the_step_that_is_shown_had_not_converged_by_it():
    table = metrics(kernel="flat", **DEEP, depths=(1, 5), converged=STEP + 1)
    _, texts = drawn("fig05", make_table("fig05", {"layers": table}))
    assert "1 of 2 Tanh networks" in texts
