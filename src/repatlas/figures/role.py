"""The requirements of a figure for the sweeps that one of its keys names, so that no drawing is
false or empty.

Settings are named by their path in a sweep: "task.delta", "network.depth", "training.errors".
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from repatlas.record import Record, refuse

ACTIVATION = "network.activation"
Settings = dict[str, Any]
"""The settings of one network, by their place. One that its kind does not have is not among
them."""
Fits = Callable[[str, dict], None]
"""A check of the sweeps, by name, that a key names"""
AXIS, PANEL, LEGEND = "axis", "panel", "legend"
"""How a figure shows the values of a setting."""


def axis(*places: str) -> dict[str, str]:
    """Return settings that are drawn as axes: each needs two values, in each panel for each
    activation."""
    return dict.fromkeys(places, AXIS)


def panels(*places: str) -> dict[str, str]:
    """Return settings whose values have separate panels, or rows."""
    return dict.fromkeys(places, PANEL)


def legend(*places: str) -> dict[str, str]:
    """Return settings whose values have a look or a name within a panel."""
    return dict.fromkeys(places, LEGEND)


@dataclass(frozen=True)
class Role:
    """The requirements of a figure for all sweeps together that one of its keys names."""

    about: str
    """A description of the sweeps, for the reader of a config."""
    measures: set[str]
    """Measures that are required: at the step that the figure shows, or else at one step at
    least."""
    only: dict[str, tuple] = field(default_factory=dict)
    """The values that a setting may have, by setting. `experiment` is one of them."""
    several: bool = False
    """Whether the key takes a list of sweeps."""
    optional: bool = False
    """Whether the key may be left out."""
    shown: dict[str, str] = field(default_factory=lambda: legend(ACTIVATION))
    """Settings that may have several values, and how the figure shows these. All other settings
    have one value."""
    over_steps: bool = False
    """Whether curves over steps are drawn: all is measured at two steps, the last among them."""
    fits: tuple[Fits, ...] = ()
    """Checks that refuse sweeps that do not fit for another reason."""

    def check(self, where: str, sweeps: dict) -> None:
        """Refuse sweeps, by name, that don't fit; `where` is the key that names them."""
        for name, sweep in sweeps.items():
            self._check_values(where, name, values([sweep]))
        _check_once(where, sweeps)
        for place, found in values(sweeps.values()).items():
            if len(found) > 1 and place not in self.shown:
                refuse(f"{where}: found {place} {words(found)}, allowed: one value")
        for fits in self.fits:
            fits(where, sweeps)

    def check_axes(self, where: str, sweeps: dict) -> None:
        """Refuse a curve with a single value on its axis. A preview may have one, drawn as a
        dot."""
        panels, axes = ([p for p, how in self.shown.items() if how == way] for way in (PANEL, AXIS))
        found = networks(sweeps) if axes else []
        for curve in grouped(found, (*panels, ACTIVATION)):
            for place in axes:
                if len({each.get(place) for each in curve}) < 2:
                    refuse(
                        f"{where}{which(curve[0], panels, found)}: found {place}"
                        f" {words([curve[0].get(place)])} alone, allowed: two values or more, "
                        "since it is an axis of the figure"
                    )

    def _check_values(self, where: str, name: str, found: dict[str, set]) -> None:
        for place, allowed in self.only.items():
            if others := found.get(place, set()) - set(allowed):
                refuse(
                    f"{where}: found {place} {words(others)} in sweep {name!r},"
                    f" allowed: {words(allowed)}"
                )


def check_steps(where: str, role: Role, name: str, sweep: Any, shown: list[int] | None) -> None:
    """Refuse a sweep in which a role's measures are missing; `shown`: the steps that are drawn, if
    these are not all."""
    measured = {measure: measured_at(sweep, measure) for measure in role.measures}
    if missing := sorted(measure for measure, steps in measured.items() if not steps):
        refuse(f"{where}: the sweep should measure {', '.join(missing)}")
    for step in shown or []:
        if step not in sweep.steps:
            refuse(f"{where}: the sweep should have {step} in its steps")
        missing = sorted(measure for measure, steps in measured.items() if step not in steps)
        if missing:
            refuse(f"{where}: the sweep should measure {', '.join(missing)} at step {step}")
    if not role.over_steps or sweep.steps == [0]:  # the control of untrained networks
        return
    for measure, steps in sorted(measured.items()):
        if len(steps) < 2 or steps[-1] != sweep.steps[-1]:
            refuse(
                f"{where}: found {measure} at steps {steps} of sweep {name!r},"
                " allowed: two steps or more, the last among them"
            )


