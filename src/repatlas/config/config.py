"""The config, typed: what it may say, and what is refused."""

import json
import math
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from repatlas.config.figures import Figure, Figures
from repatlas.config.images import ImageSource, ImageSweep
from repatlas.config.refusals import sentence
from repatlas.experiments.clusters.spec import Grid
from repatlas.experiments.images.spec import DataSetName
from repatlas.grids import sorted_unique
from repatlas.named import names as names_in
from repatlas.networks.activation import activation
from repatlas.record import Number, Record, Refused, refuse
from repatlas.representation import Decoders
from repatlas.studies.figure import check_alike, check_steps

MeasureName = Literal[*names_in("measures")]
StageName = Literal["prepare", "train", "measure", "tabulate", "plot", "judge"]
DASHES = 4
"""Kinds of lines that can be told apart."""
MOST_NETWORKS = 100_000
"""Of a sweep and a seed. Each is made and checked before anything is planned, in some 0.03 ms; the
largest sweep of config.yaml has 220."""
PREVIEW_AXES = ("delta", "noise_variance", "alignment", "geometry")
PreviewAxis = Annotated[list[Number], Field(min_length=1), AfterValidator(sorted_unique)] | None


class Preview(Record):
    """The coarse part of a sweep that a preview trains: each a part of what the sweep has."""

    seeds: int = Field(ge=1)
    """The first so many seeds."""
    delta: PreviewAxis = None
    """Values of the axis task.delta; all of them if not given."""
    noise_variance: PreviewAxis = None
    """Values of the axis task.noise_variance; all of them if not given."""
    alignment: PreviewAxis = None
    """Values of the axis task.alignment; all of them if not given."""
    geometry: Annotated[list[int], Field(min_length=1), AfterValidator(sorted_unique)] | None = None
    """Values of the axis task.geometry; all of them if not given."""


class Sweep(Grid):
    """A grid of networks, how often each is trained, and what is measured of them."""

    seeds: int = Field(ge=1, le=1_000_000)
    """Replicates of every network: seeds 0 .. seeds - 1."""
    measures: Annotated[list[MeasureName], AfterValidator(sorted_unique)] = Field(min_length=1)
    """What is measured at each step in `steps`."""
    more_measures: dict[Annotated[int, Field(strict=False)], list[MeasureName]] = Field({})
    """What else is measured at some of the steps."""
    decoders: Decoders | None = None
    """Settings of the linear decoders that are not those of the config."""
    preview: Preview | None = None
    """What a preview trains of it; if not given, the first seed of all its networks."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        grids = (self.task, self.network, self.training)
        axes = [axis for grid in grids for _, axis in grid if isinstance(axis, list)]
        if (number := math.prod(map(len, axes))) > MOST_NETWORKS:
            refuse(f"found {number:,} networks of each seed, allowed: at most {MOST_NETWORKS:,}")
        try:
            self.specs()
        except ValidationError as error:
            # Limits that tie two values together are those of the single network.
            raise PydanticCustomError("network", error.errors()[0]["msg"]) from None
        if extra := self.more_measures.keys() - set(self.steps):
            refuse(f"more_measures: found step {min(extra)}, allowed: {self.steps}")
        kind, clusters = self.task.kind, max(getattr(self.task, "clusters", [4]))
        for name in ("selectivity", "update"):
            if name in self.all_measures and kind == "aligned":
                refuse(f"measures: found {name!r}, for tasks with an inter-class axis only")
        if "decoding" in self.all_measures and clusters > 8:
            refuse(f"measures: found 'decoding' with {clusters} clusters, allowed: up to 8")
        if self.preview is None:
            return self
        if self.preview.seeds > self.seeds:
            raise PydanticCustomError("preview", "preview.seeds should be at most seeds")
        for axis in PREVIEW_AXES:
            chosen = getattr(self.preview, axis)
            if chosen is not None and not set(chosen) <= set(getattr(self.task, axis, [])):
                raise PydanticCustomError(
                    "preview", f"preview.{axis} should be part of task.{axis}"
                )
        return self

    @property
    def all_measures(self) -> set[str]:
        return set(self.measures).union(*self.more_measures.values())

    def coarse(self) -> Self:
        """The part of the sweep that a preview trains."""
        if self.preview is None:
            return self.model_copy(update={"seeds": 1})
        axes = self.preview.model_dump(include=set(PREVIEW_AXES), exclude_none=True)
        task = self.task.model_copy(update=axes)
        return self.model_copy(update={"task": task, "seeds": self.preview.seeds})


ACTIVATIONS = names_in("networks.activations")
COLOURS = {name: activation(name).colour for name in ACTIVATIONS}
"""Of each activation; tanh, ReLU and the clipped ReLU from the palette of Okabe and Ito, which
colour-blind readers can tell apart."""


class Style(Record):
    """What all figures share."""

    colours: Annotated[
        dict[Literal[*ACTIVATIONS], Annotated[str, Field(pattern="^#[0-9A-Fa-f]{6}$")]],
        AfterValidator(lambda chosen: COLOURS | chosen),
    ] = Field(COLOURS)
    """The colours of activations, where they are not to be the default ones."""
    width: Number = Field(5.5, ge=3, le=12)
    """Width of a figure, in inches; the paper's text is 5.5 wide."""
    font_size: Number = Field(7.0, ge=4, le=14)
    """In points."""


