"""Gradient descent of one hidden layer whose units are gated from outside."""

from collections.abc import Sequence

import numpy as np

from repatlas.experiments.items.network import Member, State, half_squares, stacked


class GatedDescent:
    """Y_hat = W_2 (g o (W_1 X)), of B networks: gates g don't depend on the weights.

    state: weights1, (B, H, n_in), and weights2, (B, n_out, H); gates: (B or 1, H, N); masks: (H,
    n_in) of 0 and 1, or None: weights that are masked are 0 and stay so; detached: this number of
    units, from the first, descend the loss of the output of these units alone. The others descend
    the loss of all.
    """

    def __init__(
        self,
        members: Sequence[Member],
        state: State,
        gates: np.ndarray,
        masks: np.ndarray | None = None,
        detached: int = 0,
    ):
        self.state = state
        self.gates = gates.astype(members[0].training.dtype)
        self._masks = masks
        self._first, self._second = state["weights1"], state["weights2"]
        self._inputs, self._targets, self._rates = stacked(members)
        self._detached = detached
        # All epochs write into the same arrays.
        hidden = (*self._first.shape[:2], self._inputs.shape[2])
        self._hidden = np.empty(hidden, self._inputs.dtype)
        self._inner = np.empty_like(self._hidden)
        self._errors, self._own_errors = np.empty_like(self._targets), np.empty_like(self._targets)
        self._changes = np.empty_like(self._first), np.empty_like(self._second)
        parts = (self._own_errors, slice(0, detached)), (self._errors, slice(detached, None))
        self._parts = parts if detached else parts[1:]

    def losses(self) -> np.ndarray:
        np.matmul(self._first, self._inputs, out=self._hidden)
        self._hidden *= self.gates
        n = self._detached
        np.matmul(self._second[:, :, n:], self._hidden[:, n:], out=self._errors)
        if n:
            np.matmul(self._second[:, :, :n], self._hidden[:, :n], out=self._own_errors)
            self._own_errors -= self._targets
            self._errors += self._own_errors
        else:
            self._errors -= self._targets
        return half_squares(self._errors)

    def descend(self, epoch: int) -> None:
        hidden, back = np.swapaxes(self._hidden, 1, 2), np.swapaxes(self._second, 1, 2)
        first, second = self._changes
        for errors, units in self._parts:
            errors *= self._rates
            np.matmul(back[:, units], errors, out=self._inner[:, units])
            np.matmul(errors, hidden[:, :, units], out=second[:, :, units])
        self._second -= second
        self._inner *= self.gates
        np.matmul(self._inner, np.swapaxes(self._inputs, 1, 2), out=first)
        if self._masks is not None:
            first *= self._masks
        self._first -= first

    def checkpoint(self) -> State:
        return self.state

    def maps(self) -> np.ndarray | None:
        return None
