"""The figures of each study that a reader should see first."""

BEST = {
    "structure": ("fig02", "fig01", "fig03"),
    "gating": ("fig05", "fig02", "fig04"),
    "convergence": ("figC7", "figC10", "figC2"),
}
"""Names by study. The first one is on the first screen of the study's page."""


def best_first(study: str, figures: list[str]) -> list[str]:
    """Return these figures, the study's best ones before all others.

    >>> best_first("gating", ["fig01", "fig02", "fig05"])
    ['fig05', 'fig02', 'fig01']
    """
    best = [name for name in BEST.get(study, ()) if name in figures]
    return [*best, *(name for name in figures if name not in best)]


def best_studies_first(studies: list[str]) -> list[str]:
    """Return these studies. The studies of BEST come first, in its order."""
    return [*(name for name in BEST if name in studies), *(n for n in studies if n not in BEST)]
