"""What a figure needs, and its keys in a config. A module of a study with a Figure
named FIGURE is one figure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import AfterValidator, Field, create_model

from repatlas.figures.role import Role
from repatlas.grids import unique
from repatlas.named import ROOT
from repatlas.record import Record, refuse


class Alike(NamedTuple):
    """Two keys whose sweeps the figure shows as the same networks or tasks."""

    field: str
    like: str
    places: tuple[str, ...]
    """Settings, or parts of a sweep, that must be the same"""
    but: tuple[str, ...] = ()
    """Settings that may differ nevertheless"""


class Finding(NamedTuple):
    """What a figure says, as its title."""

    says: str
    """One sentence. It names the networks that the claims are about, where the figure draws more,
    and says so if a claim is undecided or not judged."""
    carried: dict[str, str | None]
    """What the checks of the claims that carry the sentence have to say of them, by the number of
    the claim; None for a claim that is not judged. The sentence is withdrawn where a run finds
    otherwise. No claims for a figure without networks, whose sentence is always true."""

    def with_setting(self, alone: Iterable[str]) -> "Finding":
        """Return the finding, which says "in our setting" if a claim that carries it is one of
        these, which hold there alone."""
        if self.carried.keys() & {*alone}:
            return self._replace(says=f"{self.says.removesuffix('.')}, in our setting.")
        return self

    def sentence_if(self, outcomes: Mapping[str, str | None]) -> str:
        """Return the sentence, or an empty text where a claim that carries it is judged otherwise.
        `outcomes`: what the checks of each claim about the figure say."""
        is_so = all(outcomes.get(claim) == outcome for claim, outcome in self.carried.items())
        return self.says if is_so else ""


@dataclass(frozen=True)
class Pairs:
    """The requirements of a figure for the comparisons that one of its keys names."""

    about: str
    """A description of the comparisons, for the reader of a config."""
    similarities: frozenset[str] = frozenset()
    """Similarities that each comparison must have."""
    several: bool = False
    """Whether the key takes a list of comparisons."""
    optional: bool = False
    """Whether the key may be left out."""

    def check(self, where: str, comparisons: Iterable[Any]) -> None:
        """Refuse comparisons without what the figure draws; `where` is the key that names them."""
        for each in comparisons:
            for name in sorted(self.similarities):
                if name not in each.similarities:
                    refuse(
                        f"{where}: comparison {each.key!r} lacks {name!r}; add it to its"
                        " similarities"
                    )


class Options(Record):
    """The keys of a figure in a config: the base of the records of single figures."""

    figure: ClassVar["Figure"]
    draw: str | None = None
    """The figure of the study that is drawn, if it has another name."""

    def sweeps(self) -> dict[str, list[str]]:
        """Return the names of the sweeps, by role."""
        named = {role: names for role in self.figure.roles if (names := getattr(self, role))}
        return {role: [names] if isinstance(names, str) else names for role, names in named.items()}

    def comparisons(self) -> dict[str, list[str]]:
        """Return the names of comparisons, by role."""
        named = {key: names for key in self.figure.comparisons if (names := getattr(self, key))}
        return {key: [names] if isinstance(names, str) else names for key, names in named.items()}


@dataclass(frozen=True)
class Figure:
    """The knowledge about a figure that does not need drawing."""

    about: str
    """One sentence: what is drawn."""
    roles: dict[str, Role] = field(default_factory=dict)
    """The roles of its sweeps, by the key that names these."""
    comparisons: dict[str, Pairs] = field(default_factory=dict)
    """The roles of the comparisons that it draws, by the key that names these."""
    alike: tuple[Alike, ...] = ()
    step: str | None = None
    """What its key `step` says; None for a figure without one."""
    first_step: int = 0
    """The smallest step that makes sense: 1 where it shows step 0 anyway, or what had converged."""
    shows_start: bool = False
    """Whether it shows step 0, too."""
    deviations: tuple[float, ...] = ()
    """The decoders' test deviations at which it shows CCGP."""
    finding: Finding | None = None
    """What it says, its title. If its claims are judged otherwise, the title of a whole run is
    `about`. None for figures of a user's arrays, without titles."""

    def options(self, name: str) -> type[Options]:
        """Return the record of what a config says of the figure, which has this name in its
        study."""
        fields: dict[str, Any] = {}
        for key, role in self.roles.items():
            fields[key] = _named(role)
        for key, pairs in self.comparisons.items():
            fields[key] = _named(pairs)
        if self.step is not None:
            fields["step"] = (int, Field(ge=self.first_step, description=self.step))
        model = create_model(f"Options_{name}", __base__=Options, __doc__=self.about, **fields)
        model.figure = self
        return model


@cache
def figures_of(study: str) -> tuple[str, ...]:
    """Return the names of the figures of a study, in alphabetical order. Nothing is imported."""
    modules = sorted((ROOT / "studies" / study).glob("*.py"))
    return tuple(p.stem for p in modules if "\nFIGURE = " in p.read_text(encoding="utf-8"))


Several = Annotated[list[str], Field(min_length=1), AfterValidator(unique)]


def _named(role: Role | Pairs) -> tuple[Any, Any]:
    """Return the field with the name that a role has in a config, or its names."""
    kind = Several if role.several else str
    default = None if role.optional else ...
    return (kind | None if role.optional else kind, Field(default, description=role.about))
