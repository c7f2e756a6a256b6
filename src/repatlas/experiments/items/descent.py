"""Gradient descent of one hidden layer whose units are gated from outside."""

from collections.abc import Sequence

import numpy as np

from repatlas.experiments.items.network import Member, State, half_squares, stacked


class GatedDescent:
    """Y_hat = W_2 (g o (W_1 X)), of B networks: gates g don't depend on the weights.

    state: weights1, (B, H, n_in), and weights2, (B, n_out, H); gates: (B or 1, H, N); masks:
    (H, n_in) of 0 and 1, or None: weights that are masked are 0 and stay so; detached: how many of
    the units, the first ones, descend the loss of their own output, as if they were alone. The
    others descend the loss of all.
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

    def losses(self) -> np.ndarray:
        self._hidden = (self._first @ self._inputs) * self.gates
        if not self._detached:
            self._errors = self._second @ self._hidden - self._targets
            return half_squares(self._errors)
        own, n = self._second, self._detached
        self._own_errors = own[:, :, :n] @ self._hidden[:, :n] - self._targets
        self._errors = own[:, :, n:] @ self._hidden[:, n:] + self._own_errors
        return half_squares(self._errors)

    def descend(self, epoch: int) -> None:
        gradient = self._rates * self._errors
        hidden, back = np.swapaxes(self._hidden, 1, 2), np.swapaxes(self._second, 1, 2)
        if n := self._detached:
            own = self._rates * self._own_errors
            inner = np.concatenate([back[:, :n] @ own, back[:, n:] @ gradient], axis=1)
            self._second[:, :, :n] -= own @ hidden[:, :, :n]
            self._second[:, :, n:] -= gradient @ hidden[:, :, n:]
        else:
            inner = back @ gradient
            self._second -= gradient @ hidden
        inner *= self.gates
        change = inner @ np.swapaxes(self._inputs, 1, 2)
        if self._masks is not None:
            change *= self._masks
        self._first -= change

    def checkpoint(self) -> State:
        return self.state

    def maps(self) -> np.ndarray | None:
        return None
