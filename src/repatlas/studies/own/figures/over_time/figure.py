"""Decoding at one time by decoders of another time."""

from repatlas.figures.figure import Figure
from repatlas.studies.own.roles import FilesRole

FIGURE = Figure(
    "The accuracy of decoders at each time, fitted at each other time.",
    {"of": FilesRole("Sets of representations with times.", some_of=("over_time",))},
)
