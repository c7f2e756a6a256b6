"""The colours of all figures. Only colours of activations are elsewhere: in the activations' files.

Colours of lines have a contrast of at least 3 : 1 on white."""

BLACK, WHITE = "black", "white"
DARK = "0.25"
"""Keys that stand for lines of any colour."""
GREY = "0.45"
"""Words in panels, and what is compared with: untrained networks, chance, noise floors."""
LIGHT = "0.58"
"""Limits and the line at zero: the lightest grey that a line may have."""
BAND, PALE, SHADE = "0.75", "0.85", "0.93"
"""Areas, and the edges of sketches: nothing that a reader needs for a number."""

STEPS = ("0.58", "0.42", "0.27", "0.1")
"""Greys of what has an order, such as numbers of contexts."""

ORANGE, BLUE, GREEN, PINK, SKY = "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#3D9AD1"
"""The palette of Okabe and Ito, but with a darker sky. Orange is tanh, and blue ReLU, in all
figures."""
PURPLE, LILAC, VIOLET, PLUM = "#6F3FA0", "#A585C8", "#8A5FB5", "#3B0F6B"
"""What is neither tanh nor ReLU: gated networks, the theories of them, and kinds of networks."""
CLASS_COLOURS = (GREEN, PINK)
"""The colours of the clusters with label 1, the first half, and of the others."""
CATEGORIES = (BLUE, ORANGE, GREEN, PINK, "#C77700", SKY, "#000000")
"""The colours of a user's conditions, in their order."""
HOLDS, OPEN, FAILS = "#c9b8e8", "#e9e2f5", "#d9d9d9"
"""Cells of a table: a theory within its limit, not decided, and beyond it."""
