"""The conditions as points."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole, with_one_of

FIGURE = Figure(
    "The conditions as points in two dimensions, with an edge where one variable differs.",
    {"of": FilesRole("Sets of representations.", fits=(with_one_of("geometry"),))},
)
