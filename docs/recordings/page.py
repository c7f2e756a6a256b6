"""Write one page with measures and plots of the inferotemporal recordings of Zhang & Desimone.

python docs/recordings/page.py it_counts.parquet [PAGE]      data/it/page.html, in some seconds

it_counts.parquet is described in neurons.py. The layers of the page are the spikes before the image
and those in 100 to 500 ms after it. The neurons were not recorded together, so this is a
pseudo-population: trial k of an image is trial k of each neuron with this image. Its measures do
not see how the noise of neurons is correlated.
"""

import sys
from pathlib import Path

import pandas as pd

from repatlas.own import report


def main(source: Path, page: Path) -> None:
    trials = pd.read_parquet(source)
    shown = ["object", "position"]
    trials["repeat"] = trials.groupby(["neuron", *shown]).cumcount()
    counts = trials.pivot_table(["spikes_before", "spikes"], [*shown, "repeat"], "neuron")
    counts = counts.dropna()  # repeats that each neuron has
    layers = {"before": counts["spikes_before"], "after": counts["spikes"]}
    measures = ["alignment", "decoding", "ccgp", "parallelism", "dimensionality"]
    page.parent.mkdir(parents=True, exist_ok=True)
    title = f"{counts['spikes'].shape[1]} neurons, {len(counts)} trials of inferotemporal cortex"
    labels = counts.index.to_frame()[shown]
    print(report(layers, labels, "trials", page, title, measures=measures, draws=19))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else "data/it/page.html"))
