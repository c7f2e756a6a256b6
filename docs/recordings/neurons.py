"""Write the inferotemporal recordings of Zhang & Desimone as a user's own arrays.

python docs/recordings/neurons.py it_counts.parquet [FOLDER]      into data/it, in a second

it_counts.parquet has a row for each trial of each neuron: neuron, trial, object, position and
spikes, the number in 100 to 500 ms after an image came on. (Zhang et al. 2011, PNAS; the data are
part of NeuroDecodeR, Meyers 2013.) The neurons were not recorded together, so each is a separate
session: FOLDER/NEURON.npy has its counts, and FOLDER/NEURON.csv what was shown.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd


def main(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for neuron, trials in pd.read_parquet(source).groupby("neuron"):
        np.save(folder / f"{neuron}.npy", trials["spikes"].to_numpy(dtype=float))
        image = trials["object"] + " " + trials["position"]
        table = trials[["object", "position"]].assign(image=image)
        table.to_csv(folder / f"{neuron}.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "data/it"))
