"""Which pairs of networks are compared, by their seeds."""

from typing import Literal

How = Literal["all", "disjoint", "cyclic", "first", "same_seed"]


def seed_pairs(how: How, seeds: int, two: bool) -> list[tuple[int, int]]:
    """Return the seeds of both networks of each pair. two: True if the second network has another
    spec.

    "all": all different seeds; each pair once within one spec, both ways round between two specs.
    "disjoint": 0 and 1, 2 and 3, ..., so that no two pairs share a network. "cyclic": each seed
    with the next one, and the last with the first. "first": 0 and 1 alone. "same_seed": networks of
    two specs that begin alike.

    >>> seed_pairs("all", 3, two=False), seed_pairs("cyclic", 3, two=False)
    ([(0, 1), (0, 2), (1, 2)], [(0, 1), (1, 2), (2, 0)])
    """
    match how:
        case "all":
            every = [(i, j) for i in range(seeds) for j in range(seeds)]
            return [(i, j) for i, j in every if (i != j if two else i < j)]
        case "disjoint":
            return [(i, i + 1) for i in range(0, seeds - 1, 2)]
        case "cyclic":
            return [(i, (i + 1) % seeds) for i in range(seeds)] if seeds > 1 else []
        case "first":
            return [(0, 1)] if seeds > 1 else []
        case "same_seed":
            return [(i, i) for i in range(seeds)]


def has_floor(pair: tuple[int, int]) -> bool:
    """Return whether the noise floor is measured of a pair: of 0 and 1, 2 and 3, ..., and of
    networks of one seed, so that no network is in two. It does not depend on which other pairs
    there are."""
    i, j = pair
    return i == j or (i % 2 == 0 and j == i + 1)
