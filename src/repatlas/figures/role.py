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
"""The settings of one network, by their place. One that its kind does not have is not among "
"them."""


@dataclass(frozen=True)
class Role:
    """The requirements of a figure for all sweeps together that one of its keys names."""

    about: str
    """A description of the sweeps, for the reader of a config."""
    measures: set[str]
    """Measures that are required: at the step that the figure shows, or else at one step at
    least."""
    only: dict[str, tuple] = field(default_factory=dict)
    """The values that a setting may have, by setting."""
    experiment: str = "clusters"
    """The experiment of the networks."""
    several: bool = False
    """Whether the key takes a list of sweeps."""
    optional: bool = False
    """Whether the key may be left out."""
    axes: set[str] = field(default_factory=lambda: {ACTIVATION})
    """Settings that may have several values, since the figure shows them, in addition to the
    settings below."""
    panels: tuple[str, ...] = ()
    """Settings whose values have separate panels, or rows."""
    most: dict[str, int] = field(default_factory=dict)
    """The largest number of values of a setting, by setting, that fit into the figure or can be
    distinguished."""
    along: tuple[str, ...] = ()
    """Settings that are drawn as axes: each needs two values, in each panel for each activation."""
    activations: tuple[str, ...] = ()
    """The activations that each panel needs."""
    is_paired: bool = False
    """Whether activations (those above, or else all) are compared over the same tasks and seeds."""
    over_steps: bool = False
    """Whether curves over steps are drawn: all is measured at two steps, the last among them."""
    early: frozenset[str] = frozenset()
    """Measures that are required at two steps, whichever they are."""
    deviations: tuple[float, ...] = ()
    """The decoders' test deviations that are drawn."""
    fits: Callable[[str, list[Settings]], None] | None = None
    """Refuses, for a key, networks that do not fit for another reason."""

    def check(self, where: str, sweeps: dict) -> None:
        """Refuse sweeps, by name, that don't fit; `where` is the key that names them."""
        for name, sweep in sweeps.items():
            if sweep.experiment != self.experiment:
                refuse(
                    f"{where}: found experiment {sweep.experiment} in sweep {name!r}, allowed:"
                    f" {self.experiment}"
                )
            self._check_values(where, name, _values([sweep]))
        _check_once(where, sweeps)
        self._check_axes(where, _values(sweeps.values()))
        found = _networks(sweeps.values())
        for panel in _groups(found, self.panels):
            self._check_panel(where + _which(panel[0], self.panels, found), panel)
        if self.fits:
            self.fits(where, found)
        if self.is_paired:
            self._check_pairs(where, found)
            # A preview leaves sweeps out: they have 0 seeds, and no number to agree on.
            numbers = {sweep.seeds for sweep in sweeps.values() if sweep.seeds}
            if len(numbers) > 1:
                refuse(
                    f"{where}: found sweeps of {words(numbers)} seeds, allowed: one number of seeds"
                )

    def check_axes_of_curves(self, where: str, sweeps: dict) -> None:
        """Refuse a curve with a single value on its axis. A preview may have one, drawn as a
        dot."""
        found = _networks(sweeps.values())
        for curve in _groups(found, (*self.panels, ACTIVATION)):
            for place in self.along:
                if len({each.get(place) for each in curve}) < 2:
                    refuse(
                        f"{where}{_which(curve[0], self.panels, found)}: found {place}"
                        f" {words([curve[0].get(place)])} alone, allowed: two values or more, "
                        "since it is an axis of the figure"
                    )

    def _check_values(self, where: str, name: str, values: dict[str, set]) -> None:
        for place, allowed in self.only.items():
            if others := values.get(place, set()) - set(allowed):
                refuse(
                    f"{where}: found {place} {words(others)} in sweep {name!r},"
                    f" allowed: {words(allowed)}"
                )

    def _check_axes(self, where: str, found: dict[str, set]) -> None:
        shown = {*self.axes, *self.panels, *self.along}
        for place, most in self.most.items():
            if len(values := found.get(place, set())) > most:
                refuse(
                    f"{where}: found {len(values)} values of {place} ({words(values)}), allowed: at"
                    f" most {most}, since the figure has space for no more"
                )
        for place, values in found.items():
            if len(values) > 1 and place not in shown:
                refuse(f"{where}: found {place} {words(values)}, allowed: one value")

    def _check_panel(self, where: str, panel: list[Settings]) -> None:
        present = {each.get(ACTIVATION) for each in panel}
        if not present >= set(self.activations):
            needed = " and ".join(self.activations)
            refuse(
                f"{where}: found {ACTIVATION} {words(present)}; the figure compares"
                f" {needed}, so these must be among them"
            )

    def _check_pairs(self, where: str, found: list[Settings]) -> None:
        compared = self.activations or sorted({each[ACTIVATION] for each in found})
        tasks = {
            activation: {
                tuple(value for place, value in each.items() if place != ACTIVATION)
                for each in found
                if each[ACTIVATION] == activation
            }
            for activation in compared
        }
        first, *others = compared
        for other in others:
            if tasks[other] != tasks[first]:
                refuse(
                    f"{where}: found {first} and {other} on different tasks, allowed: all"
                    " activations that the figure compares on each task"
                )


