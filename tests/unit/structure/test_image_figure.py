"""From metrics of networks on images to the tables and drawings of Figures 4C and S6."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from figure_tables import as_drawn
from image_configs import ON_IMAGES
from one_more import is_told, with_one_more
from said_and_shown import CLAIM, spreads
from stages import network_rows

from repatlas.config.config import COLOURS
from repatlas.config.sweeps import sweep_of
from repatlas.inference.intervals import median_interval
from repatlas.plots.images import last_epoch
from repatlas.plots.palette import BLACK, LIGHT
from repatlas.plots.style import Style, applied, settle
from repatlas.studies.structure import fig04C, figS6
from repatlas.studies.structure.rows.images import bar_rows

matplotlib.use("agg")
STYLE = Style(COLOURS, 5.5, 7.0, False, 800)
ONE_VALUE = ("ccgp", "parallelism", "accuracy")


def sweep(data_set="digits", architecture="small_cnn", seeds=3):
    return {
        "data_set": data_set,
        "network": {"architecture": architecture, "activation": ["tanh", "relu"], "width": 4},
        "epochs": [0, 2],
        "seeds": seeds,
    }


def metrics_of(values, images=100, published=100, seeds=3, held_out=20):
    """Make a file for each seed. A value shows its origin: 0.1 x layer + 0.01 x seed, and 0.5 more
    after training."""
    specs = sweep_of("images").model_validate(ON_IMAGES | values).specs()
    about = {
        "images": {"train": images, "test": held_out},
        "published": {"train": published, "test": 20},
    }
    files = []
    for seed in range(seeds):
        common = {"seed": seed, "diverged_step": None, "converged_step": None}
        rows = [
            {"run": spec.key, "step": step, "by": "", "measure": measure, "variant": ""}
            | {"layer": layer}
            | {"value": 0.1 * (layer or 0) + 0.01 * seed + 0.5 * (step > 0)}
            | common
            for spec in specs
            for step in (0, 2)
            for measure, layers in [
                ("target_alignment", range(4)),
                ("input_alignment", range(4)),
                *[(name, [3 if name != "accuracy" else None]) for name in ONE_VALUE],
            ]
            for layer in layers
        ]
        files.append(({"about": about}, pd.DataFrame(rows)))
    return files


def table(values=None, **counts):
    values = values or sweep()
    return rows_of(metrics_of(values, **counts), values)


def rows_of(metrics, values):
    sweep = sweep_of("images").model_validate(ON_IMAGES | values)
    return network_rows(metrics, sweep)


def test_each_row_has_the_settings_of_its_network():
    rows = table()
    assert set(rows["activation"]) == {"tanh", "relu"}
    assert set(rows["pairing"]) == {"fixed", "random"}
    constant = rows[["dataset", "architecture", "clusters", "targets", "images", "published"]]
    assert constant.drop_duplicates().to_numpy().tolist() == [
        ["digits", "small_cnn", 10, 5, 100, 100]
    ]


def test_the_last_layer_and_epoch_are_what_figure_4c_shows():
    shown = last_epoch(bar_rows(table()))
    assert set(shown["step"]) == {2}
    assert set(shown.loc[shown["measure"] == "target_alignment", "layer"]) == {3}
    assert (shown["measure"] == "accuracy").any()


def test_a_difference_between_activations_is_of_seeds_over_all_their_pairings():
    rows = table(sweep(seeds=6), seeds=6)
    tanh = (rows["activation"] == "tanh") & (rows["layer"] == 3) & (rows["step"] == 2)
    for pairing, more in (("fixed", 0.2), ("random", 0.4)):
        rows.loc[tanh & (rows["pairing"] == pairing), "value"] += more * (1 + rows["seed"])
    found = bar_rows(rows)
    found = found[found["contrast"].notna() & (found["step"] == 2)].set_index("measure")
    target = found.loc["target_alignment"]
    expected = median_interval(0.3 * np.arange(1, 7))
    assert target[["value", "low", "high"]].tolist() == pytest.approx(list(expected))
    assert (target["dataset"], target["architecture"], target["layer"]) == (
        "digits",
        "small_cnn",
        3,
    )
    assert found.loc["accuracy", "value"] == 0


def test_a_network_that_diverged_is_no_part_of_a_difference():
    rows = table()
    rows.loc[rows["activation"] == "tanh", "value"] += 0.25
    # Before it diverged it had values, too.
    rows.loc[(rows["seed"] == 2) & (rows["activation"] == "tanh"), "value"] = 9
    rows.loc[rows["seed"] == 2, "diverged_step"] = 1
    found = bar_rows(rows)
    assert found.loc[found["contrast"].notna(), "value"].tolist() == pytest.approx([0.25] * 10)


def drawn(rows, style=STYLE):
    table = as_drawn(fig04C.tabulate({"images": rows}, None))
    return fig04C.draw(table, style)


def dots(ax):
    """Return the medians and the differences of pairs of networks that a panel shows, by cell."""
    found = {BLACK: [], LIGHT: []}
    for line in ax.lines:
        if line.get_marker() == "o" and len(line.get_xdata()):
            found[line.get_color()].append(list(line.get_xdata()))
    return found[BLACK], found[LIGHT]


FEW = [pytest.param(seeds, True, marks=pytest.mark.slow) for seeds in (1, 3)]


@pytest.mark.parametrize("name", ["fig04C", "figS6"])
@pytest.mark.parametrize(("seeds", "preview"), [*FEW, (6, False)])
def test_figures_of_images_fit_their_page(name, seeds, preview):
    from drawn_pages import caption_of
    from layout_faults import faults

    draw = {"fig04C": drawn, "figS6": lambda *given: layers(*given)[0]}[name]
    style = STYLE._replace(preview=preview)
    with applied(style):
        figure = draw(networks_on_both(seeds), style)
        assert settle(figure)
        assert faults(figure, caption_of("structure", name)) == []
        is_claimed = bool(CLAIM.search(figure.get_label())), spreads(figure) != []
        assert is_claimed == (not preview, not preview)


def networks_on_both(seeds):
    """Return networks on two data sets whose activations differ, by another amount for each
    seed."""
    found = pd.concat([table(sweep(seeds=seeds), seeds=seeds),
                       table(sweep("cifar10", "resnet18", seeds), seeds=seeds)])  # fmt: skip
    is_tanh = found["activation"] == "tanh"
    return found.assign(value=found["value"] * (0.8 - 0.02 * is_tanh * found["seed"]))


def note(figure):
    return " ".join(figure.get_supxlabel().split())


def test_the_caption_says_of_how_many_images_a_subset_is():
    rows = table(sweep("cifar10"), images=8068, published=50_000)
    # A table that is read back has floats, next to rows without images.
    numbers = ("images", "published", "test_images", "test_published")
    said = note(drawn(rows.astype(dict.fromkeys(numbers, float))))
    assert "CIFAR-10, 8,068 training images (subset of 50,000)" in said
    assert "3 networks of each kind" in said


def test_the_caption_says_which_pairs_of_classes_there_were():
    both, fixed = (note(drawn(rows)) for rows in (table(), table(sweep() | {"pairing": ["fixed"]})))
    assert "3 networks of each kind, each a mean over fixed and random pairs of classes." in both
    assert "3 networks of each kind, fixed pairs of classes." in fixed


def test_the_caption_calls_a_whole_data_set_no_subset():
    assert "subset" not in note(drawn(table()))


def test_the_caption_says_of_how_many_held_out_images_a_subset_is():
    said = note(drawn(table(sweep("fashion_mnist"), held_out=17)))
    assert "Fashion-MNIST, 100 training images, 17 held out (subset of 20)." in said


def layers(rows, style=STYLE):
    table = as_drawn(figS6.tabulate({"images": rows}, None))
    return figS6.draw(table, style), table


def curves(ax):
    """Return, by style of line, its values, for tanh and for ReLU."""
    found = {}
    for line in ax.lines:
        found.setdefault(line.is_dashed(), []).append(line.get_ydata().tolist())
    return {dashed: [each for each in lines if each] for dashed, lines in found.items()}


def test_figure_s6_counts_a_network_that_diverged_and_leaves_it_out():
    rows = table()
    rows.loc[rows["seed"] == 2, ["diverged_step", "value"]] = [1, np.nan]
    figure, _ = layers(rows)
    assert curves(figure.axes[0])[False][0][0] == pytest.approx(0.505)
    assert figure.axes[0].get_title() == "CNN: Digits, not the paper's\nn = 2"
    assert "Diverged and left out: 4 networks" in " ".join(figure.get_supxlabel().split())


def test_the_table_of_figure_s6_has_the_difference_at_each_layer():
    rows = table()
    rows.loc[rows["activation"] == "tanh", "value"] += 0.1 * rows["layer"]
    _, found = layers(rows)
    effects = found[(found["contrast"] == "tanh - relu") & (found["step"] == 2)]
    effects = effects[effects["measure"] == "target_alignment"].sort_values("layer")
    assert effects["value"].tolist() == pytest.approx([0, 0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("column", "value", "name"),
    [
        ("activation", "gelu", "GELU"),
        ("architecture", "resnet18", "ResNet-18"),
        ("dataset", "stl10", "STL-10"),
    ],
)
@pytest.mark.parametrize("draw", [lambda rows: drawn(rows), lambda rows: layers(rows)[0]],
                         ids=["fig04C", "figS6"])  # fmt: skip
def test_one_value_more_is_told(draw, column, value, name):
    rows = table()
    assert is_told(draw(rows), draw(with_one_more(rows, column, value)), value, name)


@pytest.mark.filterwarnings("error")
def test_figures_are_drawn_where_all_networks_diverged():
    rows = table()
    rows = rows.assign(value=np.nan, variant="diverged", layer=np.nan, diverged_step=0)
    figure, _ = layers(rows)
    assert "Diverged and left out: 12 networks" in " ".join(figure.get_supxlabel().split())
    _, pairs = dots(drawn(rows).axes[0])
    assert pairs == []
