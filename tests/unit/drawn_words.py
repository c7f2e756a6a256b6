"""Texts that a figure draws, with their places and their ink."""

from unittest.mock import patch

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from repatlas.plots.style import LETTER


class Drawn:
    """A figure with the places of all that a renderer was asked for."""

    def __init__(self, figure):
        self.figure, self.point = figure, figure.dpi / 72
        self.renderer = FigureCanvasAgg(figure).get_renderer()
        # Tick labels beyond the limits are artists, too, but are never drawn.
        drawn, draw = {}, Text.draw

        def spy(text, renderer, *rest, **named):
            if text.get_visible() and text.get_text().strip():
                drawn[id(text)] = text
            return draw(text, renderer, *rest, **named)

        with patch.object(Text, "draw", spy):
            figure.draw_without_rendering()
        self.texts = list(drawn.values())
        # The boxes hold the words alone: a note's own extent includes the line to what it names.
        self.boxes = {id(t): Text.get_window_extent(t, self.renderer) for t in self.texts}

    def ink(self, text):
        self.renderer.clear()
        text.draw(self.renderer)
        return np.asarray(self.renderer.buffer_rgba())[..., 3] > 64


def letters_of(figure):
    """Return the letters of the panels of a figure. "A, D" counts as both letters."""
    found = [text for text in figure.findobj(Text) if text.get_gid() == LETTER]
    return {name for text in found for name in text.get_text().split(", ")}
