"""The conditions as points."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole

FIGURE = Figure(
    "The conditions as points in two dimensions, with an edge where one variable differs.",
    {"of": FilesRole("Sets of representations.", some_of=("geometry",))},
)
