"""Measures of variables and their null distributions."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole, with_one_of

FIGURE = Figure(
    "The measures of each variable with their null distributions.",
    {
        "of": FilesRole(
            "Sets of representations.",
            fits=(with_one_of("alignment", "ccgp", "decoding", "parallelism"),),
        )
    },
)
