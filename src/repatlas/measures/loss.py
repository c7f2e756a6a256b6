"""The loss of a network at every epoch that was recorded, and when it fell below levels."""

from collections.abc import Iterator

from repatlas.representation import Decoders, Recorded, Row

OF = "run"


def rows(seen: Recorded, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield epoch and row: "loss" at each recorded epoch; and "level", at the first epoch at which
    the loss was below a part of |Y|^2 / 2, that part."""
    for name in ("loss", "level"):
        if name in seen.curves:
            for epoch, value in zip(*seen.curves[name], strict=True):
                yield int(epoch), Row(name, "", float(value))
