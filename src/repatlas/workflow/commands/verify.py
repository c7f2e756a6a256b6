"""verify: is every result what the config and the code imply, and does its name lead to it?

Reads every file whole, prints what is not fresh, and fails unless all are:

    fresh    what the config and the code imply
    damaged  not what was written, or not what its name says
    missing  not there, `why` tells more
    astray   fresh, but its name leads elsewhere
    yours    fresh, but its name is a file of yours, which stays
    orphan   a name that nothing in the config implies

Renames damaged files. Removes the links in store/made of what is damaged or astray, and of all made
from it. The same run sets them again, and computes only what is not there.
"""

import os
import sys
from collections import Counter
from itertools import chain

from repatlas.artifacts.files import Unreadable
from repatlas.workflow import store
from repatlas.workflow.commands import asked
from repatlas.workflow.plan import Plan, Result
from repatlas.workflow.results import check_result


def main(arguments: list[str]) -> None:
    plan, results = asked("verify", __doc__, arguments)
    found = {name: _state(plan, name, each) for each in results for name in each.names}
    if {state for state, _ in found.values()} == {"missing"}:
        sys.exit(f"nothing has been made yet: {len(found)} files are missing in {plan.folder}")
    again = {plan.results[n] for n, (state, _) in found.items() if state in ("damaged", "astray")}
    for result in dict.fromkeys(plan.results.values()):  # each after its inputs
        if again & {result, *chain(*result.inputs.values())}:
            again.add(result)
            for name in result.names:
                plan.made(name).unlink(missing_ok=True)
    found |= {name: ("orphan", "") for name in plan.orphans()}
    for name, (state, reason) in found.items():
        if state != "fresh":
            print(f"{state:7} {plan.folder / name}{reason}")
    counts = Counter(state for state, _ in found.values())
    print(", ".join(f"{number} {state}" for state, number in counts.items()))
    if again:
        print("the same run makes again what is damaged, and sets the names")
    if counts["missing"]:
        print(f"delete {plan.store / store.MADE} first, to make also what nothing needs")
    if counts.keys() != {"fresh"}:
        sys.exit(1)


def _state(plan: Plan, name: str, result: Result) -> tuple[str, str]:
    """Return the state of a result and of its name, and why. Renames damaged files."""
    link, path = plan.folder / name, plan.version(name)
    try:
        check_result(plan.store, path, result)
    except FileNotFoundError as error:
        gone = str(path) != error.filename
        return "missing", f": {error.filename} is gone; to train it, delete {path}" if gone else ""
    except Unreadable as error:
        return "damaged", f": {error.reason}; {store.set_aside(path)}"
    if store.leads_to(link, path):
        return "fresh", ""
    if link.is_symlink() or not link.exists():
        return "astray", f": leads to {os.readlink(link) if link.is_symlink() else 'nothing'}"
    is_copy = link.is_file() and link.read_bytes() == path.read_bytes()
    return ("fresh", "") if is_copy else ("yours", f": the result is {path}")
