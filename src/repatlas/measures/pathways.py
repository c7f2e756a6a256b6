"""How large the map of each pathway is, and how well it is aligned with what drives it."""

from collections.abc import Iterator
from typing import cast

import numpy as np

from repatlas.dynamics.correlations import frobenius_cosine, input_output, linear_residual
from repatlas.dynamics.pathways import context_gate
from repatlas.dynamics.units import alive, context_slopes, maps_by_context_missed
from repatlas.representation import Decoders, OnItems, Row, WithUnits

OF = "checkpoint"


def rows(seen: OnItems, settings: Decoders) -> Iterator[Row]:
    """Yield numbers of pathways.

    pathway_norm is |M_p| (Frobenius).

    pathway_alignment is the cosine of M_p with Sigma_yx. If there is a common pathway, the others
    have the cosine with the correlation of their inputs with the residual of the best linear map.

    kappa, where it was fitted, is the number of units that start in the common pathway, and in each
    other pathway, as a fraction of all units.

    For a ReLU network with one layer, instead: units are grouped by the context that they miss
    (`cluster`). pathway_alignment is the cosine of the object part of their summed map with the
    residual correlation of the pathway of the other contexts. It is taken for all outputs, and for
    the outputs of the contexts alone.
    """
    x, y = seen.inputs.T, seen.targets.T
    residual = linear_residual(x, y)
    task = seen.spec.task
    if seen.maps:
        for (name, matrix), gated in zip(seen.maps.items(), seen.pathway_inputs(), strict=True):
            learned_before = "common" in seen.maps and name != "common"
            target = input_output(gated, residual if learned_before else y)
            yield Row("pathway_norm", name, float(np.linalg.norm(matrix)))
            yield Row("pathway_alignment", name, frobenius_cosine(matrix, target))
        for name, value in zip(
            ("common", "context"), seen.parameters.get("kappas", ()), strict=False
        ):
            yield Row("kappa", name, float(value))
    elif len(seen.layers) == 1 and task.objects > 1:
        network = cast(WithUnits, seen)  # it has no pathways, so it is no theory
        living = alive(network.mass)
        incoming, outgoing = network.incoming[living], network.outgoing[:, living]
        slopes = context_slopes(network.activity()[living], incoming).slopes
        contexts, objects = task.number_of_contexts, task.object_inputs
        first = task.targets // (contexts + 1)
        rows_of = {"missed": slice(None), "missed, contexts": slice(first, None)}
        for missed, matrix in enumerate(maps_by_context_missed(slopes, incoming, outgoing)):
            others = set(range(contexts)) - {missed}
            gate = context_gate(others, contexts, task.objects)
            target = input_output(x * gate, residual)[:, :objects]
            for variant, part in rows_of.items():
                cosine = frobenius_cosine(matrix[part, :objects], target[part])
                yield Row("pathway_alignment", variant, cosine, cluster=missed)
