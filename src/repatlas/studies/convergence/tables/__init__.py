"""From the rows of a figure's sweeps, its table: a module per figure."""
