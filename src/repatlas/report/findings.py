"""What a figure says, where the run found it so."""

from collections.abc import Iterable

from repatlas.claims.rule import DEPENDS, IN_OUR_SETTING
from repatlas.figures.figure import Figure
from repatlas.report.rows import Row


def found_by(figure: Figure, name: str, rows: Iterable[Row]) -> str:
    """Return the sentence that a figure of this name says, or an empty text where the claims that
    carry it are judged otherwise in our setting, whose networks are drawn. `rows` are the study's
    claims."""
    if figure.finding is None:
        return ""
    own = [row for row in rows if row.about.figure == name]
    alone = [row.about.id for row in own if row.verdict in (IN_OUR_SETTING, DEPENDS)]
    finding = figure.finding.with_setting(alone)
    ours = {row.about.id: None if row.about.later else row.ours for row in own}
    return finding.sentence_if(ours)
