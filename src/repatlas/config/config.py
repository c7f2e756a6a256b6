"""The config, typed: what it may say, and what is refused."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from repatlas.artifacts.jobs import trains
from repatlas.config.drawn import check_figures
from repatlas.config.image_sets import ImageSource
from repatlas.config.refusals import sentence
from repatlas.config.study import AnyStudy, Study
from repatlas.config.sweeps import OfSweep
from repatlas.images.published import DataSetName, data_set
from repatlas.named import names as names_in
from repatlas.networks.activation import activation
from repatlas.record import Number, Record, Refused, refuse
from repatlas.representation import Decoders
from repatlas.texts import matching

StageName = Literal[
    "prepare", "train", "measure", "compare", "tabulate", "plot", "judge", "plot_claims"
]
ACTIVATIONS = names_in("networks.activations")
COLOURS = {name: activation(name).colour for name in ACTIVATIONS}
"""The colour of each activation. Those of tanh, ReLU and the clipped ReLU are from the palette of
Okabe and Ito, which colour-blind readers can tell apart."""
FIRST = "structure"
"""The study of a config that names none."""


class StyleSettings(Record):
    """What all figures share."""

    colours: Annotated[
        dict[Literal[*ACTIVATIONS], matching("#[0-9A-Fa-f]{6}", "a colour such as '#D55E00'")],
        AfterValidator(lambda chosen: COLOURS | chosen),
    ] = Field(COLOURS)
    """The colours of activations, where they are not to be the default ones."""
    width: Number = Field(5.5, ge=5, le=12)
    """Width of a figure, in inches; the paper's text is 5.5 wide. On fewer, words lie on words."""
    font_size: Number = Field(7.0, ge=4, le=14)
    """Size of the type, in points."""
    notes: bool = True
    """Whether the line of small type stands under each figure. Journals want none in a picture; the
    files have it as their description all the same."""


class Shared(Record):
    """What all studies of a config share."""

    decoders: Decoders = Decoders()
    """The linear decoders."""
    style: StyleSettings = StyleSettings()
    """What all figures share."""
    image_sets: dict[DataSetName, ImageSource] = Field({})
    """The places of the images of each data set. scikit-learn's digits need none."""
    preview: Annotated[bool, Field(strict=False)] = False  # the command line gives text
    """Draw the preview: the coarse part of each sweep, into the folder `preview` of the results."""
    only: str | None = None
    """A figure, or a sweep that no figure draws: what it needs is made, and nothing else. Where two
    studies have one of this name, the study and a slash stand before it."""
    anyway: Annotated[bool, Field(strict=False)] = False
    """Start also jobs that seem to need more memory than there is, or more than a month."""
    accept_code: dict[StageName, dict[str, str]] = Field({})
    """Old code whose results are kept, for a refactoring that is proven to change none: for each
    stage, the fingerprint of its new code and that of the old code."""


def _with_names(values: Any) -> Any:
    """Each study knows its name."""
    if not isinstance(values, dict):
        return values
    return {
        name: value | {"study": name} if isinstance(value, dict) else value
        for name, value in values.items()
    }


