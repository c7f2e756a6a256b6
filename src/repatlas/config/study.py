"""A study in a config: its sweeps, and the figures that draw them."""

from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    create_model,
    model_validator,
)

from repatlas.artifacts.layout import MULTIVERSE
from repatlas.claims.claims_file import ClaimsFile, claims_path, read_claims
from repatlas.config.comparisons import NetworkComparison
from repatlas.config.multiverse import OF_PREVIEW, Multiverse, number_of
from repatlas.config.representations import Comparison, Measures, Representations
from repatlas.config.sweeps import AnySweep, OfSweep, expanded
from repatlas.figures.figure import Options, figures_of
from repatlas.grids import ByName
from repatlas.named import named, names
from repatlas.record import Record, Refused, refuse
from repatlas.texts import FileName, Name

OWN = "own"
"""The study of users' representations, the only one that has files."""


def _present(values: Any) -> Any:
    """Return the values without the keys whose value is null. null removes an entry of an earlier
    file."""
    if not isinstance(values, dict):
        return values
    return {name: value for name, value in values.items() if value is not None}


def _named_by_key(values: Any) -> Any:
    """Return the figures of a config, each with `draw`. Without this key a figure draws what its
    own name says."""
    if not isinstance(values, dict):
        return values
    return {
        name: {"draw": name} | value if isinstance(value, dict) else value
        for name, value in values.items()
    }


