"""The knowledge about a figure that does not need drawing: its sweeps, rows, checks and caption."""
