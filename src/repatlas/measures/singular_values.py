"""The singular values of the map of each pathway, while it learns."""

from collections.abc import Iterator

from repatlas.representation import Decoders, Row, RunOnItems

OF = "run"


def rows(seen: RunOnItems, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield epoch and row, for each singular value of each pathway, the largest first. `neuron` is
    its number, and the variant the name of the pathway. Networks without pathways yield nothing."""
    if "singular_values" not in seen.curves:
        return
    names = list(next(iter(seen.checkpoints.values())).maps)
    for epoch, values in zip(*seen.curves["singular_values"], strict=True):
        for name, of_pathway in zip(names, values, strict=True):
            for number, value in enumerate(of_pathway):
                yield int(epoch), Row("singular_value", name, float(value), neuron=number)
