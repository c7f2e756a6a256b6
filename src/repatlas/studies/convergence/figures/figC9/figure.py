"""Figure C9: noise directions."""

from repatlas.claims.outcomes import SUPPORTED
from repatlas.experiments.classification.compared import MOST_ROWS
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import Role, networks
from repatlas.images.published import data_set
from repatlas.record import refuse
from repatlas.studies.convergence.roles import MLP, last_hidden, training_images


def _enough_images(where: str, sweeps: dict) -> None:
    """Refuse layers so wide for the images that canonical correlations are 1 whatever the network
    has learned."""
    found = networks(sweeps)
    for one in found:
        images, features = training_images(one), last_hidden(one)
        if images > MOST_ROWS:  # then layers are compared on the test images
            images = data_set(one["data_set"]).SIZES["test"]
        if 2 * features > images - 1:
            refuse(
                f"{where}: found {features} features of the last hidden layer on {images} images,"
                f" allowed: at most {(images - 1) // 2}, or variates correlate whatever they are"
            )


FIGURE = Figure(
    "Noise directions: which directions settle, and which similarity tells them from the others.",
    {
        "networks": Role(
            "The sweep of networks, whose last hidden layer is compared over training.",
            {"accuracy", "variates"},
            MLP,
            over_steps=True,
            fits=(_enough_images,),
        ),
    },
    finding=Finding(
        "Directions that change most are unnecessary for accuracy.",
        {"C12b": SUPPORTED},
    ),
)
