"""Measures of variables and their null distributions."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole

FIGURE = Figure(
    "The measures of each variable with their null distributions.",
    {
        "of": FilesRole(
            "Sets of representations.",
            some_of=("alignment", "ccgp", "decoding", "parallelism"),
        )
    },
)
