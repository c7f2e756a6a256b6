"""From the table of a figure, its drawing: a module per figure."""
