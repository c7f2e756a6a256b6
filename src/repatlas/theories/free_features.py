"""Free features: features of least norm that are free to move, as in models of neural collapse.

Balanced features of squared errors have the kernel (Y^T Y)^(1/2) (unconstrained features: Mixon,
Parshall & Pi 2020). There is a prediction for the end alone.
"""

import numpy as np

from repatlas.theories.prediction import Prediction, alignment, at_the_end


def predict(targets: np.ndarray, checkpoints: int) -> Prediction:
    """Return alignment at the last of some checkpoints. targets: (N, n_out)."""
    values, vectors = np.linalg.eigh(targets @ targets.T)
    half = vectors * np.sqrt(np.sqrt(np.maximum(values, 0)))
    return Prediction(alignment=at_the_end(alignment(half, targets), checkpoints))
