"""One claim, reproduced: the figure whose table has its rows, and what the checks find there."""

from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pandas as pd

from repatlas.artifacts import layout
from repatlas.claims.ledger import Claim, read_ledger
from repatlas.claims.sentences import number, we_find
from repatlas.named import named
from repatlas.operations.expected import expected_files, is_there
from repatlas.operations.options import parser_of, read_plan
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.stages.judge import Tables, claims_table

ALONE = "The p value is of this claim alone; a whole run also corrects it for the number of claims."


class Reproduced:
    """A claim by its identifier, which is `STUDY/CLAIM`; the study can be left out if the config
    has one study."""

    def __init__(self, name: str, configs: Sequence[Path]):
        """Find the claim. Raises Refused if the config does not judge it."""
        self._plan = read_plan(parser_of("figures", "-").parse_args(list(map(str, configs))))
        self._product, self._claim = _claim_named(self._plan, name)
        self.figure = "/".join(self._product)
        """The figure that a run must draw"""

    def finding(self) -> str:
        """Return what the checks of the claim find, in sentences. Raises Refused if the figure has
        not been drawn, or the claim cannot be judged."""
        study, figure = self._product
        part = Plan(self._plan.config.model_copy(update={"only": self.figure}), self._plan.folder)
        name = Path(part.results, layout.TABLE.format(**self._product.place))
        table = expected_files(part)[name]
        if not is_there(table):
            raise Refused(f"{name}: is missing, so claim {self._claim.id} cannot be judged")
        schema = named(f"studies.{study}", "columns").TABLE_SCHEMA
        ledger = read_ledger(study).model_copy(update={"claims": [self._claim]})
        with redirect_stderr(StringIO()):  # the log of a job, which counts one claim as all
            rows = claims_table(ledger, Tables({figure: table.path}, schema), preview=False)
        return "\n".join(_sentences(self._product, self._claim, rows))


def _claim_named(plan: Plan, name: str) -> tuple[Product, Claim]:
    """Return a claim, and the figure whose table has its rows. Raises Refused."""
    if plan.config.preview:
        raise Refused("--claim: found a preview, allowed: a full-scale run; no preview is judged")
    chosen, _, wanted = name.rpartition("/")
    found = [
        (study, claim)
        for study in plan.judged
        for claim in read_ledger(study).claims
        if chosen in ("", study) and claim.id == wanted
    ]
    if len(found) != 1:
        allowed = [f"{study}/{read_ledger(study).claims[0].id}" for study in plan.judged]
        allowed = " or ".join(allowed) or "none, since no claim is about a figure of the config"
        raise Refused(f"--claim: found {name!r}, allowed: STUDY/CLAIM, as in {allowed}")
    [(study, claim)] = found
    product = Product(study, claim.figure)
    if product not in plan.figures:
        raise Refused(f"--claim: claim {name} is about {claim.figure}, which the config lacks")
    return product, claim


def _sentences(figure: Product, claim: Claim, rows: pd.DataFrame) -> list[str]:
    first = rows.iloc[0]
    if isinstance(first["not_judged"], str):
        raise Refused(f"claim {claim.id} of {figure.study}: not judged: {first['not_judged']}")
    lines = [f"Claim {figure.study}/{claim.id}, {figure.name}: {claim.claim}"]
    lines += [f"- {we_find(row)} {row.verdict.capitalize()}." for row in rows.itertuples()]
    if isinstance(first["other_settings"], str):
        lines.append(f"On other settings than the claim is about: {first['other_settings']}.")
    lines.append(f"Verdict: {first['claim_outcome']}, p = {number(first['claim_p'])}. {ALONE}")
    return lines
