"""The figures that config.yaml may ask for: which sweeps each draws, over which axes."""

from typing import Annotated, ClassVar, NamedTuple

from pydantic import AfterValidator, Field

from repatlas.grids import unique
from repatlas.record import Record, refuse
from repatlas.studies.figure import ACTIVATION, Role, Settings, words

PANELS = {"alignment", "parallelism", "ccgp", "decoding"}
"""What the panels of measures draw."""
Sweeps = Annotated[list[str], Field(min_length=1), AfterValidator(unique)]
LaterStep = Annotated[int, Field(ge=1)]
"""Of a figure that shows step 0 anyway, or what had converged by then."""

UNSTRUCTURED, SEPARABLE, ALIGNED = (
    {"task.kind": (kind,), "network.depth": (1,)}
    for kind in ("unstructured", "separable", "aligned")
)
ONE_TARGET = UNSTRUCTURED | {"task.targets": (1,)}
MAXIMAL = ALIGNED | {"task.kernel": ("maximal",)}
IN_PLANE = {"network.hidden_bias": ("none",), "network.readout": ("binary", "normal")}
"""Of networks whose weights are drawn in the plane of two axes: it has no place for a bias, and the
neurons are those whose readout is positive all the time."""
SMOOTH = {"task.distribution": ("normal", "symmetric", "positive")}
"""The expected gradient is that of normal noise which no input cuts."""
CELLS = ("task.clusters", "task.targets")
BOTH = ("tanh", "relu")
MOVED = ("relu-1", "relu-0.5", "relu+0.5", "relu+1")


def _has_a_moved_relu(where: str, found: list[Settings]) -> None:
    present = {each[ACTIVATION] for each in found}
    if not present & set(MOVED):
        refuse(
            f"{where}: found {ACTIVATION} {words(present)}, allowed: {' or '.join(MOVED)} among"
            " them, which panel B shows"
        )


def _has_inputs_of_figure_1(where: str, found: list[Settings]) -> None:
    kinds = {(each["task.distribution"], each["task.centred"]) for each in found}
    if ("normal", True) not in kinds or len(kinds) < 2:
        names = "; ".join(f"{name}, centred {words([centred])}" for name, centred in sorted(kinds))
        refuse(
            f"{where}: found task.distribution {names}, allowed: normal, centred true, which are"
            " Figure 1's inputs, and others, which the figure compares with them"
        )


def _has_layers_that_converge(where: str, found: list[Settings]) -> None:
    if None in {each["training.stop_below"] for each in found}:
        refuse(f"{where}: the sweep should have training.stop_below")
    depths = {each["network.depth"] for each in found}
    if max(depths) < 2:
        refuse(f"{where}: found network.depth 1, allowed: 2 or more among its values")


def _layers(only: dict[str, tuple] | None = None) -> Role:
    """Of deep networks, whose rows are told apart by the dimensions of their inputs alone."""
    return Role(
        {"alignment"},
        {"task.kind": ("aligned",)} | (only or {}),
        axes={ACTIVATION, "network.depth"},
        panels=("task.rank",),
        fits=_has_layers_that_converge,
    )


class Alike(NamedTuple):
    """Two fields whose sweeps the figure shows as the same networks or tasks."""

    field: str
    like: str
    places: tuple[str, ...]
    """Settings, or parts of a sweep, that must be the same"""
    but: tuple[str, ...] = ()
    """Settings that may differ all the same"""


class Figure(Record):
    """The base of the figures."""

    roles: ClassVar[dict[str, Role]] = {}
    """By field: those that name sweeps."""
    alike: ClassVar[tuple[Alike, ...]] = ()
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
        "sweep": Role(PANELS, ONE_TARGET, over_steps=True),
        "trajectories": Role(
            {"selectivity"},
            ONE_TARGET | SMOOTH | IN_PLANE,
            over_steps=True,
            early=frozenset({"update"}),
        ),
    }
    alike: ClassVar = (Alike("trajectories", "sweep", ("task", ACTIVATION)),)
    sweep: str
    """The sweep of unstructured tasks whose measures panel B draws over its steps, two or more."""
    trajectories: str
    """The sweep whose weights panel D draws in the plane of the inter- and intra-class axes: the
    same task and activations, without hidden biases."""


