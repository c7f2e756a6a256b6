"""The usual tools on layers in files, each as its users call it; run in a separate environment.

python tools.py TOOL FOLDER LAYERS ITEMS    prints CPU seconds and a value, as JSON, or what is
                                            not installed
"""

import json
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

BATCH = 256
DRAWS = 100


def layers_in(folder: str, layers: str, items: str) -> list[np.ndarray]:
    paths = sorted(Path(folder).glob("*.npy"))[: int(layers)]
    return [np.load(path)[: int(items)] for path in paths]


def torch_cka(arrays: list[np.ndarray]) -> float:
    """Compare models with torch_cka. The arrays become the layers of a model: identities with these
    outputs, for items that come in batches."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from torch_cka import CKA

    class Layers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.arrays = [torch.from_numpy(x) for x in arrays]
            self.each = torch.nn.ModuleList(torch.nn.Identity() for _ in arrays)

        def forward(self, items):
            for layer, x in zip(self.each, self.arrays, strict=True):
                layer(x[items])

    names = [f"each.{i}" for i in range(len(arrays))]
    # Not shuffled: it goes through the loader for each of both models at once.
    loader = DataLoader(TensorDataset(torch.arange(len(arrays[0]))), BATCH)
    compared = CKA(Layers(), Layers(), "a", "b", names, names)
    compared.compare(loader)
    return float(compared.export()["CKA"][0, 1])


def netrep(arrays: list[np.ndarray]) -> float:
    """Return the cosine of the angle between the kernels of all items, for the first pair."""
    from netrep.metrics import LinearCKA

    metric = LinearCKA()
    angles = [metric.score(x, y) for x, y in combinations(arrays, 2)]
    return float(np.cos(angles[0]))


def rsatoolbox(arrays: list[np.ndarray]) -> float:
    """Return squared Euclidean distances of all pairs of items, and the cosines of them."""
    return float(_cosine(_distances(arrays))[0, 1])


def rsatoolbox_bootstrap(arrays: list[np.ndarray]) -> float:
    """Compare layers with rsatoolbox, and bootstrap the similarity of each layer to each other
    layer over items."""
    from rsatoolbox.inference import eval_bootstrap_pattern
    from rsatoolbox.model import ModelFixed

    distances = _distances(arrays)
    for i in range(len(arrays) - 1):
        models = [ModelFixed(str(j), distances[j]) for j in range(i + 1, len(arrays))]
        eval_bootstrap_pattern(models, distances[i], method="cosine", N=DRAWS)
    return float(_cosine(distances)[0, 1])


def _distances(arrays):
    from rsatoolbox.data import Dataset
    from rsatoolbox.rdm import calc_rdm, concat

    return concat([calc_rdm(Dataset(x), method="euclidean") for x in arrays])


def _cosine(distances):
    from rsatoolbox.rdm import compare

    return compare(distances, distances, method="cosine")


TOOLS = {of.__name__: of for of in (torch_cka, netrep, rsatoolbox, rsatoolbox_bootstrap)}

if __name__ == "__main__":
    arrays = layers_in(*sys.argv[2:])
    start = time.process_time()
    try:
        value = TOOLS[sys.argv[1]](arrays)
    except ModuleNotFoundError as error:
        print(json.dumps({"missing": error.name}))
    else:
        print(json.dumps({"cpu": time.process_time() - start, "value": value}))