def check_steps(where: str, role: Role, name: str, sweep: Any, shown: list[int] | None) -> None:
    """Refuse a sweep in which a role's measures are missing; `shown`: the steps that are drawn, if
    these are not all."""
    measured = {measure: _measured_at(sweep, measure) for measure in role.measures | role.early}
    if missing := sorted(measure for measure, steps in measured.items() if not steps):
        refuse(f"{where}: the sweep should measure {', '.join(missing)}")
    for step in shown or []:
        if step not in sweep.steps:
            refuse(f"{where}: the sweep should have {step} in its steps")
        missing = sorted(measure for measure, steps in measured.items() if step not in steps)
        if missing:
            refuse(f"{where}: the sweep should measure {', '.join(missing)} at step {step}")
    if not role.over_steps:
        return
    for measure, steps in sorted(measured.items()):
        has_last = measure in role.early or steps[-1] == sweep.steps[-1]
        if len(steps) < 2 or not has_last:
            last = "" if measure in role.early else ", the last among them"
            refuse(
                f"{where}: found {measure} at steps {steps} of sweep {name!r},"
                f" allowed: two steps or more{last}"
            )


def check_alike(
    where: str, sweeps: dict, others: dict, like: str, places: tuple[str, ...], but: tuple[str, ...]
) -> None:
    """Refuse sweeps whose settings, or steps, differ from the sweeps of the key `like`. places: the
    paths that are compared, with all paths below them, except the paths in `but`."""
    found, wanted = (
        _values(each.values()) | {"steps": {s for sweep in each.values() for s in sweep.steps}}
        for each in (sweeps, others)
    )
    for place in sorted(found.keys() | wanted.keys()):
        compared = place in places or place.split(".")[0] in places
        if compared and place not in but and found.get(place) != wanted.get(place):
            refuse(
                f"{where}: found {place} {words(found.get(place, ()))}, allowed: as in {like},"
                f" {words(wanted.get(place, ()))}"
            )


def words(values: Iterable) -> str:
    """Return values as YAML has them, each once, in order."""
    texts = {None: "null", True: "true", False: "false"}
    known = sorted(
        set(values), key=lambda value: (isinstance(value, str), value is not None, value)
    )
    return ", ".join(texts[v] if v is None or isinstance(v, bool) else str(v) for v in known)


def _axes(sweep: Any) -> dict[str, list]:
    """Return the values of each setting."""
    axes: dict[str, list] = {}
    for part in sweep.settings:
        inner = getattr(sweep, part)
        named = (
            {f"{part}.{name}": v for name, v in inner}
            if isinstance(inner, Record)
            else {part: inner}
        )
        axes |= {name: v if isinstance(v, list) else [v] for name, v in named.items()}
    return axes


def _networks(sweeps: Iterable) -> list[Settings]:
    """Return the settings of every network."""
    return [
        dict(zip(axes, values, strict=True))
        for axes in map(_axes, sweeps)
        for values in product(*axes.values())
    ]


def _values(sweeps: Iterable) -> dict[str, set]:
    """Return the values of each setting."""
    found: dict[str, set] = {}
    for axes in map(_axes, sweeps):
        for place, values in axes.items():
            found.setdefault(place, set()).update(values)
    return found


def _measured_at(sweep: Any, measure: str) -> list[int]:
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
        if all(values & axes[other].get(place, set()) for place, values in axes[one].items()):
            refuse(
                f"{where}: found the same network in sweeps {one!r} and {other!r}, allowed: each"
                " network once"
            )


def _groups(found: list[Settings], places: tuple[str, ...]) -> list[list[Settings]]:
    groups: dict[tuple, list[Settings]] = {}
    for each in found:
        groups.setdefault(tuple(each.get(place) for place in places), []).append(each)
    return list(groups.values())


def _which(one: Settings, places: tuple[str, ...], found: list[Settings]) -> str:
    """Return words for which panel it is, where there are several, to stand after a key."""
    several = [place for place in places if len({each.get(place) for each in found}) > 1]
    return "".join(f", {place} {words([one.get(place)])}" for place in several)