class Figure2(Figure):
    """Measures against separability, and the weights' trajectories."""

    roles: ClassVar = {
        "sweep": Role(PANELS, SEPARABLE, along=("task.delta",)),
        "trajectories": Role(
            {"selectivity"}, SEPARABLE | IN_PLANE, panels=("task.delta",), over_steps=True
        ),
        "linear": Role(
            {"selectivity"},
            SEPARABLE | IN_PLANE | {ACTIVATION: ("identity",)},
            axes={"task.delta"},
            over_steps=True,
        ),
    }
    alike: ClassVar = (
        Alike("trajectories", "sweep", ("task", ACTIVATION), but=("task.delta",)),
        Alike("linear", "sweep", ("task",), but=("task.delta",)),
    )
    sweep: str
    """The sweep of separable tasks whose measures panel B draws against delta, of which it needs
    two values or more."""
    trajectories: str
    """The sweep whose weights panel C draws, a pair of panels for each delta: the same task but for
    delta, and the same activations, without hidden biases."""
    linear: str | None = None
    """A sweep of linear networks, activation `identity`, which only the table tells of."""
    step: int
    """The training step that panel B shows."""


class Figure3(Figure):
    """Measures over separability and training noise."""

    roles: ClassVar = {
        "sweep": Role(PANELS, SEPARABLE, along=("task.delta", "task.noise_variance"))
    }
    sweep: str
    """The sweep of separable tasks whose measures the heat maps draw: two values of delta and of
    the noise variance at least."""
    step: int
    """The training step that they show."""


class Figure4(Figure):
    """Random tasks with a chosen input-output alignment."""

    roles: ClassVar = {
        "lines": Role(
            {"alignment", "parallelism", "ccgp"},
            MAXIMAL,
            panels=CELLS,
            along=("task.alignment",),
            deviations=(1.0,),
        ),
        "dots": Role(
            {"alignment", "parallelism", "ccgp"},
            ALIGNED | {"task.kernel": ("random",)},
            axes={ACTIVATION, "task.alignment", "task.geometry"},
            panels=CELLS,
            deviations=(1.0,),
        ),
    }
    alike: ClassVar = (
        Alike(
            "dots",
            "lines",
            ("task", "network", "training"),
            but=(*CELLS, "task.kernel", "task.alignment", "task.geometry", ACTIVATION),
        ),
    )
    draws_images: ClassVar = True
    lines: Sweeps
    """Sweeps of maximal kernels, which panel B draws as lines: two values of the alignment at least
    for each number of clusters and targets."""
    dots: Sweeps
    """Sweeps of random kernels, which it draws as dots; otherwise like those of `lines`."""
    step: int
    """The training step that panel B shows."""


class Figure5(Figure):
    """Deep networks: alignment at each hidden layer."""

    roles: ClassVar = {"layers": _layers()}
    layers: Sweeps
    """Sweeps of networks of several layers, trained until they converge (`training.stop_below`). A
    row of panels for each rank of the inputs; all else about the task has one value."""
    step: LaterStep
    """The last training step, by which networks have converged or not."""


class Figure6(Figure):
    """Reshaped activations."""

    roles: ClassVar = {
        "lines": Role(
            {"alignment"},
            MAXIMAL,
            panels=("task.targets",),
            along=("task.alignment",),
            activations=(*BOTH, "clipped_relu"),
            fits=_has_a_moved_relu,
        )
    }
    lines: Sweeps
    """Sweeps of maximal kernels, one for each number of targets and column of panels: with tanh,
    ReLU, the clipped ReLU and one that is moved, such as relu-1, at least."""
    step: int
    """The training step that the figure shows."""


class Figure7(Figure):
    """Two outputs, whose readout weights are eight groups."""

    roles: ClassVar = {
        "groups": Role(
            PANELS | {"selectivity", "tuning"},
            UNSTRUCTURED | SMOOTH | IN_PLANE | {"network.readout": ("groups",)},
        ),
        "control": Role(PANELS, UNSTRUCTURED | {"network.readout": ("normal",)}),
    }
    alike: ClassVar = (
        Alike("control", "groups", ("task", "network", "training"), but=("network.readout",)),
    )
    shows_start: ClassVar = True
    groups: str
    """The sweep of networks with two targets and the groups as readout, without hidden biases."""
    control: str
    """The same with a random readout, `normal`."""
    step: LaterStep
    """The training step that the figure shows beside step 0."""


