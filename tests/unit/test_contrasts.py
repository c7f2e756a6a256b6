import numpy as np
import pandas as pd
import pytest

from repatlas.inference.contrasts import contrast_rows, tanh_minus_relu
from repatlas.inference.intervals import median_interval


def table(values, **columns):
    return pd.DataFrame({"seed": range(len(values)), "value": values, "delta": None} | columns)


def test_a_contrast_is_the_median_of_the_differences_of_paired_networks():
    first = table([1.0, 2.0, 4.0, 5.0, 6.0, 7.0], measure="ccgp")
    second = table([0.5, 1.0, 1.0, 4.0, 9.0, 2.5], measure="ccgp")
    [row] = contrast_rows(first, second, "tanh - relu", ["measure", "delta"]).to_dict("records")
    interval = median_interval(np.array([0.5, 1.0, 3.0, 1.0, -3.0, 4.5]))
    assert np.isnan(row.pop("delta"))
    assert row == {"measure": "ccgp", "contrast": "tanh - relu"} | interval._asdict()


@pytest.mark.parametrize("lost", ["value", "row"])
def test_a_network_without_a_value_is_left_out_with_its_partner(lost):
    first, second = table([1.0, 2.0, 9.0], measure="ccgp"), table([0.0, 0.0, 1.0], measure="ccgp")
    if lost == "value":
        second.loc[2, "value"] = None
    else:
        second = second.iloc[:2]
    assert contrast_rows(first, second, "a - b", ["measure"])["value"].tolist() == [1.5]


def test_each_combination_of_the_columns_has_a_contrast_of_its_own():
    first, second = (
        pd.concat([table([level + k] * 3, step=k, measure="ccgp") for k in (0, 5)])
        for level in (3.0, 1.0)
    )
    second.loc[second["step"] == 5, "value"] = 0.0
    found = contrast_rows(first, second, "a - b", ["measure", "step"])
    assert dict(zip(found["step"], found["value"], strict=True)) == {0: 2.0, 5: 8.0}


def test_the_effect_of_the_activation_is_tanh_minus_relu_of_each_seed():
    rows = pd.concat(
        [
            table([1.0, 2.0], activation="tanh", measure="ccgp"),
            table([0.5, 4.0], activation="relu", measure="ccgp"),
            table([9.0, 9.0], activation="identity", measure="ccgp"),
        ]
    )
    assert tanh_minus_relu(rows, ["measure"])["value"].tolist() == [0.5, -2.0]
