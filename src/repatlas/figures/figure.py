"""What a config says of a figure. Each figure of a study has a module in the study's catalogue,
with a Figure named FIGURE."""

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import AfterValidator, Field, create_model

from repatlas.figures.role import Role
from repatlas.grids import unique
from repatlas.record import Record


class Alike(NamedTuple):
    """Two keys whose sweeps the figure shows as the same networks or tasks."""

    field: str
    like: str
    places: tuple[str, ...]
    """Settings, or parts of a sweep, that must be the same"""
    but: tuple[str, ...] = ()
    """Settings that may differ all the same"""


class Options(Record):
    """What a config says of a figure: the base of those of single figures."""

    figure: ClassVar["Figure"]
    draw: str | None = None
    """The figure of the study that is drawn, where that has another name."""

    def sweeps(self) -> dict[str, list[str]]:
        """The names of the sweeps, by role."""
        named = {role: names for role in self.figure.roles if (names := getattr(self, role))}
        return {role: [names] if isinstance(names, str) else names for role, names in named.items()}

    def comparisons(self) -> dict[str, str]:
        """The names of comparisons, by key."""
        return {key: getattr(self, key) for key in self.figure.comparisons}


@dataclass(frozen=True)
class Figure:
    """What there is to know of a figure before it is drawn."""

    about: str
    """One sentence."""
    roles: dict[str, Role] = field(default_factory=dict)
    """The roles of its sweeps, by the key that names these."""
    comparisons: dict[str, str] = field(default_factory=dict)
    """What the comparisons are that it draws, by the key that names each."""
    alike: tuple[Alike, ...] = ()
    step: str | None = None
    """What its key `step` says; None for a figure without one."""
    first_step: int = 0
    """The smallest step that makes sense: 1 where it shows step 0 anyway, or what had converged."""
    shows_start: bool = False
    """Whether it shows step 0, too."""

    def options(self, name: str) -> type[Options]:
        """The record of what a config says of the figure, which has this name in its study."""
        fields: dict[str, Any] = {}
        for key, role in self.roles.items():
            kind = Sweeps if role.several else str
            default = None if role.optional else ...
            kind = kind | None if role.optional else kind
            fields[key] = (kind, Field(default, description=role.about))
        for key, about in self.comparisons.items():
            fields[key] = (str, Field(description=about))
        if self.step is not None:
            fields["step"] = (int, Field(ge=self.first_step, description=self.step))
        model = create_model(f"Options_{name}", __base__=Options, __doc__=self.about, **fields)
        model.figure = self
        return model


Sweeps = Annotated[list[str], Field(min_length=1), AfterValidator(unique)]
