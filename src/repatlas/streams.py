"""Named, counter-based streams of random numbers.

Every random number of the project comes from a stream that is named by what it is for. A stream
depends on nothing but its name, so a network's numbers are the same whatever else is drawn, in
whatever order, batch, process or machine. Philox is the counter-based generator of Salmon et al.,
"Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
"""

import hashlib

import numpy as np


def stream(seed: int, purpose: str, index: int = 0) -> np.random.Generator:
    """Return the generator of one purpose, for example "noise", of one seed; `index` counts, for
    example, epochs."""
    # The first name of the project stays in the names of its streams: all results depend on it.
    name = f"repgeom/{seed}/{purpose}/{index}"
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little")
    return np.random.Generator(np.random.Philox(key=key))
