"""The toy of Morcos et al. (2018, section 2.2 and Figure 2): two representations that share some
directions, and noise in all others. No network is in it; each draw is one of a seed."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from repatlas.similarity import (
    ThinSVD,
    canonical_correlations,
    pwcca,
    svcca,
    thin_svd,
)
from repatlas.streams import stream

ITEMS, FEATURES = 2000, 200
SIGNALS = (20, 50, 70, 80, 100, 120, 140, 160, 180, 199)
"""How many directions are shared, k."""
DRAWS = 20
"""At most: one for each seed of the networks that the toy is shown with."""
NOISES = {"variance 0.1": np.sqrt(0.1), "sd 0.1": 0.1, "sd 1": 1.0}
"""Standard deviations of the noise by name. The paper's N(0, 0.1) does not say which of the first
two it means; with the last, signal and noise have the same variance."""
WITHOUT_CONTRAST, FEW_DRAWS = "sd 1", 5
"""The noise that no claim is about, and of how many draws."""
DIRECTIONS = 8
MAPS, CONDITION = 20, 100.0
"""Affine maps, and the largest condition of one."""
SHARED = 100
"""Shared directions of the data that are mapped."""
ABOUT = {"run": "toy", "m": ITEMS, "h_a": FEATURES, "h_b": FEATURES, "similarity": True}

Array = np.ndarray


def parts(draw: int, signals: int) -> tuple[Array, Array, Array, Array]:
    """Return the signal (m, k), the signal after a random orthogonal map, and the noise of each
    side, (m, h - k).

    All have the standard deviation 1. Smaller k take a subset of the signals of larger k.
    """
    return _parts(_drawn(draw), draw, signals)


def _parts(drawn: list[Array], draw: int, signals: int) -> tuple[Array, Array, Array, Array]:
    signal, *noises = drawn
    own = signal[:, :signals]
    rotated = own @ orthogonal(stream(draw, "noise directions, map", signals), signals)
    return own, rotated, *(noise[:, : FEATURES - signals] for noise in noises)


def _drawn(draw: int) -> list[Array]:
    """Return three arrays, (m, h), of independent normal numbers."""
    random = stream(draw, "noise directions")
    return [random.standard_normal((ITEMS, FEATURES)) for _ in range(3)]


def _in_few_coordinates(drawn: list[Array]) -> list[Array]:
    """Return the arrays, centred, in an orthonormal basis of all that was drawn: three times (3 h,
    h).

    Every similarity is the same as with all items, and there are fewer rows.
    """
    both = np.hstack(drawn)
    return np.split(np.linalg.qr(both - both.mean(axis=0), mode="r"), len(drawn), axis=1)


def orthogonal(random: np.random.Generator, size: int) -> Array:
    """Return a random rotation or reflection, (size, size). All are equally likely."""
    q, r = np.linalg.qr(random.standard_normal((size, size)))
    return q * np.sign(np.diag(r))


def toy_rows(seeds: int = DRAWS) -> pd.DataFrame:
    """Return the similarities of the toy, from this number of draws, 20 at most.

    For each noise there are means over draws, with their standard deviation, against `at`, the
    number k of shared directions. They are "toy_cca", "toy_svcca", "toy_svcca_8" and "toy_pwcca",
    and "toy_floor" is mean CCA of the noise alone. Each draw has "toy_least_gap", the smallest
    difference of PWCCA and mean CCA over k. It also has "toy_range_ratio", the range of PWCCA
    divided by the range of mean CCA, both over k.
    """
    rows = pd.DataFrame(each for draw in range(min(seeds, DRAWS)) for each in _draw_rows(draw))
    curves = rows.groupby(["measure", "variant", "at"], sort=False)["value"]
    drawn = curves.agg(value="mean", sd="std").reset_index().assign(contrast="mean")
    found = [drawn]
    for (seed, noise), of_draw in rows.groupby(["seed", "variant"], sort=False):
        if noise == WITHOUT_CONTRAST or not noise:
            continue
        wide = of_draw.pivot_table(index="at", columns="measure", values="value")
        weighted, mean = wide["toy_pwcca"], wide["toy_cca"]
        values = {
            "toy_least_gap": (weighted - mean).min(),
            "toy_range_ratio": np.ptp(weighted) / np.ptp(mean),
        }
        found.append(
            pd.DataFrame(
                {"measure": name, "variant": noise, "seed": seed, "value": value}
                for name, value in values.items()
            )
        )
    return pd.concat(found, ignore_index=True).assign(**ABOUT)


def _draw_rows(draw: int) -> Iterator[dict]:
    drawn = _in_few_coordinates(_drawn(draw))
    for signals in SIGNALS:
        signal, rotated, *noises = _parts(drawn, draw, signals)
        sides = [
            _Scaled(np.hstack([own, noise]), signals)
            for own, noise in zip((signal, rotated), noises, strict=True)
        ]
        common = {"seed": draw, "at": float(signals)}
        scaled = {
            noise: [side.at(sd) for side in sides]
            for noise, sd in NOISES.items()
            if noise != WITHOUT_CONTRAST or draw < FEW_DRAWS
        }
        # Scales of features change no canonical correlation, so the value holds for any noise.
        mean = float(canonical_correlations(*next(iter(scaled.values()))).mean())
        for noise, (x, y) in scaled.items():
            values = {
                "toy_cca": mean,
                "toy_svcca": svcca(x, y).similarity,
                "toy_svcca_8": svcca(x, y, "directions", DIRECTIONS).similarity,
                "toy_pwcca": pwcca(x, y, "both"),
            }
            for name, value in values.items():
                yield common | {"measure": name, "variant": noise, "value": value}
        if draw < FEW_DRAWS:
            alone = [_Scaled(noise, 0).at(1.0) for noise in noises]
            floor = float(canonical_correlations(*alone).mean())
            yield common | {"measure": "toy_floor", "variant": "", "value": floor}


class _Scaled:
    """Thin SVDs of a centred representation whose features after the first k are scaled, from one
    QR."""

    def __init__(self, features: Array, signals: int):
        self._q, self._r = np.linalg.qr(features)
        self._signals = signals

    def at(self, scale: float) -> ThinSVD:
        scales = np.ones(len(self._r))
        scales[self._signals :] = scale
        left, values, right = np.linalg.svd(self._r * scales)
        return ThinSVD(self._q @ left, values, right.T)


def affine_rows(seeds: int = MAPS) -> pd.DataFrame:
    """Return "affine_change" of SVCCA (99 % of the variance) and of mean CCA.

    It is the change of the similarity of two such representations if one goes through a random
    affine map. There is a value for each map, 20 at most.
    """
    signal, rotated, *noises = parts(0, SHARED)
    sd = NOISES["variance 0.1"]
    x, y = np.hstack([signal, sd * noises[0]]), thin_svd(np.hstack([rotated, sd * noises[1]]))
    before = _both(x, y)
    found = []
    for number in range(min(seeds, MAPS)):
        after = _both(affine(x, number), y)
        for name, value in after.items():
            change = abs(value - before[name])
            found.append({"measure": "affine_change", "variant": name, "value": change,
                          "seed": number})  # fmt: skip
    return pd.DataFrame(found).assign(**ABOUT | {"similarity": False})


def affine(x: Array, number: int) -> Array:
    """Return x after a random affine map whose condition is 100 at most."""
    random = stream(number, "affine map")
    size = x.shape[1]
    left, right = orthogonal(random, size), orthogonal(random, size)
    values = np.sqrt(CONDITION) ** random.uniform(-1, 1, size)
    return x @ (left * values @ right) + random.standard_normal(size)


def _both(x: Array, y: ThinSVD) -> dict[str, float]:
    svd = thin_svd(x)
    return {"svcca": svcca(svd, y).similarity, "cca": float(canonical_correlations(svd, y).mean())}
