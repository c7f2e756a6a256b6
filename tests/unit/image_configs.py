"""Configs whose figures draw networks on images that a test chooses."""

ON_IMAGES = {
    "experiment": "images",
    "measures": ["accuracy", "alignment", "ccgp", "parallelism"],
}
"""The settings that all these sweeps have."""
DRAW_IMAGES = ("fig04C", "figS6")


def on_images(values, *sweeps):
    """Return the values of a config with these sweeps instead of its networks on images."""
    named = {f"images{number}": ON_IMAGES | sweep for number, sweep in enumerate(sweeps, start=1)}
    others = {
        name: sweep
        for name, sweep in values.get("sweeps", {}).items()
        if sweep.get("experiment") != "images"
    }
    figures = values.get("figures", {})
    drawn = {
        name: figures[name] | {"images": list(named)} for name in DRAW_IMAGES if name in figures
    }
    return values | {"sweeps": others | named, "figures": figures | drawn}
