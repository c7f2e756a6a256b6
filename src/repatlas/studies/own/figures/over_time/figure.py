"""Decoding at one time by decoders of another time."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole, with_one_of

FIGURE = Figure(
    "The accuracy of decoders at each time, fitted at each other time.",
    {"of": FilesRole("Sets of representations with times.", fits=(with_one_of("over_time"),))},
)
