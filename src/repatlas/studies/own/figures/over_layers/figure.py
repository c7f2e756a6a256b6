"""Every measure against the layer."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole, have_layers

FIGURE = Figure(
    "Every measure against the layer: units as hairlines, the interval, chance.",
    {"of": FilesRole("Sets of representations whose path has {layer}.", fits=(have_layers,))},
)
