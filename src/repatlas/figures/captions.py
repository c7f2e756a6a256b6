"""The captions of figures: a text in the folder of each figure, which the config fills in."""

import re
from pathlib import Path
from typing import Any

WORDS = Path(__file__).with_suffix(".rst")
STUDIES = Path(__file__).parents[1] / "studies"
OF_CLAIMS = WORDS.with_name("claims.rst")
"""The caption of the figure of claims, which all studies share."""
OF_MULTIVERSE = WORDS.with_name("multiverse.rst")
"""The caption of the figure of claims in many settings."""
ABOUT = "about.rst"
"""The file of a study with the title of its page, and what that says of the study."""


def texts_of(study: str) -> list[Path]:
    """Return the files of a study's captions, what its page says of it, and what the captions of
    all studies share."""
    folder = STUDIES / study
    return [
        WORDS,
        OF_CLAIMS,
        OF_MULTIVERSE,
        *folder.glob(ABOUT),
        *sorted(folder.glob("figures/*/caption.rst")),
    ]


def about_study(study: str) -> tuple[str, str]:
    """Return the title of a study's page, and what it says of the study, as reStructuredText; of a
    study that doesn't say it, its name."""
    path = STUDIES / study / ABOUT
    text = path.read_text(encoding="utf-8") if path.exists() else study
    title, _, about = text.partition("\n\n")
    return title.strip(), about


class Caption:
    """The caption of a figure. `draw` is the figure of the study that it draws, or the path of a
    text. `facts` are the facts about its networks that the caption may use.

    Snakemake compares only the facts: a change of words alone draws no figure again.
    """

    def __init__(self, study: str, figure: str, draw: str | Path, facts: dict[str, Any]):
        self.study, self.figure, self.draw, self.facts = study, figure, draw, facts

    def __repr__(self) -> str:
        # Snakemake's report has it in a script of its page, which </script> would end.
        return repr(self.facts).replace("<", r"\x3c")

    def __str__(self) -> str:
        """Return reStructuredText. Raises jinja2.UndefinedError where the text names a fact that
        there is not."""
        # Only here: it is loaded with the Snakefile, and few commands show a caption.
        from jinja2 import Environment, StrictUndefined

        path = STUDIES / self.study / "figures" / str(self.draw) / "caption.rst"
        if isinstance(self.draw, Path):
            path = self.draw
        if not path.exists():
            return (
                f"**{self.figure}** has no caption yet: write ``{path.parent.name}/{path.name}``."
            )
        texts = [each.read_text(encoding="utf-8") for each in (WORDS, path)]
        words = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
        words.filters["plain"] = _plain
        return words.from_string("".join(texts)).render(figure=self.figure, facts=self.facts)


def _plain(name: str) -> str:
    """Return a name of the user's as reStructuredText that prints it, whatever signs it has."""
    return re.sub(r"([^\w\s]|_)", r"\\\1", name)
