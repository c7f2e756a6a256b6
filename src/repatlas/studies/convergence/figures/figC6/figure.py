"""Figure C6: which layers tell which classes."""

from repatlas.claims.outcomes import SUPPORTED, UNDECIDED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, legend, networks, panels
from repatlas.record import refuse
from repatlas.studies.convergence.roles import EITHER, last_hidden, pixels, training_images


def _fits(where: str, sweeps: dict) -> None:
    """Refuse several architectures on one data set, since curves are means over networks.

    Refuse also layers with more features than training images: least squares predict any logit
    from them.
    """
    found = networks(sweeps)
    for one in found:
        widest, images = max(pixels(one), last_hidden(one)), training_images(one)
        if widest > images:
            refuse(
                f"{where}: found {images} training images for a layer of {widest} features (the"
                f" input has {pixels(one)}), allowed: task.images of {widest} or more, from which"
                " class_correlations predict the logits"
            )
        same = [each for each in found if each["data_set"] == one["data_set"]]
        if len(same) > 1:
            refuse(
                f"{where}: found {len(same)} kinds of networks on {one['data_set']}, allowed: one,"
                " over which curves are means"
            )


FIGURE = Figure(
    "Sensitivity of layers to classes: how much of the score of each class each layer has.",
    {
        "narrow": Role(
            "The sweeps of narrow and deep networks, one for each data set.",
            {"accuracy", "class_correlations"},
            EITHER,
            several=True,
            shown=legend(ACTIVATION, "network.width", "network.depth", "training.batch")
            | panels("data_set"),
            fits=(_fits,),
        ),
    },
    finding=Finding(
        "Layers are the more sensitive to classes the deeper they are; similar classes are not"
        " closer.",
        {"C11": UNDECIDED, "C11c": SUPPORTED},
    ),
)
