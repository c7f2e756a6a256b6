"""A change of a figure's texts, colours or panels is listed."""

import contact_sheet
import pytest
from figure_records import differences, record_of, without_numbers
from matplotlib.figure import Figure

from repatlas.plots.style import Style, applied, letter, settle

COLOURS = {"Tanh": "#d55e00", "ReLU": "#0072b2"}
SWAPPED = dict(zip(COLOURS, reversed(COLOURS.values()), strict=True))


def drawn(colours=COLOURS, label="Separability", panels=2, lines=2, named_by="legend", share=12):
    """Return the record of a figure with a line for each colour in each panel."""
    with applied(Style({}, 5.5, 7.0, False)):
        figure = Figure()
        for number, part in enumerate(figure.subfigures(1, panels, squeeze=False).flat):
            letter(part, "AB"[number])
            ax = part.subplots()
            ax.set(title=["CCGP", "Decoding"][number], xlabel=label)
            for name in [*colours][:lines]:
                [line] = ax.plot([0, 1], [0, len(name)], color=colours[name], label=name)
                if named_by == "label":
                    ax.text(1, len(name), name, color=line.get_color())
            ax.text(0, 0, f"{share}% of units at sigma = 0.5")
        if named_by == "legend":
            figure.legend(*ax.get_legend_handles_labels())
        settle(figure)
        return record_of(figure)


def found(**changed):
    return [*differences(drawn(), drawn(**changed))]


def sentences(**changed):
    return [sentence for _, sentence in found(**changed)]


def test_a_figure_that_did_not_change_has_no_differences():
    assert found() == []


def test_two_names_that_are_swapped_are_listed_with_both_colours():
    assert sentences(colours=SWAPPED)[:2] == [
        "legend 'ReLU' was #0072b2 -, is #d55e00 -",
        "legend 'Tanh' was #d55e00 -, is #0072b2 -",
    ]


def test_a_colour_that_changed_is_listed_for_its_name_and_in_each_panel():
    assert sentences(colours=COLOURS | {"Tanh": "#009e73"}) == [
        "legend 'Tanh' was #d55e00 -, is #009e73 -",
        "panel 'CCGP', 'Decoding': had 1 #d55e00 -, has 1 #009e73 -",
    ]


def test_a_label_that_changed_is_listed():
    said = "panel 'CCGP', 'Decoding': x was Separability, is Noise"
    assert sentences(label="Noise") == [said]


def test_a_panel_that_was_dropped_is_listed_with_its_letter():
    assert sentences(panels=1) == ["letter B is gone", "panel 'Decoding' is gone"]


def test_titles_that_are_swapped_are_another_order_of_panels():
    swapped = drawn() | {"axes": drawn()["axes"][::-1]}
    assert [*differences(drawn(), swapped)] == [(False, "the panels are in another order")]


def test_a_line_that_was_dropped_is_listed():
    assert "panel 'CCGP', 'Decoding': had 1 #0072b2 -, has nothing" in sentences(lines=1)


def test_names_that_move_from_the_legend_to_their_lines_are_no_other_colours():
    moved = found(named_by="label")
    assert not any(is_look for is_look, _ in moved)
    assert moved[0][1] == "'ReLU' (#0072b2 -) moved from legend to label"


def test_measured_numbers_are_not_compared_and_settings_are():
    one, other = (without_numbers(drawn(share=share)) for share in (12, 13.5))
    assert one == other != drawn()
    assert "#% of units at sigma = 0.5" in [text for text, *_ in one["texts"]]


@pytest.mark.parametrize(
    ("change", "code"),
    [({}, 0), ({"lines": 1}, 1), ({"colours": SWAPPED}, 1), ({"named_by": "label"}, 0)],
)
def test_comparing_fails_only_if_a_text_or_its_colour_differs(tmp_path, change, code):
    for name, record in {"old": drawn(), "new": drawn(**change)}.items():
        (tmp_path / name).mkdir()
        contact_sheet.write_records({"own/fig01": record}, tmp_path / name / contact_sheet.RECORD)
    page = tmp_path / "page.html"
    assert contact_sheet.compare(tmp_path / "old", tmp_path / "new", page) == code
    assert ("no difference" in page.read_text(encoding="utf-8")) == (not change)
