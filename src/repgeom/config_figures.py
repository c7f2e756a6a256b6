"""The figures that config.yaml may ask for: which sweeps each draws, over which axes."""

from typing import Annotated, ClassVar, NamedTuple

from pydantic import AfterValidator, Field

from repgeom.record import Record
from repgeom.sweeps import unique

PANELS = {"alignment", "parallelism", "ccgp", "decoding"}
"""What the panels of measures draw."""
ALIGNED_AXES = {"activation", "alignment", "clusters", "targets", "geometry"}
Sweeps = Annotated[list[str], Field(min_length=1), AfterValidator(unique)]


class Role(NamedTuple):
    """What a figure wants of the sweeps that one of its fields names."""

    axes: set[str]
    """What may have several values"""
    measures: set[str]
    """What must be measured"""
    kernel: str | None = None
    """The kind of kernel that their tasks must have"""


class Figure(Record):
    """The base of the figures."""

    roles: ClassVar[dict[str, Role]] = {}
    """By field: those that name sweeps."""
    shows_start: ClassVar[bool] = False
    """Whether it shows step 0, too."""
    draws_images: ClassVar[bool] = False
    """Whether it draws the networks on images that the config's `images` names."""

    def sweeps(self) -> dict[str, list[str]]:
        """The names of the figure's sweeps, by role."""
        named = {role: names for role in self.roles if (names := getattr(self, role))}
        return {role: [names] if isinstance(names, str) else names for role, names in named.items()}


class Figure1(Figure):
    """Unstructured inputs: measures over training, and the weights' trajectories."""

    roles: ClassVar = {
        "sweep": Role({"activation"}, PANELS),
        "trajectories": Role({"activation"}, {"selectivity", "update"}),
    }
    sweep: str
    """The sweep whose measures panel B draws over its steps."""
    trajectories: str
    """The sweep whose weights panel D draws in the plane of the inter- and intra-class axes."""


class Figure2(Figure):
    """Measures against separability, and the weights' trajectories."""

    roles: ClassVar = {
        "sweep": Role({"activation", "delta"}, PANELS),
        "trajectories": Role({"activation", "delta"}, {"selectivity"}),
        "linear": Role({"delta"}, {"selectivity"}),
    }
    sweep: str
    """The sweep whose measures panel B draws against delta."""
    trajectories: str
    """The sweep whose weights panel C draws, a pair of panels for each delta."""
    linear: str | None = None
    """A sweep of linear networks, which only the table tells of."""
    step: int
    """The training step that panel B shows."""


class Figure3(Figure):
    """Measures over separability and training noise."""

    roles: ClassVar = {"sweep": Role({"activation", "delta", "noise_variance"}, PANELS)}
    sweep: str
    """The sweep whose measures the heat maps draw."""
    step: int
    """The training step that they show."""


class Figure4(Figure):
    """Random tasks with a chosen input-output alignment."""

    roles: ClassVar = {
        "lines": Role(ALIGNED_AXES, {"alignment"}, "maximal"),
        "dots": Role(ALIGNED_AXES, {"alignment", "parallelism", "ccgp"}, "random"),
    }
    draws_images: ClassVar = True
    lines: Sweeps
    """Sweeps of maximal kernels, which panel B draws as lines."""
    dots: Sweeps
    """Sweeps of random kernels, which it draws as dots."""
    step: int
    """The training step that panel B shows."""


class Figure5(Figure):
    """Deep networks: alignment at each hidden layer."""

    roles: ClassVar = {"layers": Role({"activation", "depth", "rank", "alignment"}, {"alignment"})}
    layers: Sweeps
    """Sweeps of deep networks, with a row of panels for each task."""
    step: int
    """The last training step, by which networks have converged or not."""


class Figure6(Figure):
    """Reshaped activations."""

    roles: ClassVar = {"lines": Role(ALIGNED_AXES, {"alignment"}, "maximal")}
    lines: Sweeps
    """Sweeps of maximal kernels, one for each number of targets and column of panels."""
    step: int
    """The training step that the figure shows."""


class Figure7(Figure):
    """Two outputs, whose readout weights are eight groups."""

    roles: ClassVar = {
        "groups": Role({"activation"}, PANELS | {"selectivity", "tuning"}),
        "control": Role({"activation"}, PANELS),
    }
    shows_start: ClassVar = True
    groups: str
    """The sweep of networks with two targets and the groups as readout."""
    control: str
    """The same with a random readout."""
    step: int
    """The training step that the figure shows beside step 0."""


class Figure8(Figure):
    """Constraints on the readout: measures over training."""

    roles: ClassVar = {"sweep": Role({"activation", "readout"}, PANELS)}
    sweep: str
    """The sweep, over several readouts."""


class Figure9(Figure):
    """Example geometries, for which no network is trained."""


class Figure10(Figure):
    """What becomes of neurons under training noise."""

    roles: ClassVar = {
        "weights": Role({"noise_variance"}, {"alignment", "selectivity", "tuning"}),
    }
    shows_start: ClassVar = True
    weights: str
    """The sweep whose neurons are drawn, a panel for each variance of the noise."""
    step: int
    """The training step at which a neuron's fate is told."""


class FigureS1(Figure):
    """Figure 1's measures for other distributions of inputs."""

    roles: ClassVar = {"inputs": Role({"activation", "distribution", "centred"}, PANELS)}
    shows_start: ClassVar = True
    inputs: Sweeps
    """Sweeps of unstructured tasks."""
    step: int
    """The training step that the figure shows."""


class FigureS2(Figure):
    """The paper's simplified dynamics beside the usual training."""

    roles: ClassVar = {
        "simplified": Role({"activation"}, PANELS),
        "standard": Role({"activation"}, PANELS),
    }
    simplified: str
    """The sweep with equal errors."""
    standard: str
    """The sweep with trained readouts, of the same steps."""


class FigureS3(Figure):
    """Where the difference between activations vanishes."""

    roles: ClassVar = {
        "separability": Role({"activation", "delta"}, {"alignment", "parallelism", "ccgp"}),
        "lines": Role(ALIGNED_AXES, {"alignment"}, "maximal"),
    }
    separability: str
    """The sweep over delta."""
    lines: Sweeps
    """Sweeps over input-output alignment."""


class FigureS4(Figure):
    """Every activation, ranked by target alignment."""

    roles: ClassVar = {"lines": Role(ALIGNED_AXES, {"alignment"})}
    lines: Sweeps
    """Sweeps with the same activations."""
    step: int
    """The training step that the figure shows."""


class FigureS6(Figure):
    """Networks on images: alignment at each layer, before training and after."""

    draws_images: ClassVar = True


class Figures(Record):
    """Figures to draw; one that is left out is not drawn."""

    fig01: Figure1 | None = None
    fig02: Figure2 | None = None
    fig03: Figure3 | None = None
    fig04: Figure4 | None = None
    fig05: Figure5 | None = None
    fig06: Figure6 | None = None
    fig07: Figure7 | None = None
    fig08: Figure8 | None = None
    fig09: Figure9 | None = None
    fig10: Figure10 | None = None
    figS1: FigureS1 | None = None
    """Other distributions of inputs."""
    figS2: FigureS2 | None = None
    """Simplified dynamics."""
    figS3: FigureS3 | None = None
    """Where the difference vanishes."""
    figS4: FigureS4 | None = None
    """Activations, ranked."""
    figS5: Figure5 | None = None
    """Figure 5 for the parities of a hypercube."""
    figS6: FigureS6 | None = None
    """Networks on images, layer by layer."""

    def chosen(self) -> dict[str, Figure]:
        return {name: figure for name, figure in self if figure is not None}
