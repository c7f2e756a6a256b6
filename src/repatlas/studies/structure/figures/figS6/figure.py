"""Figure S6: networks on images, layer by layer."""

from repatlas.figures.figure import Figure
from repatlas.studies.structure.roles import images_role

FIGURE = Figure(
    "Networks on images: alignment at each layer, before training and after.",
    {"images": images_role()},
)
