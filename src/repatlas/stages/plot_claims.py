"""plot_claims: a page of the figure of a study's claims, from their file alone, as PDF and PNG."""

import re
from pathlib import Path

import numpy as np
import pandas as pd

from repatlas.artifacts.drawings import write_drawing
from repatlas.artifacts.files import read_table
from repatlas.artifacts.recipes.study import PlotClaimsJob
from repatlas.claims.main_check import main_check
from repatlas.claims.verdicts import CLAIMS_SCHEMA, EXACT
from repatlas.plots.forest import Found, Statement, draw_forest
from repatlas.plots.minus import typeset
from repatlas.plots.style import Style, applied, settle
from repatlas.stages.job import log, made_from, show, stage_parser

NOTE = (
    "Units differ, so distances are in half-lengths of each number's own 95 % interval: how sure,"
    " not how large. Linear up to 1, logarithmic beyond. Bars: intervals. Ticks: further checks."
    " Arrows: farther, or all networks alike. Corrected: for the number of claims."
)
NOTHING = 1e-9
MOST_DIGITS = 6
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--claims", type=Path, required=True)
    parser.add_argument(
        "--png",
        type=Path,
        required=True,
        help="beside the PDF in --output",  # prose: ok
    )
    options = parser.parse_args(arguments)
    job = PlotClaimsJob.read(options.job)

    header, table = read_table(options.claims, "claims", CLAIMS_SCHEMA)
    own_header = made_from(options, job, {options.claims: header})
    claims = table.to_pandas()
    style = Style(colours={}, **job.style, preview=False)
    with applied(style):
        shown = statements(claims[claims["claim"].isin(job.claims)])
        figure = draw_forest(shown, style, note(shown))
        settle(figure)
        for path in (options.output, options.png):
            write_drawing(figure, path, own_header)
    show(options, options.png)
    log(f"drew {len(shown)} claims")


def statements(found: pd.DataFrame) -> list[Statement]:
    """Return the claims as the figure shows them, in the order of the claims file. `found` is the
    table of the judged claims."""
    return [
        _statement(name, rows.iloc[0], list(rows[rows["check"].notna()].itertuples()))
        for name, rows in found.groupby("claim", sort=False)
    ]


def note(shown: list[Statement]) -> str:
    """Return the line under the figure. It explains the marks that occur."""
    text = NOTE
    if any(each.quiet for each in shown):
        text += " Grey: our own."
    return text


def _statement(name: str, about: pd.Series, checks: list) -> Statement:
    main = main_check(checks, about["claim_outcome"])
    others = (found_by(check) for check in checks if check is not main)
    return Statement(
        name,
        about["says"],
        about["by"] == "ours",
        found_by(main) if main else None,
        tuple(found for found in others if found),
        _name(main) if main else "",
        _value(main) if main else "",
        _limit(main) if main else "",
        about["claim_verdict"],
        about["claim_corrected_verdict"],
    )


def found_by(check) -> Found | None:
    """Return the distance of a check from its limit; None if it has no interval. `expected` has
    the side and the limit, such as "> 0.9"."""
    if np.isnan([check.low, check.high]).any():
        return None
    side, limit = check.expected.split(" ")
    sign = 1 if side == ">" else -1
    value, *ends = (
        sign * (number - float(limit)) for number in (check.value, check.low, check.high)
    )
    half = (max(ends) - min(ends)) / 2
    if not (np.isfinite(value) and half > 0):
        return Found(*[float(np.sign(value)) * np.inf if value else 0.0] * 3)
    return Found(value / half, min(ends) / half, max(ends) / half)


def _name(check) -> str:
    """Return the words for the number of a check, or an empty text if the claims file has none."""
    return typeset(check.number) if isinstance(check.number, str) else ""


def _value(check) -> str:
    """Return the median with its interval, or why it has none."""
    if check.statistic.startswith(f"{EXACT}:"):
        return f"{_number(check.value)} (exact)"
    if np.isnan(check.low):
        return (
            "none" if np.isnan(check.value) else f"{_number(check.value)} (n = {check.seeds:.0f})"
        )
    return f"{_number(check.value)} ({_number(check.low)}, {_number(check.high)})"


def _limit(check) -> str:
    """Return the side that is expected, and the limit with three digits."""
    side, limit = check.expected.split(" ")
    return _typeset(f"{side} {float(limit):.3g}")


def _number(value: float) -> str:
    """Return a number with two digits, or with more if only these tell it from 1. Return 0 for a
    number that is 0 except for rounding."""
    if abs(value) < NOTHING:
        return "0"
    digits = 2
    while digits < MOST_DIGITS and abs(value) < 1 and float(f"{abs(value):.{digits}g}") == 1:
        digits += 1
    return _typeset(f"{value:.{digits}g}")


def _typeset(text: str) -> str:
    """Return a number as it is printed: with a true minus sign, and a power of ten for 1e-06."""
    text = re.sub(r"([\d.]+)e([-+]\d+)", _power, text)
    return text.replace("-", "\N{MINUS SIGN}").replace("inf", "\N{INFINITY}")


def _power(found: re.Match) -> str:
    power = f"10{str(int(found[2])).translate(RAISED)}"
    return power if found[1] == "1" else f"{found[1]}\N{MIDDLE DOT}{power}"