class Config(Shared):
    """Everything that a config may say."""

    studies: Annotated[dict[str, AnyStudy], BeforeValidator(_with_names)]
    """The sweeps and figures of each study, by its name."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not any(study.products() for study in self.studies.values()):
            refuse("found neither sweeps nor figures, allowed: at least one of either")
        for name, study in self.studies.items():
            try:
                check_figures(study, self.decoders_of)
            except PydanticCustomError as error:
                context = {"message": error.message(), "study": name}
                raise PydanticCustomError("refused_in", "{message}", context) from None
        self._check_decoders()
        self._check_images()
        if self.only is not None:
            self.product(self.only, "only")
        return self

    def sweeps(self) -> Iterator[tuple[str, str, OfSweep]]:
        """Yield all grids: their study, how a sentence names them, and the grid."""
        for name, study in self.studies.items():
            for sweep in study.sweeps:
                for key, grid in study.grids(sweep).items():
                    yield name, key, grid

    def _check_decoders(self) -> None:
        """Networks of one family are measured together, with one setting of the decoders."""
        first: dict[tuple[str, str], tuple[str, Decoders]] = {}
        for _, name, sweep in self.sweeps():
            if not trains(sweep.experiment):
                continue
            decoders = self.decoders_of(sweep)
            if min(decoders.train_samples, decoders.test_samples) < sweep.conditions:
                key = f"sweeps.{name}.decoders" if sweep.decoders else "decoders"
                refuse(
                    f"{key}: train_samples and test_samples should be at least"
                    f" {sweep.conditions}, the clusters of sweep {name!r}"
                )
            for family in sweep.families:
                other, others = first.setdefault((sweep.experiment, family), (name, decoders))
                if decoders != others:
                    refuse(
                        f"sweeps.{name}.decoders: should be those of sweep {other!r}, whose"
                        " networks have the same shape and are measured together"
                    )

    def _check_images(self) -> None:
        for _, name, sweep in self.sweeps():
            wanted = getattr(sweep, "data_set", None)
            if wanted and data_set(wanted).DOWNLOADS and wanted not in self.image_sets:
                refuse(
                    f"image_sets.{wanted}: missing, the folder with the files of this data set,"
                    f" which sweeps.{name} asks for; allowed without files: digits"
                )

    def decoders_of(self, sweep: OfSweep) -> Decoders:
        if sweep.decoders is None:
            return self.decoders
        return self.decoders.model_copy(update=sweep.decoders.model_dump(exclude_unset=True))

    def products(self) -> list[tuple[str, str]]:
        """Return what is made, by study and name: the figures and the sweeps that none of them
        draws."""
        return [(name, p) for name, study in self.studies.items() for p in study.products()]

    def product(self, name: str, key: str) -> tuple[str, str]:
        """Return the product that a command names under this key: by its name, or `study/name`
        where two studies have one of that name."""
        found = [each for each in self.products() if name in (each[1], "/".join(each))]
        if len(found) == 1:
            return found[0]
        several = len(self.studies) > 1
        allowed = ", ".join("/".join(each) if several else each[1] for each in self.products())
        refuse(f"{key}: {f'found {name!r}' if name else 'missing'}, allowed: {allowed}")

    def part(self) -> Self:
        """Return the config with what `only` names, and the sweeps that it needs, or with all of
        it."""
        if self.only is None:
            return self
        study, product = self.product(self.only, "only")
        return self.model_copy(update={"studies": {study: self.studies[study].part(product)}})

    def edition(self) -> Self:
        """Return the config with each sweep as it is to be trained: whole, or its coarse part."""
        if not self.preview:
            return self
        coarse = {name: study.coarse() for name, study in self.studies.items()}
        return self.model_copy(update={"studies": coarse})


class ConfigError(Refused):
    """A config was refused; the message names each key, what was found and what is allowed."""


def by_study(values: dict[str, Any], file: str) -> dict[str, Any]:
    """Return the values of a config: as they are where they name studies, and else those of one
    study and what all share, from the same file. Raises ConfigError for a key that neither has."""
    shared, own = Config.model_fields, Study.model_fields
    for key in values:
        if key not in (shared if "studies" in values else shared | own):
            allowed = [*shared] if "studies" in values else [*own, *Shared.model_fields]
            raise ConfigError(f"{file}: unknown key {key!r}, allowed: {', '.join(allowed)}")
    if "studies" in values:
        return values
    of_study = {name: value for name, value in values.items() if name in own}
    rest = {name: value for name, value in values.items() if name in shared}
    return rest | {"studies": {str(of_study.get("study", FIRST)): of_study}}


def read_config(
    values: dict[str, Any], file: str = "config.yaml", files: dict[str, str] | None = None
) -> Config:
    """Return the typed config from the values of a file, and where studies have files of their own,
    of these. Raises ConfigError."""
    values = by_study(values, file)
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        lines = [sentence(details, values, file, files or {}) for details in error.errors()]
        raise ConfigError("\n".join(lines)) from None
