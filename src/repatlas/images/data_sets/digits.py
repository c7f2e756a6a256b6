"""scikit-learn's digits: 1,797 grey images of 8 x 8, the test set of UCI's Optical Recognition of
Handwritten Digits (Alpaydin and Kaynak 1998). They come with the library and need no file.
"""

from pathlib import Path

import numpy as np

from repatlas.images.content import Split

SHAPE = (1, 8, 8)
SIZES = {"train": 1_437, "test": 360}
"""Our split: the last fifth is held out. The images are in the order of their writers, so most
held-out images are by other writers than the training images."""
OTHER_FORMS = ()
CUTTABLE = ()
DOWNLOADS: dict = {}


def read(folder: Path | None, subset: bool) -> dict[str, Split]:
    # Not at the top: it takes a second.
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = digits.images.astype(np.uint8)[:, None]  # of 17 levels, 0 to 16
    labels = digits.target.astype(np.uint8)
    first = SIZES["train"]
    return {
        "train": Split(images[:first], labels[:first]),
        "test": Split(images[first:], labels[first:]),
    }
