"""The figures: fig01.py draws Figure 1 from its table, and so on. Each has `draw(table, style)`."""

import os

# Figures are files, which need no window; and matplotlib, which nothing imports before this, would
# refuse a backend that is not installed here, as a notebook's terminal may name.
os.environ.pop("MPLBACKEND", None)
