"""What drawings share: style, panels, curves, words."""

import os

# Figures are files, which need no window; and matplotlib, which no stage imports before this, would
# refuse a backend that is not installed here, as a notebook's terminal may name.
os.environ.pop("MPLBACKEND", None)
