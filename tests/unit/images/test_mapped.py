"""Images are read from disk as they are needed."""

import numpy as np
import pytest

from repatlas.artifacts.files import Arrays, Unreadable, write_arrays
from repatlas.images.mapped import mapped


@pytest.fixture
def stored(tmp_path, rng):
    arrays = {
        "labels": rng.integers(0, 10, 7, dtype=np.uint8),
        "images": rng.integers(0, 256, (7, 3, 4, 5), dtype=np.uint8),
    }
    write_arrays(tmp_path / "images.safetensors", "data", {}, arrays)
    return tmp_path / "images.safetensors", arrays


def test_mapped_images_are_those_that_were_written(stored):
    path, arrays = stored
    for name, values in arrays.items():
        found = mapped(Arrays(path, "data"), name)
        assert isinstance(found, np.memmap)
        np.testing.assert_array_equal(found, values)


def test_damaged_images_are_not_mapped(stored):
    path, _ = stored
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(Unreadable, match="damaged, array"):
        for name in ("images", "labels"):
            mapped(Arrays(path, "data"), name)