class Config(Record):
    """Everything that a config may say."""

    sweeps: dict[str, Sweep] = Field({})
    """Named grids of networks. One that no figure draws is trained and measured all the same."""
    figures: Figures = Figures()
    """Which figures are drawn, from which sweeps."""
    decoders: Decoders = Decoders()
    """The linear decoders."""
    style: Style = Style()
    """What all figures share."""
    images: str | None = None
    """Which of `image_sweeps` Figures 4C and S6 draw; null for no images."""
    image_sweeps: dict[str, list[ImageSweep]] = Field({})
    """By name of their scale: networks on images."""
    image_sets: dict[DataSetName, ImageSource] = Field({})
    """Where images are, but for scikit-learn's digits, which need no file."""
    preview: Annotated[bool, Field(strict=False)] = False  # the command line gives text
    """Draw the preview: the coarse part of each sweep, into the folder `preview` of the results."""
    only: str | None = None
    """A figure, or a sweep that no figure draws: what it needs is made, and nothing else."""
    anyway: Annotated[bool, Field(strict=False)] = False
    """Start also jobs that seem to need more memory than there is, or more than a month."""
    accept_code: dict[StageName, dict[str, str]] = Field({})
    """For a refactoring that is proven to change no result: for a stage, the fingerprint of its
    new code and that of the old code whose results it may keep."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        chosen = self.figures.chosen()
        if not chosen and not self.sweeps:
            refuse("found neither sweeps nor figures, allowed: at least one of either")
        for figure, options in chosen.items():
            self._check_figure(f"figures.{figure}", options)
        self._check_decoders()
        self._check_images()
        if self.only is not None and self.only not in (allowed := self.products()):
            refuse(f"only: found {self.only!r}, allowed: {', '.join(allowed)}")
        return self

    def _check_figure(self, where: str, figure: Figure) -> None:
        fields = {}
        for field, names in figure.sweeps().items():
            for name in names:
                if name not in self.sweeps:
                    allowed = ", ".join(self.sweeps) or "a sweep, and there is none"
                    refuse(f"{where}.{field}: found {name!r}, allowed: {allowed}")
            fields[field] = {name: self.sweeps[name] for name in names}
        for field, sweeps in fields.items():
            role = figure.roles[field]
            role.check(f"{where}.{field}", sweeps)
            role.check_axes_of_curves(f"{where}.{field}", sweeps)
            coarse = {name: sweep.coarse() for name, sweep in sweeps.items()}
            previews = " and ".join(f"sweeps.{name}.preview" for name in sweeps)
            role.check(f"{previews}, for {where}.{field}", coarse)
            for name, sweep in sweeps.items():
                self._check_shown(where, field, name, sweep, figure)
        for field, like, places, but in figure.alike:
            if field in fields:
                key = f"{where}.{like}"
                check_alike(f"{where}.{field}", fields[field], fields[like], key, places, but)

    def _check_shown(self, where: str, field: str, name: str, sweep: Sweep, figure: Figure) -> None:
        """Whether what the figure draws is measured, and when."""
        role, step = figure.roles[field], getattr(figure, "step", None)
        shown = None
        # Curves are drawn over all steps.
        if step is not None and not role.over_steps:
            if step not in sweep.steps:
                allowed = f"the steps of sweep {name!r}: {sweep.steps}"
                refuse(f"{where}.step: found {step}, allowed: {allowed}")
            shown = [0, step] if figure.shows_start else [step]
        check_steps(f"{where}.{field}", role, name, sweep, shown)
        deviations = self.decoders_of(name).test_deviations
        if "decoding" in role.measures and len(deviations) > DASHES:
            refuse(
                f"{where}.{field}: found {len(deviations)} decoders.test_deviations, allowed: at"
                f" most {DASHES}, which the figure tells apart by dashes"
            )
        for deviation in role.deviations:
            if deviation not in deviations:
                refuse(
                    f"{where}.{field}: the sweep should have {deviation:g} in"
                    " decoders.test_deviations"
                )

    def _check_decoders(self) -> None:
        """Networks of one family are measured together, with one setting of the decoders."""
        first: dict[str, str] = {}
        for name, sweep in self.sweeps.items():
            decoders, clusters = self.decoders_of(name), max(getattr(sweep.task, "clusters", [4]))
            if min(decoders.train_samples, decoders.test_samples) < clusters:
                key = f"sweeps.{name}.decoders" if sweep.decoders else "decoders"
                refuse(
                    f"{key}: train_samples and test_samples should be at least"
                    f" {clusters}, the clusters of sweep {name!r}"
                )
            for family in sweep.families:
                other = first.setdefault(family, name)
                if self.decoders_of(name) != self.decoders_of(other):
                    refuse(
                        f"sweeps.{name}.decoders: should be those of sweep {other!r}, whose"
                        " networks have the same shape and are measured together"
                    )

    def _check_images(self) -> None:
        if self.images is None:
            if self.figures.figS6:
                refuse("figures.figS6: draws networks on images, of which `images` names none")
            return
        if self.images not in self.image_sweeps:
            allowed = ", ".join(self.image_sweeps) or "a name in image_sweeps, and there is none"
            refuse(f"images: found {self.images!r}, allowed: {allowed}")
        if not any(figure.draws_images for figure in self.figures.chosen().values()):
            return
        if len({tuple(sweep.pairing) for sweep in self.image_sweeps[self.images]}) > 1:
            refuse(
                f"image_sweeps.{self.images}: found sweeps of several `pairing`, allowed: the same"
                " in all, since figures show one mean over them"
            )
        kinds: dict[tuple[str, str], tuple] = {}
        for number, sweep in enumerate(self.image_sweeps[self.images]):
            for spec in sweep.specs():
                network = spec.network
                kind = (number, network.width, network.depth, spec.training)
                if kinds.setdefault((spec.data_set, network.architecture), kind) != kind:
                    refuse(
                        f"image_sweeps.{self.images}: found several kinds of {network.architecture}"
                        f" on {spec.data_set}, allowed: one sweep of one width, depth and training"
                        " for each data set, since figures have one bar for it"
                    )
            if sweep.data_set != "digits" and sweep.data_set not in self.image_sets:
                refuse(
                    f"image_sets.{sweep.data_set}: missing, the folder with the files of this data"
                    f" set, which image_sweeps.{self.images} asks for; allowed without files:"
                    " digits"
                )

    def decoders_of(self, sweep: str) -> Decoders:
        own = self.sweeps[sweep].decoders
        if own is None:
            return self.decoders
        return self.decoders.model_copy(update=own.model_dump(exclude_unset=True))

    def data_sweeps(self) -> list[str]:
        """The sweeps that no figure draws: trained and measured for their metrics."""
        figures = self.figures.chosen().values()
        drawn = {name for figure in figures for names in figure.sweeps().values() for name in names}
        return [name for name in self.sweeps if name not in drawn]

    def products(self) -> list[str]:
        """What is made: the figures and the sweeps that none of them draws."""
        return [*self.figures.chosen(), *self.data_sweeps()]

    def part(self) -> Self:
        """The config with what `only` names, and the sweeps that it needs, or with all of it."""
        if self.only is None:
            return self
        figures = {name: f for name, f in self.figures.chosen().items() if name == self.only}
        needed = [
            n for figure in figures.values() for names in figure.sweeps().values() for n in names
        ]
        sweeps = {
            name: sweep
            for name, sweep in self.sweeps.items()
            if name in needed or name == self.only
        }
        return self.model_copy(
            update={"sweeps": sweeps, "figures": Figures.model_construct(**figures)}
        )

    def edition(self) -> Self:
        """The config with each sweep as it is to be trained: whole, or its coarse part."""
        if not self.preview:
            return self
        coarse = {name: sweep.coarse() for name, sweep in self.sweeps.items()}
        images = {
            scale: [sweep.model_copy(update={"seeds": 1}) for sweep in sweeps]
            for scale, sweeps in self.image_sweeps.items()
        }
        return self.model_copy(update={"sweeps": coarse, "image_sweeps": images})


class ConfigError(Refused):
    """A config was refused; the message names each key, what was found and what is allowed."""


def read_config(values: dict[str, Any], file: str = "config.yaml") -> Config:
    """The typed config from the values of this file. Raises ConfigError."""
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        lines = [sentence(details, values, file) for details in error.errors()]
        raise ConfigError("\n".join(lines)) from None


def schema() -> str:
    """The JSON schema of a config, for editors and readers."""
    return json.dumps(Config.model_json_schema(), indent=2) + "\n"
