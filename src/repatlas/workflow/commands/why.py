"""why: what is missing, and in what it differs from the nearest version that is there.

Where code was edited, the entry of the config follows that keeps the results, for an edit that is
proven to change no number.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from repatlas.artifacts.files import Unreadable
from repatlas.workflow import code, scopes
from repatlas.workflow.commands import asked, is_there
from repatlas.workflow.plan import Plan, Result
from repatlas.workflow.results import read_whole
from repatlas.workflow.store import versions_of

APART = ("code", "stage_code", "inputs")
"""What a recipe has in addition to values."""


def main(arguments: list[str]) -> None:
    plan, results = asked("why", __doc__, arguments)
    names: dict[str, list[str]] = {}
    accepted: dict[str, dict[str, str]] = {}
    for result in (each for each in results if not is_there(plan, each)):
        own, versions, reason = _values(result.recipe), [], "no version of it yet"
        for path in versions_of(plan.version(result.names[0]))[:5]:
            with suppress(Unreadable):
                versions.append(read_whole(path, result.stage))
        if versions:
            nearest = min(versions, key=lambda each: len(own ^ _values(each["job"])))
            reason = _reason(nearest, result)
            accepted.setdefault(result.stage, {}).update(_codes(plan, nearest, result))
        names.setdefault(f"{result.stage}: {reason}", []).extend(result.names)
    for reason, of in names.items():
        print(f"{reason}\n    {of[0]}{f' and {len(of) - 1} more' if of[1:] else ''}")
    if not names:
        print("nothing is missing")
    if any(accepted.values()):
        print("If the edit changes no number, put this into the config, and the results stay:")
        stages = (f"  {stage}: {json.dumps(of)}" for stage, of in accepted.items() if of)
        print("accept_code:", *stages, sep="\n")


def _reason(version: dict[str, Any], result: Result) -> str:
    before, after = _values(version["job"]), _values(result.recipe)
    texts = {"it had": before - after, "now it has": after - before}
    if (old := version["job"]["code"]) != (new := result.recipe["code"]):
        texts |= {"edited:": {*_edited(version)} or {f"code {old}, now {new}"}}
    if version["job"].get("stage_code") != result.recipe["stage_code"]:
        texts["edited:"] = {*texts.get("edited:", ()), f"the stage {result.stage}"}
    found = [f"{text} {', '.join(sorted(of))}" for text, of in texts.items() if of]
    return "; ".join(found) or "its inputs are others"


def _edited(version: dict[str, Any]) -> list[str]:
    return [name for name, digest in version["modules"].items() if code.digest_now(name) != digest]


def _values(job: Any, path: str = "") -> set[str]:
    """Return the values in a recipe, each as path=value, without what APART names."""
    if isinstance(job, dict):
        inner = [(f"{path}.{k}", v) for k, v in job.items() if k not in APART]
    elif isinstance(job, list | tuple):
        inner = [(path, value) for value in job]
    else:
        return {f"{path.removeprefix('.')}={job}"}
    return set().union(*(_values(value, of) for of, value in inner))


def _codes(plan: Plan, version: dict[str, Any], result: Result) -> Iterator[tuple[str, str]]:
    """Yield fingerprints of code, now and before: of the file, if nothing else differs, and of each
    network or row in it, which other files take over."""
    now, before = result.recipe["code"], version["job"]["code"]
    if result.stage == "write_report":
        return  # a page takes a second, so no key accepts it
    if now != before and _values(version["job"]) == _values(result.recipe):
        yield now, before
    if result.stage not in ("train", "measure", "compare_networks") or not _edited(version):
        return
    known, (whole, parts) = version["modules"], scopes.parts(result.stage, result.what)
    if code.digests(*sorted({*whole})).keys() != known.keys():
        return  # with other imports nobody knows what the code of a part was
    accepted = {new: old for of in plan.config.accept_code.values() for new, old in of.items()}
    for modules in {tuple(sorted({*part})) for part in parts}:
        digests = {name: known[name] for name in code.digests(*modules)}
        before = code.key(modules, digests)[:12]
        if plan.code(*modules) != accepted.get(before, before):
            yield code.fingerprint(*modules), accepted.get(before, before)