class Figure8(Figure):
    """Constraints on the readout: measures over training."""

    roles: ClassVar = {
        "sweep": Role(
            PANELS,
            UNSTRUCTURED | {"network.readout": ("binary", "normal", "trained")},
            axes={ACTIVATION, "network.readout"},
            activations=BOTH,
            over_steps=True,
        )
    }
    sweep: str
    """The sweep, over several readouts, with tanh and ReLU and two steps at least."""


class Figure9(Figure):
    """Example geometries, for which no network is trained."""


class Figure10(Figure):
    """What becomes of neurons under training noise."""

    roles: ClassVar = {
        "weights": Role(
            {"alignment", "selectivity", "tuning"},
            SEPARABLE | IN_PLANE | {ACTIVATION: ("relu",), "task.delta": (1.0,)},
            axes=set(),
            along=("task.noise_variance",),
        ),
    }
    shows_start: ClassVar = True
    weights: str
    """The sweep of ReLU networks without hidden biases, at delta 1, whose neurons are drawn: a
    panel for each variance of the noise, two at least."""
    step: LaterStep
    """The training step at which a neuron's fate is told."""


class FigureS1(Figure):
    """Figure 1's measures for other distributions of inputs."""

    roles: ClassVar = {
        "inputs": Role(
            PANELS,
            UNSTRUCTURED,
            panels=("task.distribution", "task.centred"),
            activations=BOTH,
            fits=_has_inputs_of_figure_1,
        )
    }
    shows_start: ClassVar = True
    inputs: Sweeps
    """Sweeps of unstructured tasks, with tanh and ReLU: Figure 1's inputs, normal and centred, and
    others at least."""
    step: LaterStep
    """The training step that the figure shows."""


class FigureS2(Figure):
    """The paper's simplified dynamics beside the usual training."""

    roles: ClassVar = {
        "simplified": Role(
            PANELS,
            UNSTRUCTURED
            | {
                "training.errors": ("equal",),
                "network.readout": ("binary",),
                "network.hidden_bias": ("none",),
            },
            over_steps=True,
        ),
        "standard": Role(
            PANELS,
            UNSTRUCTURED
            | {
                "training.errors": ("output",),
                "network.readout": ("trained",),
                "network.hidden_bias": ("trained",),
            },
            over_steps=True,
        ),
    }
    alike: ClassVar = (
        Alike(
            "standard",
            "simplified",
            ("task", "network", "training", "steps"),
            but=("training.errors", "network.readout", "network.hidden_bias"),
        ),
    )
    simplified: str
    """The sweep with equal errors, a binary readout and no hidden biases."""
    standard: str
    """The same with the errors of the output and with readout and biases trained, at the same
    steps."""


class FigureS3(Figure):
    """Where the difference between activations vanishes."""

    roles: ClassVar = {
        "separability": Role(
            {"alignment", "parallelism", "ccgp"},
            SEPARABLE,
            along=("task.delta",),
            activations=BOTH,
            deviations=(1.0,),
        ),
        "lines": Role(
            {"alignment"},
            MAXIMAL,
            panels=CELLS,
            along=("task.alignment",),
            activations=BOTH,
            is_paired=True,
        ),
    }
    separability: str
    """The sweep over delta, with tanh and ReLU."""
    lines: Sweeps
    """Sweeps of maximal kernels over input-output alignment, with tanh and ReLU on each task."""


class FigureS4(Figure):
    """Every activation, ranked by target alignment."""

    roles: ClassVar = {
        "lines": Role({"alignment"}, ALIGNED, axes={ACTIVATION, "task.alignment"}, is_paired=True)
    }
    lines: Sweeps
    """Sweeps with the same number of clusters and targets, and every activation on each task."""
    step: int
    """The training step that the figure shows."""


class FigureS5(Figure5):
    """Figure 5 for the parities of a hypercube."""

    roles: ClassVar = {"layers": _layers({"task.kernel": ("hypercube",)})}


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
    figS5: FigureS5 | None = None
    """Figure 5 for the parities of a hypercube."""
    figS6: FigureS6 | None = None
    """Networks on images, layer by layer."""

    def chosen(self) -> dict[str, Figure]:
        return {name: figure for name, figure in self if figure is not None}
