"""Write the hidden layers of small networks on scikit-learn's digits, as a user's own arrays.

python docs/digits/layers.py [FOLDER]      into data/digits, in some seconds

Six networks (seeds) with three hidden layers learn to tell ten digits apart. Of each, at three
epochs, the activity of each layer for 360 digits that it was not trained on becomes one file,
FOLDER/SEED/EPOCH/LAYER.npy, items x features. FOLDER/items.csv has a line for each row: its name,
the digit, whether this is even, and whether it is below five.
"""

import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

SEEDS, EPOCHS, WIDTHS, SHOWN = 6, (0, 3, 30), (64, 32, 16), 360


def layers(network: MLPClassifier, images: np.ndarray) -> list[np.ndarray]:
    """Return (items, units) of each hidden layer."""
    found, activity = [], images
    for weights, biases in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        activity = np.maximum(activity @ weights + biases, 0)
        found.append(activity.astype(np.float32))
    return found


def main(folder: Path) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    images, digits = load_digits(return_X_y=True)
    images = images / 16
    order = np.random.default_rng(0).permutation(len(digits))
    shown, trained = order[:SHOWN], order[SHOWN:]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "items.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "digit", "parity", "size"])
        for item in shown:
            digit = int(digits[item])
            parity, size = ("even", "odd")[digit % 2], ("small", "large")[digit >= 5]
            writer.writerow([f"digit-{item}", digit, parity, size])
    for seed in range(SEEDS):
        # A rate of almost 0 leaves the network as it starts.
        start = MLPClassifier(WIDTHS, learning_rate_init=1e-12, max_iter=1, random_state=seed)
        network = MLPClassifier(WIDTHS, random_state=seed)
        start.fit(images[trained], digits[trained])
        for epoch in range(max(EPOCHS) + 1):
            if epoch:
                network.partial_fit(images[trained], digits[trained], classes=np.arange(10))
            if epoch in EPOCHS:
                place = folder / str(seed) / str(epoch)
                place.mkdir(parents=True, exist_ok=True)
                found = layers(network if epoch else start, images[shown])
                for number, activity in enumerate(found, start=1):
                    np.save(place / f"hidden{number}.npy", activity)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "data/digits"))