def check_alike(
    where: str, sweeps: dict, others: dict, like: str, places: tuple[str, ...], but: tuple[str, ...]
) -> None:
    """Refuse sweeps whose settings, or steps, differ from the sweeps of the key `like`. places: the
    paths that are compared, with all paths below them, except the paths in `but`."""
    found, wanted = (
        values(each.values()) | {"steps": {s for sweep in each.values() for s in sweep.steps}}
        for each in (sweeps, others)
    )
    for place in sorted(found.keys() | wanted.keys()):
        compared = place in places or place.split(".")[0] in places
        if compared and place not in but and found.get(place) != wanted.get(place):
            refuse(
                f"{where}: found {place} {words(found.get(place, ()))}, allowed: as in {like},"
                f" {words(wanted.get(place, ()))}"
            )


def words(found: Iterable) -> str:
    """Return values as YAML has them, each once, in order."""
    texts = {None: "null", True: "true", False: "false"}
    known = sorted(set(found), key=lambda value: (isinstance(value, str), value is not None, value))
    return ", ".join(texts[v] if v is None or isinstance(v, bool) else str(v) for v in known)


def _axes(sweep: Any) -> dict[str, list]:
    """Return the values of each setting, its experiment among them."""
    axes: dict[str, list] = {"experiment": [sweep.experiment]}
    for part in sweep.settings:
        inner = getattr(sweep, part)
        named = (
            {f"{part}.{name}": v for name, v in inner}
            if isinstance(inner, Record)
            else {part: inner}
        )
        axes |= {name: v if isinstance(v, list) else [v] for name, v in named.items()}
    return axes


def networks(sweeps: dict) -> list[Settings]:
    """Return the settings of every network of sweeps, by name."""
    return [
        dict(zip(axes, each, strict=True))
        for axes in map(_axes, sweeps.values())
        for each in product(*axes.values())
    ]


def values(sweeps: Iterable) -> dict[str, set]:
    """Return the values of each setting."""
    found: dict[str, set] = {}
    for axes in map(_axes, sweeps):
        for place, own in axes.items():
            found.setdefault(place, set()).update(own)
    return found


def measured_at(sweep: Any, measure: str) -> list[int]:
    """Return the steps, in order, at which a sweep measures this."""
    return [
        step
        for step in sweep.steps
        if measure in sweep.measures or measure in sweep.more_measures.get(step, [])
    ]


def _check_once(where: str, sweeps: dict) -> None:
    """Refuse sweeps with a network in common: they have a value of each setting in common."""
    axes = {name: {p: {*v} for p, v in _axes(sweep).items()} for name, sweep in sweeps.items()}
    for one, other in combinations(sweeps, 2):
        # Kinds of networks differ in which settings they have.
        if all(own & axes[other].get(place, set()) for place, own in axes[one].items()):
            refuse(
                f"{where}: found the same network in sweeps {one!r} and {other!r}, allowed: each"
                " network once"
            )


def grouped(found: list[Settings], places: Iterable[str]) -> list[list[Settings]]:
    """Return the networks that have the same values of these settings together."""
    places = [*places]
    groups: dict[tuple, list[Settings]] = {}
    for each in found:
        groups.setdefault(tuple(each.get(place) for place in places), []).append(each)
    return list(groups.values())


def which(one: Settings, places: Iterable[str], found: list[Settings]) -> str:
    """Return words for which panel it is, where there are several, to stand after a key."""
    several = [place for place in places if len({each.get(place) for each in found}) > 1]
    return "".join(f", {place} {words([one.get(place)])}" for place in several)
