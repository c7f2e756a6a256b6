"""Figure 4C: networks on images."""

from repatlas.figures.figure import Figure
from repatlas.studies.structure.wanted import images_role

FIGURE = Figure("Networks on images: pairs of networks, tanh and ReLU.", {"images": images_role()})
