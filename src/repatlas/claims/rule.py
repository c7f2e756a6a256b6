"""The rule by which a claim gets its verdict (docs/guide/verdicts.md).

A verdict needs three things. Does the claim hold in our own setting? Does it hold in other
plausible settings? And do its checks fail on the null model that fits it?
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from repatlas.claims.claims_file import Claim
from repatlas.claims.multiverse import FAILS as DOES_NOT_HOLD
from repatlas.claims.multiverse import HOLDS, Design, effects
from repatlas.claims.multiverse import Verdict as SettingVerdict
from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.claims.rows import Rows
from repatlas.claims.selection import NoRows
from repatlas.claims.verdicts import (
    FACT,
    NO_NUMBER,
    NOT_JUDGED,
    TOO_FEW,
    checks_of,
    judge,
    outcome,
)

REPRODUCED, NOT_REPRODUCED, DEPENDS = "reproduced", "not reproduced", "depends"
IN_OUR_SETTING = "in our setting"
LEAST_SETTINGS = 10
"""With fewer settings there is no verdict over settings."""
FIFTHS = 5
"""Four of these are needed to reproduce a claim; with more than one it is reproduced or depends."""

NO_CONTROL, FAILS, PASSES = "no control", "fails", "passes"
NOT_COMPUTED = "not computed"

DATA = {"authors": "authors' setting", "near": "near setting", "other": "other setting"}
"""What networks are to the authors'."""


class Verdict(NamedTuple):
    """A verdict with what one has to know of it."""

    word: str
    why: str | None = None
    """The choice that decides, what our setting found, or why there is no verdict"""


def overall_verdict(
    claim: Claim, ours: str, control: str, designs: Sequence[Design] = ()
) -> Verdict:
    """Return the verdict on a claim.

    ours: the corrected verdict in our own setting: supported, contradicted, undecided or too few
    networks.
    control: what the checks say on the null model: no control, fails, passes or not computed.
    """
    if claim.fact and ours != CONTRADICTED:  # a fact that fails is an error of the code
        return Verdict(FACT, claim.fact)
    if claim.limit.source == "ours":
        return Verdict(NO_NUMBER, claim.limit.why)
    if control == PASSES and ours != CONTRADICTED:
        return Verdict(FACT, "its checks hold for the null model, too")
    if claim.later:
        return Verdict(NOT_JUDGED, f"it needs {claim.later}")
    if ours == TOO_FEW:
        return Verdict(TOO_FEW)
    if control == NOT_COMPUTED:
        return Verdict(NOT_JUDGED, "its control is not computed")
    # Our own setting is in every design, and counts once.
    every = [held for of in designs for n, held in of.holds.items() if n]
    every += [of.holds[0] for of in designs if 0 in of.holds][:1]
    if len(every) < LEAST_SETTINGS:
        return Verdict(IN_OUR_SETTING, ours)
    # A few lengths would drown in hundreds of other settings, so each design has to agree.
    apart = [design for design in designs if not _agrees(ours, [*design.holds.values()])]
    if _agrees(ours, every) and not apart:
        return Verdict(REPRODUCED if ours == SUPPORTED else NOT_REPRODUCED)
    return Verdict(DEPENDS, ", ".join(deciding(apart)) or f"no single choice; ours: {ours}")


def _agrees(ours: str, held: Sequence[bool]) -> bool:
    """Return whether enough settings say what ours says."""
    k, n = sum(held), len(held)
    if ours == SUPPORTED:
        return FIFTHS * k >= (FIFTHS - 1) * n
    return ours == CONTRADICTED and FIFTHS * k <= n


def deciding(designs: Sequence[Design]) -> list[str]:
    """Return the choices that decide, the largest effect first. A choice that is varied alone
    decides if the claim holds with some of its values and not with others."""
    found: dict[str, float] = {}
    for design in designs:
        alone = len(design.values) == 1 and len({*design.holds.values()}) == 2
        for effect in effects(design.holds, design.settings, design.values):
            if alone or effect.decides:
                size = abs(effect.difference.value)
                found[effect.choice] = max(found.get(effect.choice, 0.0), size)
    return sorted(found, key=lambda choice: -found[choice])


def control_of(claim: Claim, rows: Rows) -> str:
    """Return what the checks of a claim say on its null model. rows: the rows of the claim's
    measures in the table of its figure."""
    control = claim.control
    if control is None or control.null_model is None:
        return NO_CONTROL
    if control.value is not None:  # the claims file is refused if the checks hold for it
        return FAILS
    if control.rows is None:
        return NOT_COMPUTED
    # Linear networks cannot learn some tasks; as a null model they count anyway.
    null = on_null_model(claim).model_copy(update={"learned": None})
    try:
        found = outcome(judge(null, rows))
    except NoRows:
        return NOT_COMPUTED
    if found.verdict == TOO_FEW:
        return NOT_COMPUTED
    # The sign test decides, as in our own setting: by its median alone, a null model at the limit
    # passes in half of all cases.
    return PASSES if found.verdict == SUPPORTED else FAILS


def verdict_untrained(claim: Claim, rows: Rows) -> SettingVerdict:
    """Return whether a claim holds for networks that did not learn, whose one step is 0."""
    checks = [
        check.model_copy(update={"options": _with(check.options, "step", 0)[0]})
        for check in claim.checks
    ]
    claim = claim.model_copy(update={"learned": None, "checks": checks})
    try:
        findings = judge(claim, rows)
    except NoRows as reason:
        return SettingVerdict(NOT_JUDGED, str(reason), [])
    checks = list(zip(checks_of(claim, rows), findings, strict=True))
    if (word := outcome(findings).verdict) == TOO_FEW:
        return SettingVerdict(NOT_JUDGED, TOO_FEW, checks)
    return SettingVerdict(HOLDS if word == SUPPORTED else DOES_NOT_HOLD, None, checks)


def on_null_model(claim: Claim) -> Claim:
    """Return a claim whose checks select the rows of its null model."""
    assert claim.control is not None and claim.control.rows is not None
    checks = []
    for check in claim.checks:
        options = check.options
        for column, value in claim.control.rows.items():
            options, replaced = _with(options, column, value)
            if not replaced:
                of = options["of"]
                of = [each | {column: value} for each in of] if isinstance(of, list) else of
                of = of | {column: value} if isinstance(of, dict) else of
                options = options | {"of": of}
        checks.append(check.model_copy(update={"options": options}))
    return claim.model_copy(update={"checks": checks})


def _with(options: Any, column: str, value: Any) -> tuple[Any, bool]:
    """Return options in which every selection of a column has this value, and whether one had."""
    if isinstance(options, list):
        parts = [_with(part, column, value) for part in options]
        return [part for part, _ in parts], any(replaced for _, replaced in parts)
    if not isinstance(options, dict):
        return options, False
    parts = {name: _with(part, column, value) for name, part in options.items()}
    found = {name: value if name == column else part for name, (part, _) in parts.items()}
    return found, column in options or any(replaced for _, replaced in parts.values())