class Study(Record):
    """The sweeps of a study, and its figures."""

    study: str
    """The study whose figures these are."""
    sweeps: Annotated[
        dict[str, Annotated[list[AnySweep], BeforeValidator(expanded)]], BeforeValidator(_present)
    ] = Field({})
    """Named grids of networks. A sweep that no figure draws is trained and measured, too. A sweep
    may have several grids: `each` is a list of the settings in which they differ."""
    representations: Annotated[dict[Name, Representations], BeforeValidator(_present)] = Field({})
    """Your own arrays, by the name of the set, such as V4 or my net: up to 100 printable
    characters. They are measured in the same way as sweeps of networks."""
    measures: Measures = Field([])
    """The measures of representations that do not list measures themselves."""
    compare: list[Any] = Field([])
    """Pairs that are compared: of networks, or of representations in files."""
    figures: dict[FileName, Options] = Field({})
    """The figures, and the sweeps that each draws. A figure may have another name than the one that
    it draws, and then needs `draw`."""
    multiverse: Multiverse | None = None
    """Choices that a paper leaves open, with plausible values. The claims about the figures are
    judged in many settings of them, and one more figure shows the share of settings in which each
    claim holds."""

    _setting_figures: dict[str, Options] = PrivateAttr({})

    @model_validator(mode="after")
    def _has_files(self) -> Self:
        """Add each set of representations to the sweeps."""
        if self.representations and self.study != OWN:
            refuse(
                f"representations: found in the study {self.study}; only the study {OWN} can have"
                " them"
            )
        for name, chosen in self.representations.items():
            if name in self.sweeps and self.sweeps[name][0].experiment != "files":
                refuse(f"representations.{name}: found a sweep of this name, allowed: another name")
            try:
                self.sweeps[name] = [chosen.sweep(name, self.measures)]
            except Refused as error:
                refuse(f"representations.{name}: {error}")
            except ValidationError as error:
                refuse(f"representations.{name}: {error.errors()[0]['msg']}")
        return self

    @model_validator(mode="after")
    def _leaves_a_name_to_the_claims(self) -> Self:
        if MULTIVERSE in self.figures:
            refuse(f"figures: found {MULTIVERSE}, the name of another figure; rename it")
        lower = [name.lower() for name in self.figures]
        for name in self.figures:
            if lower.count(name.lower()) > 1:
                refuse(
                    f"figures: {name!r} and another name differ only in capital letters; rename"
                    " one, since some file systems would store both in one file"
                )
        return self

    @model_validator(mode="after")
    def _compares_what_there_is(self) -> Self:
        compared = [comparison.key for comparison in self.compare]
        for comparison in self.compare:
            if isinstance(comparison, NetworkComparison):
                comparison.check(self.sweeps)
            else:
                for name in comparison.between:
                    if name not in self.representations:
                        allowed = ", ".join(self.representations) or "a set of representations"
                        refuse(f"compare: found {name!r} in between, allowed: {allowed}")
                try:
                    comparison.check(*(self.sweeps[name][0] for name in comparison.between))
                except Refused as error:
                    refuse(f"compare: {error}")
            if compared.count(comparison.key) > 1:
                both = " and ".join(comparison.between)
                alike = [each.between for each in self.compare if each.key == comparison.key]
                if any(between != comparison.between for between in alike):
                    refuse(
                        f"compare: {both} and others have the name {comparison.key!r}, so a figure"
                        " cannot choose one; give one of them another name"
                    )
                other = ", or another name" if isinstance(comparison, NetworkComparison) else ""
                refuse(f"compare: found {both} twice, allowed: once, with all measures{other}")
        return self

    @model_validator(mode="before")
    @classmethod
    def _has_choices(cls, values: Any) -> Any:
        """Give a multiverse without choices the choices, or the lengths, of the study's claims
        file."""
        match values:
            case {"study": str(study), "multiverse": dict(own)} if "choices" not in own:
                if study in names("studies") and claims_path(study).exists():
                    figures = own.get("figures") or [*(values.get("figures") or [])]
                    varies = own.get("varies", "choices")
                    more = _choices_of(read_claims(study), varies, figures)
                    values = values | {"multiverse": more | own}
        return values

    @model_validator(mode="after")
    def _adds_settings(self) -> Self:
        """Add the sweeps and the comparisons of each setting of the multiverse."""
        if self.multiverse:
            found = self.multiverse.expanded(self.sweeps, self.figures, self.compare)
            self.sweeps.update(found.sweeps)
            self._setting_figures = found.figures
            for comparison in found.compare:
                comparison.check(self.sweeps)
            self.compare.extend(found.compare)
        return self

    @property
    def tabulated(self) -> dict[str, Options]:
        """All figures that have a table: the figures, and the figures of each setting of the
        multiverse, which are not drawn."""
        return self.figures | self._setting_figures

    def setting_sweeps(self) -> list[str]:
        """Return the sweeps of all settings of the multiverse."""
        return [name for name in self.sweeps if self.multiverse and number_of(name) is not None]

    def comparison(self, name: str) -> Comparison | NetworkComparison:
        """Return the comparison of this name."""
        return next(each for each in self.compare if each.key == name)

    def sweeps_of(self, figure: str) -> dict[str, dict[str, OfSweep]]:
        """Return the grids that a figure draws, by role and by the names that messages use."""
        return {
            role: {key: grid for name in names for key, grid in self.grids(name).items()}
            for role, names in self.tabulated[figure].sweeps().items()
        }

    def grids(self, sweep: str) -> dict[str, OfSweep]:
        """Return the grids of a sweep, by the names that messages use."""
        grids = self.sweeps[sweep]
        if len(grids) == 1:
            return {sweep: grids[0]}
        return {f"{sweep}.each[{number}]": grid for number, grid in enumerate(grids)}

    def coarse(self) -> "Study":
        """Return the study as a preview trains it."""
        later = [n for n in self.setting_sweeps() if (number_of(n) or 0) >= OF_PREVIEW]
        sweeps = {
            name: [grid.coarse() for grid in grids]
            for name, grids in self.sweeps.items()
            if name not in later
        }
        compare = [each for each in self.compare if not {*each.between} & {*later}]
        coarse = self.model_copy(update={"sweeps": sweeps, "compare": compare})
        coarse._setting_figures = {
            name: figure
            for name, figure in self._setting_figures.items()
            if number_of(name) < OF_PREVIEW
        }
        return coarse


def _choices_of(file: ClaimsFile, varies: str, figures: list[str]) -> dict[str, Any]:
    """Return what a multiverse of these figures varies, from a claims file."""
    if varies != "length":
        return {"choices": file.choices if varies == "choices" else {}}
    multiples = {name: of.multiples for of in file.lengths for name in of.figures}
    return {"lengths": {name: multiples[name] for name in figures if name in multiples}}


@cache
def options_of(study: str, figure: str) -> type[Options]:
    """Return the record of the keys of this figure in a config."""
    return named(f"studies.{study}", figure).FIGURE.options(figure)


@cache
def study_of(study: str) -> type[Study]:
    """Return the record of a study, with its figures."""
    figure = ByName("draw", lambda: figures_of(study), lambda name: options_of(study, name))
    figures = Annotated[
        dict[FileName, Annotated[Options, figure]],
        BeforeValidator(_named_by_key),
        BeforeValidator(_present),
    ]
    comparison = Comparison if study == OWN else NetworkComparison
    return create_model(
        "Study",
        __base__=Study,
        __doc__=Study.__doc__,
        study=(Literal[study], study),
        compare=(list[comparison], []),
        figures=(figures, {}),
    )


AnyStudy = Annotated[Study, ByName("study", lambda: names("studies"), study_of)]
