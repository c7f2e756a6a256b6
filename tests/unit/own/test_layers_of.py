"""Layers of torch models and tokens of sequences, without a file."""

import numpy as np
import pytest
import torch

from repatlas.own import compare, layers_of, tokens
from repatlas.record import Refused

ITEMS = torch.rand(70, 4, 6, generator=torch.Generator().manual_seed(0))


class Encoder(torch.nn.Module):
    """A model with a layer of tokens and a layer that is random in training."""

    def __init__(self, width=5, twice=False):
        super().__init__()
        self.embed, self.drop = torch.nn.Linear(6, width), torch.nn.Dropout(0.5)
        self.twice = twice

    def forward(self, x):
        x = self.drop(self.embed(x))
        return self.drop(x) if self.twice else x


def test_layers_of_two_models_are_what_their_modules_return():
    a, b = Encoder(), Encoder(3)
    found = layers_of(a, ITEMS, ["embed"], reduction="last", channels=2)
    expected = a.embed(ITEMS)[:, -1].detach().numpy()
    np.testing.assert_allclose(found["embed"], expected, atol=1e-6)
    table = compare(found, layers_of(b, ITEMS, reduction="tokens", channels=2), draws=0)
    assert table[["a", "b"]].values.tolist() == [["embed", "embed"], ["embed", "drop"]]
    assert layers_of(a, [ITEMS[:30], ITEMS[30:]])["embed"].shape == (70, 20)
    assert a.training


def test_a_layer_that_fires_twice_is_refused_as_in_record():
    with pytest.raises(Refused, match="layer 'drop': fires 2 times in a pass"):
        layers_of(Encoder(twice=True), ITEMS)


def test_tokens_that_are_padding_do_not_count():
    states = np.random.default_rng(0).standard_normal((5, 7, 3))
    lengths = np.array([7, 1, 3, 6, 2])
    mask = np.arange(7) < lengths[:, None]
    expected = [of[:length].mean(axis=0) for of, length in zip(states, lengths, strict=True)]
    np.testing.assert_allclose(tokens(states, "mean", mask), expected)
    np.testing.assert_array_equal(tokens(states, "last", mask), states[range(5), lengths - 1])
    left = mask[:, ::-1]  # padding on the left
    np.testing.assert_array_equal(tokens(states, "first", left), states[range(5), 7 - lengths])
    with pytest.raises(ValueError, match="sequence 1 has no token that is no padding"):
        tokens(states, "mean", lengths[:, None] > np.arange(1, 8))
