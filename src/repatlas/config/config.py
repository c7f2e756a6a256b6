"""The config as typed records: which keys it has, and which values are refused."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from repatlas.config.drawn import check_figures
from repatlas.config.refusals import sentence
from repatlas.config.study import AnyStudy, Study
from repatlas.config.sweeps import OfSweep
from repatlas.images.content import SCHEMES
from repatlas.images.published import DataSetName, data_set
from repatlas.named import names as names_in
from repatlas.named import trains
from repatlas.networks.activation import activation
from repatlas.record import Number, Record, Refused, refuse
from repatlas.representation import Decoders
from repatlas.texts import matching

StageName = Literal[
    "prepare",
    "train",
    "measure",
    "compare_networks",
    "compare_files",
    "plot",
    "judge",
    "multiverse",
]
ACTIVATIONS = names_in("networks.activations")
COLOURS = {name: activation(name).colour for name in ACTIVATIONS}
"""The colour of each activation. The colours of tanh, ReLU and the clipped ReLU are from the
palette of Okabe and Ito, which colour-blind readers can distinguish."""
FIRST = "structure"
"""The study of a config that names none."""


class StyleSettings(Record):
    """Settings that all figures share."""

    colours: Annotated[
        dict[Literal[*ACTIVATIONS], matching("#[0-9A-Fa-f]{6}", "a colour such as '#D55E00'")],
        AfterValidator(lambda chosen: COLOURS | chosen),
    ] = Field(COLOURS)
    """The colours of activations that differ from the default."""
    width: Number = Field(5.5, ge=5, le=12)
    """Width of a figure, in inches; the paper's text is 5.5 inches wide. In narrower figures, words
    overlap."""
    font_size: Number = Field(7.0, ge=4, le=14)
    """Size of the type, in points."""
    notes: bool = True
    """Print what a figure found as its title, and the line of small type under it. Journals want
    neither in a picture; the files have both as their description in any case."""


def _web_address(url: str) -> str:
    if not url.startswith(SCHEMES):
        refuse("allowed: an address with http:// or https://")
    return url


class ImageSource(Record):
    """The place of the files of a data set."""

    folder: str
    """A folder with the published archive, or with what was unpacked from it."""
    subset: bool = False
    """Whether a file that was cut short may be used; figures then say "subset of N"."""
    download: bool = False
    """Whether what the folder lacks is fetched; a broken download goes on."""
    url: Annotated[str, AfterValidator(_web_address)] | None = None
    """The address of the folder with the published files, where it is not to be the usual one."""


class Shared(Record):
    """Settings that all studies of a config share."""

    decoders: Decoders = Decoders()
    """The linear decoders."""
    style: StyleSettings = StyleSettings()
    """Settings that all figures share."""
    image_sets: dict[DataSetName, ImageSource] = Field({})
    """The places of the images of each data set. scikit-learn's digits need none."""
    preview: Annotated[bool, Field(strict=False)] = False  # the command line gives text
    """Draw the preview: the coarse part of each sweep, into the folder `preview` of the results."""
    accept_code: dict[StageName, dict[str, str]] = Field({})
    """Earlier code whose results are kept, after a refactoring that is proven to change no result.
    Each stage has the fingerprint of the new code, and after it the fingerprint of the earlier
    code."""


def _with_names(values: Any) -> Any:
    """Return the studies of a config, each with its name."""
    if not isinstance(values, dict):
        return values
    return {
        name: value | {"study": name} if isinstance(value, dict) else value
        for name, value in values.items()
    }


class Config(Shared):
    """All keys of a config."""

    studies: Annotated[dict[str, AnyStudy], BeforeValidator(_with_names)]
    """The sweeps and figures of each study, by its name."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not any(study.figures or study.sweeps for study in self.studies.values()):
            refuse("found neither sweeps nor figures; add at least one")
        for name, study in self.studies.items():
            try:
                check_figures(study, self.decoders_of)
                for sweep in study.sweeps:
                    for key, grid in study.grids(sweep).items():
                        self._check_sweep(key, grid)
            except PydanticCustomError as error:
                context = {"message": error.message(), "study": name}
                raise PydanticCustomError("refused_in", "{message}", context) from None
        return self

    def _check_sweep(self, name: str, sweep: OfSweep) -> None:
        """Refuse decoders that have less than a sample of each cluster, and images without a
        folder. name: of the grid, as messages use it."""
        decoders = self.decoders_of(sweep)
        fewest = min(decoders.train_samples, decoders.test_samples)
        if trains(sweep.experiment) and fewest < sweep.conditions:
            key = f"sweeps.{name}.decoders" if sweep.decoders else "decoders"
            refuse(
                f"{key}: train_samples and test_samples should be at least {sweep.conditions}, the"
                f" clusters of sweep {name!r}"
            )
        wanted = getattr(sweep, "data_set", None)
        if wanted and data_set(wanted).DOWNLOADS and wanted not in self.image_sets:
            refuse(
                f"image_sets.{wanted}: missing; sweeps.{name} uses this data set, so name the"
                " folder with its files, or use the data set digits, which needs none"
            )

    def decoders_of(self, sweep: OfSweep) -> Decoders:
        if sweep.decoders is None:
            return self.decoders
        return self.decoders.model_copy(update=sweep.decoders.model_dump(exclude_unset=True))

    def as_trained(self) -> Self:
        """Return the config with each sweep as this run trains it: the whole sweep, or its part for
        a preview."""
        if not self.preview:
            return self
        coarse = {name: study.coarse() for name, study in self.studies.items()}
        return self.model_copy(update={"studies": coarse})


class ConfigError(Refused):
    """A config was refused; the message names each key, what was found and what is allowed."""


def by_study(values: dict[str, Any], file: str) -> dict[str, Any]:
    """Return the values of a config, by study. A config without `studies` has the keys of one study
    and the shared keys in the same file. Raises ConfigError for an unknown key."""
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
    """Return the typed config. values: from the config file. files: the names of the files of
    studies, if these have separate files. Raises ConfigError."""
    values = by_study(values, file)
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        lines = [sentence(details, values, file, files or {}) for details in error.errors()]
        raise ConfigError("\n".join(lines)) from None
