"""The figures that config.yaml may ask for: which sweeps each draws, over which axes."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from repgeom.record import Record
from repgeom.sweeps import unique

PANEL_MEASURES = {"alignment", "parallelism", "ccgp", "decoding"}
"""What the panels of measures draw."""


class Figure1(Record):
    """Unstructured inputs: measures over training, and the weights' trajectories."""

    axes: ClassVar[set[str]] = {"activation"}
    sweep: str
    """The sweep whose measures panel B draws over its steps."""
    trajectories: str
    """The sweep whose weights panel D draws in the plane of the inter- and intra-class axes."""


class Figure2(Record):
    """Measures against separability, and the weights' trajectories."""

    axes: ClassVar[set[str]] = {"activation", "delta"}
    sweep: str
    """The sweep whose measures panel B draws against delta."""
    trajectories: str
    """The sweep whose weights panel C draws, a pair of panels for each delta."""
    step: int
    """The training step that panel B shows."""


class Figure3(Record):
    """Measures over separability and training noise."""

    axes: ClassVar[set[str]] = {"activation", "delta", "noise_variance"}
    sweep: str
    """The sweep whose measures the heat maps draw."""
    step: int
    """The training step that they show."""


Sweeps = Annotated[list[str], Field(min_length=1), AfterValidator(unique)]
ALIGNED_AXES = {"activation", "alignment", "clusters", "targets", "geometry"}


class Figure4(Record):
    """Random tasks with a chosen input-output alignment."""

    axes: ClassVar[set[str]] = ALIGNED_AXES
    kernels: ClassVar[dict[str, str]] = {"lines": "maximal", "dots": "random"}
    lines: Sweeps
    """Sweeps of maximal kernels, which panel B draws as lines."""
    dots: Sweeps
    """Sweeps of random kernels, which it draws as dots."""
    step: int
    """The training step that panel B shows."""


class Figure5(Record):
    """Deep networks: alignment at each hidden layer."""

    axes: ClassVar[set[str]] = {"activation", "depth", "rank", "alignment"}
    layers: Sweeps
    """Sweeps of deep networks, with a row of panels for each task."""
    step: int
    """The last training step, by which networks have converged or not."""


class Figure6(Record):
    """Reshaped activations."""

    axes: ClassVar[set[str]] = ALIGNED_AXES
    kernels: ClassVar[dict[str, str]] = {"lines": "maximal"}
    lines: Sweeps
    """Sweeps of maximal kernels, one for each number of targets and column of panels."""
    step: int
    """The training step that the figure shows."""


class FigureS4(Record):
    """Every activation, ranked by target alignment."""

    axes: ClassVar[set[str]] = ALIGNED_AXES
    lines: Sweeps
    """Sweeps with the same activations."""
    step: int
    """The training step that the figure shows."""


class Figures(Record):
    """Figures to draw; one that is left out is not drawn."""

    fig01: Figure1 | None = None
    fig02: Figure2 | None = None
    fig03: Figure3 | None = None
    fig04: Figure4 | None = None
    fig05: Figure5 | None = None
    fig06: Figure6 | None = None
    figS4: FigureS4 | None = None
    """Activations, ranked."""
    figS5: Figure5 | None = None
    """Figure 5 for the parities of a hypercube."""

    def chosen(self) -> dict[str, Record]:
        return {name: figure for name, figure in self if figure is not None}


SWEEP_ROLES = {
    "sweep": PANEL_MEASURES,
    "trajectories": {"selectivity"},
    "lines": {"alignment"},
    "dots": {"alignment", "parallelism", "ccgp"},
    "layers": {"alignment"},
}
"""The fields of a figure that name sweeps, and what must be measured in them."""


def sweeps_by_role(figure: Record) -> dict[str, list[str]]:
    """The names of a figure's sweeps."""
    options = dict(figure)
    return {
        role: [options[role]] if isinstance(options[role], str) else options[role]
        for role in SWEEP_ROLES
        if role in options
    }
