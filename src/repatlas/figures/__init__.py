"""What there is to know of a figure before it is drawn: its sweeps, rows, checks and caption."""
