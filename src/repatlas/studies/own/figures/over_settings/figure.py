"""Every measure against another setting than the layer."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole, have_an_axis

FIGURE = Figure(
    "Every measure against training, or another setting: the first brace in the path of the arrays"
    " that is neither layer nor unit.",
    {"of": FilesRole("Sets of representations with such a brace.", fits=(have_an_axis,))},
)
