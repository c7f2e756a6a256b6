"""The config as typed records: which keys it has, and which values are refused."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from repatlas.artifacts.recipes.networks import trains
from repatlas.config.drawn import check_figures
from repatlas.config.refusals import sentence
from repatlas.config.study import AnyStudy, Study
from repatlas.config.sweeps import OfSweep
from repatlas.images.content import SCHEMES
from repatlas.images.published import DataSetName, data_set
from repatlas.named import names as names_in
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
    "tabulate",
    "plot",
    "judge",
    "plot_claims",
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
    only: str | None = None
    """A figure, or a sweep that no figure draws. Only this product and the networks that it needs
    are computed. If two studies have a product of this name, write `study/name`."""
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
        if not any(study.products() for study in self.studies.values()):
            refuse("found neither sweeps nor figures; add at least one")
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
        """Yield all grids: the study, the name that messages use, and the grid."""
        for name, study in self.studies.items():
            for sweep in study.sweeps:
                for key, grid in study.grids(sweep).items():
                    yield name, key, grid

    def _check_decoders(self) -> None:
        """Refuse different decoders for networks of one family, which are measured together."""
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
                        f"sweeps.{name}.decoders: should equal sweeps.{other}.decoders: the"
                        " networks of both have the same shape and are measured together"
                    )

    def _check_images(self) -> None:
        for _, name, sweep in self.sweeps():
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

    def products(self) -> list[tuple[str, str]]:
        """Return the products by study and name: the figures, and the sweeps that no figure
        draws."""
        return [(name, p) for name, study in self.studies.items() for p in study.products()]

    def product(self, name: str, key: str) -> tuple[str, str]:
        """Return the product that a command names: by its name, or by `study/name` if two studies
        have a product of this name. key: the option, for messages."""
        found = [each for each in self.products() if name in (each[1], "/".join(each))]
        if len(found) == 1:
            return found[0]
        several = len(self.studies) > 1
        allowed = ", ".join("/".join(each) if several else each[1] for each in self.products())
        refuse(f"{key}: {f'found {name!r}' if name else 'missing'}, allowed: {allowed}")

    def part(self) -> Self:
        """Return the config with only the product in `only` and the sweeps that it needs; without
        `only`, the whole config."""
        if self.only is None:
            return self
        study, product = self.product(self.only, "only")
        return self.model_copy(update={"studies": {study: self.studies[study].part(product)}})

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
